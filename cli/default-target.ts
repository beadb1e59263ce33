import { join } from 'node:path'
import { root } from '../engine/record/root.ts'

/** The target that is judged where none is named: the reference bank, started for the run. */
export const DEFAULT_TARGET = join(root, 'config', 'embedded.yaml')
