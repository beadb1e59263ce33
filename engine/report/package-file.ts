import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of engine/report/html, found from the sources and from dist alike. */
export function pageAsset(name: string): string {
  const packageRoot = rootAbove(dirname(fileURLToPath(import.meta.url)))
  return readFileSync(join(packageRoot, 'engine', 'report', 'html', name), 'utf8')
}

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('engine/report/html: no package.json above this module')
  return rootAbove(parent)
}
