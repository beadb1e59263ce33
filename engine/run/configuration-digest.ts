import { createHmac, hash } from 'node:crypto'
import type { TargetDocument } from '../configuration/target.ts'
import { isObject } from '../record/json.ts'

/**
 * Tells configurations apart without revealing them: SHA-256, hex, over their JSON with the members of every object
 * sorted, so that the layout of a file does not matter.
 */
export function configurationDigest(configured: unknown): string {
  return hash('sha256', inOrder(configured), 'hex')
}

/** Length of the digest of a member: enough to tell two values apart. */
const LENGTH = 12

/**
 * Tells apart the members of two configurations of one target. The key of each digest is the signing key of the first
 * client, so that nobody can try out passwords. With another signing key every digest is another one.
 */
export function memberDigests(target: TargetDocument): Record<string, string> {
  const key = hash('sha256', target.clients.first.signing.key, 'hex')
  const digestOf = (value: unknown) =>
    createHmac('sha256', key).update(inOrder(value)).digest('hex').slice(0, LENGTH)
  const members = Object.entries(target).filter(([, value]) => value !== undefined)
  return Object.fromEntries(members.map(([name, value]) => [name, digestOf(value)]))
}

/** JSON with the members of every object sorted. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (!isObject(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
