/**
 * Removes from dist/ what was compiled from a source file that no longer exists, because folders such as
 * dist/proof/faults/ are loaded with all their files.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const dist = join(root, 'dist')
const compiled = /\.(js|js\.map|d\.ts)$/

for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!compiled.test(file)) continue
  if (!existsSync(join(root, file.replace(compiled, '.ts')))) rmSync(join(dist, file))
}
