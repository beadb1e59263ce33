import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * One script from a module and its imports, for a page that loads nothing. Each module becomes a function that returns
 * its exports, so that names of different modules do not collide.
 *
 * Modules must use named imports, and named exports of functions and constants.
 */
export function scriptOf(entry: string): string {
  const parts = [...modulesOf(entry)].map(
    ([file, { source, names, imports }]) =>
      `modules[${nameOf(file, entry)}] = (() => {\n${imports
        .map(({ from, words }) => `const {${words}} = modules[${nameOf(from, entry)}]\n`)
        .join('')}${source}\nreturn { ${names.join(', ')} }\n})()\n`,
  )
  return `;(() => {\n'use strict'\nconst modules = {}\n${parts.join('')}})()\n`
}

interface Module {
  /** Source without imports and without the word export. */
  source: string
  /** Names of its exports. */
  names: string[]
  imports: { from: string; words: string }[]
}

const IMPORT = /^import \{([^{}]*)\} from '([^']+)'\n/gm
const EXPORT = /^export ((?:async )?function|const) (\w+)/gm

/** All modules, each after its imports. */
function modulesOf(file: string, known = new Map<string, Module>()): Map<string, Module> {
  if (known.has(file)) return known
  const text = readFileSync(file, 'utf8')
  const imports = [...text.matchAll(IMPORT)].map(({ 1: words = '', 2: from = '' }) => ({
    from: join(dirname(file), from),
    words,
  }))
  for (const { from } of imports) modulesOf(from, known)
  const names = [...text.matchAll(EXPORT)].map(({ 2: name = '' }) => name)
  const source = text.replace(IMPORT, '').replace(EXPORT, '$1 $2').trim()
  if (/^(import|export)\b/m.test(source)) throw new Error(`${file} imports or exports otherwise`)
  return known.set(file, { source, names, imports })
}

const nameOf = (file: string, entry: string) =>
  JSON.stringify(file.slice(dirname(entry).length + 1))
