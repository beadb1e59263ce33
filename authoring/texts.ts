import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the package. */
export interface Text {
  /** Path relative to the folder of the package, with slashes. */
  file: string
  text: string
}

/** Files of a folder of the package with one of these endings. */
export function textsOf(root: string, folder: string, ending: RegExp): Text[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .sort()
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/** The line, from 1, of a position in a text. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
