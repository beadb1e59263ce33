import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { Alteration } from '../../bank/operator/alteration.ts'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { loadSuites } from '../../engine/run/suites.ts'
import type { Fault, Variant } from './proof.ts'

/** Files of faults in single cells, for any chapter: account-information/cells.access.ts. */
const CELLS = /(^|[/\\])cells\./

/** All faults by chapter: each file of proof/faults/ exports an array by default. */
export async function loadFaults(): Promise<(Fault & { chapter: string })[]> {
  const { owners } = loadCatalogue()
  return (await load<Fault>('faults')).map(({ file, each }) => {
    if (!CELLS.test(file)) return { ...each, chapter: file }
    // The name of such a file is not a chapter; the chapter of a fault is that of the first check that finds it.
    const [first = ''] = [...each.fails, ...(each.warns ?? [])]
    return { ...each, chapter: owners.get(first)?.chapter ?? file }
  })
}

/** All variants by theme: each file of proof/variants/ exports an array by default. */
export async function loadVariants(): Promise<(Variant & { theme: string })[]> {
  return (await load<Variant>('variants')).map(({ file, each }) => ({ ...each, theme: file }))
}

/** Alterations of a bank that only serve the scenarios for clients. */
export async function loadScenarioAlterations(): Promise<Alteration[]> {
  return (await load<Alteration>('scenarios')).map(({ each }) => each)
}

async function load<T extends { id: string }>(name: string): Promise<{ file: string; each: T }[]> {
  const folder = join(import.meta.dirname, '..', name)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
    .sort()
  const all: { file: string; each: T }[] = []
  for (const file of files) {
    const module = (await import(pathToFileURL(join(folder, file)).href)) as { default: T[] }
    const chapter = file.replace(/\.[jt]s$/, '')
    for (const each of module.default) all.push({ file: chapter, each })
  }
  const ids = all.map(({ each }) => each.id)
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length > 0) throw new Error(`${name}: ${twice.join(', ')} stands twice`)
  return all
}

/** Ids of the checks that test tables of values and places, or that are judged for each client. */
export async function loadTables(): Promise<string[]> {
  const { checks } = await loadSuites(
    join(import.meta.dirname, '..', '..', 'suites'),
    loadCatalogue(),
  )
  return checks
    .filter(({ options }) => options.asks !== undefined || options.for === 'each client')
    .map(({ id }) => id)
}
