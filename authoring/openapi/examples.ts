import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../engine/record/root.ts'

/** A lawful message of each operation, by the id of specs/operations.yaml: what a mock of the bank answers. */
export const EXAMPLES: Partial<Record<string, { request?: unknown; response?: unknown }>> =
  JSON.parse(readFileSync(join(root, 'specs', 'examples.json'), 'utf8'))
