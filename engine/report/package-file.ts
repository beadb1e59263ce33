import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Path of a file that comes with the package, found from the sources and from dist alike. */
export function packageFile(...parts: string[]): string {
  return join(rootAbove(dirname(fileURLToPath(import.meta.url))), ...parts)
}

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error(`${import.meta.url}: no package.json above this module`)
  return rootAbove(parent)
}
