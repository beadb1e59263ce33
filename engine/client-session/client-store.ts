import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Target } from '../configuration/resolve.ts'
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
  const all = read(file)
  const key = (name: string) => {
    const client = name === 'second' ? target.clients.second : target.clients.first
    const facts = [target.endpoints.registration, softwareOf(client?.softwareStatement ?? '')]
    return `${name} ${createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 16)}`
  }
  return {
    /** What the bank stored for the client of this name; undefined when it is not known. */
    find: (name: string) => all[key(name)],
    keep(name: string, registered: Record<string, unknown>): void {
      const kept = Object.entries(registered).filter(([member]) => KEPT.includes(member))
      all[key(name)] = Object.fromEntries(kept)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 })
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

/** A file that is not there, or was cut short, only means that nothing is known. */
function read(file: string): Record<string, Record<string, unknown>> {
  if (!existsSync(file)) return {}
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as ReturnType<typeof read>) : {}
  } catch {
    return {}
  }
}
