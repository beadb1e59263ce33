import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the package, whether this file runs from source or from dist/. */
export const root = packageRoot(dirname(fileURLToPath(import.meta.url)))

function packageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('no package.json above the engine')
  return packageRoot(parent)
}
