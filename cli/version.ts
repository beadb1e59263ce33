import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../engine/record/root.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
}

export { version }
