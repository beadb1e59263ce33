import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../engine/record/root.ts'

/** Written by `npm run regroup`. */
export const TOGETHER_FILE = join(root, 'proof', 'together', 'together.json')

/**
 * Groups of faults that shared a bank: each failed its own ids, and nothing else occurred. New or outdated faults cost
 * a proof some additional banks until `npm run regroup` runs again.
 */
export const TOGETHER = JSON.parse(
  readFileSync(TOGETHER_FILE, 'utf8'),
) as readonly (readonly string[])[]
