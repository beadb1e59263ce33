import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../engine/record/root.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

export const { version } = manifest as { version: string }
