import { createHash } from 'node:crypto'
import type { Target } from '../configuration/resolve.ts'
import { isObject } from '../record/json.ts'
import { keep, readKept } from '../record/kept-json.ts'
import { claimsOf } from '../wire/jwt-decode.ts'

export type ClientStore = ReturnType<typeof openClientStore>

/** Members of a registration response that a later run depends on, and that open nothing. */
const KEPT = [
  'client_id',
  'redirect_uris',
  'response_types',
  'grant_types',
  'scope',
  'org_name',
  'software_on_behalf_of',
]

/**
 * Clients that were registered before, so that the next run need not leave another one behind: a
 * registration cannot be undone at the bank. No secret is kept, and no token.
 *
 * @param file JSON; an entry counts for one bank and what a statement says.
 */
export function openClientStore(file: string, target: Target) {
  const kept = readKept(file)
  const all = (isObject(kept) ? kept : {}) as Record<string, Record<string, unknown>>
  const key = (name: string) => {
    const client = name === 'second' ? target.clients.second : target.clients.first
    const facts = [target.endpoints.registration, softwareOf(client?.softwareStatement ?? '')]
    return `${name} ${createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 16)}`
  }
  return {
    /** What the bank stored for the client of this name; undefined when it is not known. */
    find: (name: string) => all[key(name)],
    keep(name: string, registered: Record<string, unknown>): void {
      const members = Object.entries(registered).filter(([member]) => KEPT.includes(member))
      all[key(name)] = Object.fromEntries(members)
      keep(file, all)
    },
  }
}

/** What a statement says of the software; a directory may issue the same anew for every night. */
function softwareOf(statement: string): string {
  const claims = claimsOf(statement)
  if (!claims) return statement
  const { iat, exp, nbf, jti, ...lasting } = claims
  return JSON.stringify(lasting)
}
