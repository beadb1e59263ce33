import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../engine/record/root.ts'

/** A lawful message of each operation, by its id in specs/operations.yaml. A mock of the bank can answer with it. */
export const EXAMPLES: Partial<Record<string, { request?: unknown; response?: unknown }>> =
  JSON.parse(readFileSync(join(root, 'specs', 'examples.json'), 'utf8'))
