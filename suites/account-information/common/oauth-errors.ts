import { brief } from '../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../engine/suite-api/rule.ts'

/** RFC 6749 4.1.2.1 and 5.2: “MUST NOT include characters outside the set %x20-21 / %x23-5B / %x5D-7E”. */
const FORBIDDEN = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/u

/** Findings for error and error_description with a character that OAuth forbids; undefined where there is no error. */
export function forbiddenCharacters(
  told: (name: string) => unknown,
  place: (name: string) => Pick<Finding, 'place'> = () => ({}),
): Finding[] | undefined {
  if (typeof told('error') !== 'string') return undefined
  return ['error', 'error_description'].flatMap((name) => {
    const text = told(name)
    const [wrong] = typeof text === 'string' ? (FORBIDDEN.exec(text) ?? []) : []
    if (wrong === undefined) return []
    const message = `${name} has the character ${JSON.stringify(wrong)}`
    const expected = 'printable ASCII without quotation marks and backslashes'
    return [{ message, expected, actual: brief(String(text)), ...place(name) }]
  })
}

/** Errors of RFC 6749 4.1.2.1 and 5.2 that say that the client, or what it asks for, is wrong. */
export const OF_THE_CLIENT = [
  ...['invalid_client', 'unauthorized_client', 'unsupported_grant_type'],
  ...['unsupported_response_type', 'invalid_scope'],
]

/** Errors of RFC 6749 4.1.2.1 that say that the server is in trouble. */
export const OF_AN_OUTAGE = ['server_error', 'temporarily_unavailable']
