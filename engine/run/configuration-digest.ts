import { hash } from 'node:crypto'
import { isObject } from '../record/json.ts'

/**
 * Tells configurations apart without revealing them: SHA-256, hex, over their JSON with the members of every object
 * sorted, so that the layout of a file does not matter.
 */
export function configurationDigest(configured: unknown): string {
  const inOrder = (_: string, value: unknown) => {
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  return hash('sha256', JSON.stringify(configured, inOrder), 'hex')
}
