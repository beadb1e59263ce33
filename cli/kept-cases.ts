import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Catalogue, Requirement } from '../engine/catalogue/catalogue.ts'
import { type Case, readCase, requirementOfFound } from '../engine/explore/case-file.ts'
import type { KeptCase } from '../engine/run/kept-cases.ts'
import { UsageError } from './usage.ts'

export interface ReadCase {
  file: string
  read: Case
}

/**
 * The cases of a folder or of one file.
 *
 * @throws UsageError, InputError when there is none, or one is wrong
 */
export function casesIn(path: string, catalogue: Catalogue): ReadCase[] {
  if (!existsSync(path)) throw new UsageError(`--cases ${path} is not there`)
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => /\.ya?ml$/.test(name))
        .sort()
        .map((name) => join(path, name))
    : [path]
  if (files.length === 0) throw new UsageError(`--cases ${path} holds no case: a file .yaml`)
  return files.map((file) => ({ file, read: readCase(file, catalogue) }))
}

/** The same as checks of a run. The id of each is made of its requirement and the name of its file. */
export function keptCases(path: string, catalogue: Catalogue): KeptCase[] {
  const taken = new Set<string>()
  return casesIn(path, catalogue).map(({ file, read }) => {
    const { id } = requirementOfFound(read.found, catalogue) as Requirement
    const name = basename(file)
      .replace(/\.ya?ml$/, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
    const own = `${id}/case-${name}`
    if (taken.has(own))
      throw new UsageError(`${file}: another case of ${path} has the id ${own}. Rename one.`)
    taken.add(own)
    return { ...read, id: own, file }
  })
}
