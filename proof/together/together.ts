import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../engine/record/root.ts'

/** Written by `npm run regroup`. */
export const TOGETHER_FILE = join(root, 'proof', 'together', 'together.json')

/**
 * Faults that shared a bank: each showed at its own ids, and nothing else came. What is new, or no longer holds,
 * costs a proof some banks more, until `npm run regroup` is run again.
 */
export const TOGETHER = JSON.parse(
  readFileSync(TOGETHER_FILE, 'utf8'),
) as readonly (readonly string[])[]
