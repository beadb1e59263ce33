import { createHash } from 'node:crypto'

/**
 * Tells two configurations apart without saying anything of them: SHA-256, hex, over their JSON with
 * the members of every object in order, so that it does not matter how a file is laid out.
 */
export function configurationDigest(configured: unknown): string {
  return createHash('sha256').update(JSON.stringify(configured, inOrder)).digest('hex')
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
