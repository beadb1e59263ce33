import { nearest } from '../../engine/yaml/nearest.ts'
import {
  type Chaptered,
  groupFaults,
  groupMixed,
  groupSocial,
  groupVariants,
  LARGEST,
} from '../together/grouping.ts'
import { allMixed, hidBefore, type Mixed, mixedName } from '../together/mixed.ts'
import type { Themed } from '../together/pairs.ts'
import { TOGETHER } from '../together/together.ts'
import { chapterOf, themeOf, themesOf } from './chapters.ts'
import type { Circumstances } from './circumstances.ts'
import { drawn } from './draw.ts'
import { loadFaults, loadTables, loadVariants } from './load.ts'
import type { Fault, Variant } from './proof.ts'
import type { Proof } from './prove.ts'

/** What is proven at one bank. */
export interface Job {
  kind: Proof['kind']
  ids: string[]
  /** Checks, requirements or chapters that are judged, with what they depend on; absent: the whole suite. */
  near?: string[]
  /** For a table: which of its cells are proven. */
  draw?: Draw
  under?: Circumstances
}

/** The cells of tables that are proven: those that a seed draws, or all. */
export type Draw = number | 'all'

/** All alterations of a bank. */
export interface Alterations {
  faults: Chaptered[]
  variants: Themed[]
  /** Ids of the checks that test tables: each cell is a fault. */
  tables: string[]
}

/** A fault, variant, check or chapter that does not exist. */
export class UnknownProof extends Error {}

/** The correct bank as a variant without a freedom: nothing fails, warns or is blocked. */
export const CORRECT: Variant = {
  id: 'correct',
  story: 'The reference bank as it is.',
  silent: true,
}

export async function loadAlterations(): Promise<Alterations> {
  const [faults, variants, tables] = await Promise.all([loadFaults(), loadVariants(), loadTables()])
  return { faults, variants, tables }
}

/** Number of faults that are combined with a freedom of their chapter in every whole proof. */
const SAMPLE = 24

/** The draw of a proof when none is given, so that a build that fails does so again. */
export const SEED = 1

/**
 * The whole proof, with several alterations in one bank where possible. Faults that share a bank come first: those that
 * others hide can be regrouped only after all were tried, and meanwhile the other jobs run.
 *
 * @param draw of the cells of tables.
 */
export function wholeProof(
  all: Alterations,
  seed: number,
  alone = false,
  draw: Draw = seed,
): Job[] {
  const { faults, variants, tables } = all
  const wrong = alone ? faults.map((each) => [each]) : groupFaults(faults, LARGEST, TOGETHER)
  const lawful = alone ? variants.map((each) => [each]) : groupVariants(variants, seed)
  const jobs = [
    ...lawful.map((group) => job('variant', group)),
    job('correct', [CORRECT]),
    ...wrong.map((group) => job('fault', group)),
  ]
  const single = ({ ids }: Job) => ids.length === 1
  const shared = jobs.filter((each) => !single(each))
  return [
    ...shared.filter(({ kind }) => kind === 'fault'),
    ...jobs.filter(single),
    ...shared.filter(({ kind }) => kind !== 'fault'),
    ...tables.map((id) => tableJob(id, draw)),
    ...mixedJobs(all, SAMPLE, seed, alone),
  ]
}

/** Faults combined with a freedom of their chapter: those that a freedom once hid, and `count` others. */
export function mixedJobs(
  { faults, variants }: Alterations,
  count: number,
  seed: number,
  alone = false,
): Job[] {
  const before = hidBefore(faults, variants)
  const known = before.map(mixedName)
  const others = allMixed(faults, variants).filter((each) => !known.includes(mixedName(each)))
  const pairs = [...before, ...drawn(others, seed).slice(0, count)]
  const groups = alone ? pairs.map((pair) => [pair]) : groupMixed(pairs)
  return groups.map((group) => ({ kind: 'mixed', ids: group.map(mixedName) }))
}

/**
 * The named faults and variants, each in its own bank.
 *
 * @throws UnknownProof
 */
export function named(all: Alterations, faults: string[], variants: string[]): Job[] {
  const pick = (kind: 'fault' | 'variant', known: { id: string }[], ids: string[]) =>
    ids.map((id) => {
      if (!known.some((each) => each.id === id))
        throw new UnknownProof(`no ${kind} is called ${id}${meant(id, known.map(idOf))}`)
      return { kind, ids: [id] }
    })
  return [...pick('fault', all.faults, faults), ...pick('variant', all.variants, variants)]
}

const idOf = ({ id }: { id: string }) => id

function meant(word: string, words: string[]): string {
  const near = nearest(word, words)
  return near === undefined ? '' : `. Did you mean ${near}?`
}

/**
 * What concerns checks or chapters: the correct bank, the faults that they catch, and the freedoms of their chapters. A
 * check is named by its id; a requirement's id names all of its checks. For a check only that check is judged; for the
 * faults of a chapter everything.
 *
 * @param chapters whose faults are all proven: account-information/transactions, or its last part.
 * @param chapterOfCheck the chapter of a check or requirement; undefined when there is none.
 * @throws UnknownProof
 */
export function about(
  all: Alterations,
  checks: string[],
  chapters: string[],
  chapterOfCheck: (id: string) => string | undefined,
): Job[] {
  const chaptersNear = checks.map((id) => {
    const chapter = chapterOfCheck(id)
    if (chapter === undefined) throw new UnknownProof(`no check or requirement is called ${id}`)
    return chapter
  })
  const whole = knownChapters(all, chapters)
  const ofWhole = all.faults.filter((fault) => whole.includes(chapterOf(fault)))
  const ofChecks = all.faults.filter((fault) => !ofWhole.includes(fault) && names(fault, checks))
  const near = [...checks, ...whole]
  const themes = [...chaptersNear, ...whole].flatMap(themesOf)
  const variants = all.variants.filter((variant) => themes.includes(themeOf(variant)))
  const tables = all.tables.filter(
    (id) => isNamed(id, checks) || whole.includes(chapterOfCheck(id) ?? ''),
  )
  return [
    whole.length > 0 ? job('correct', [CORRECT]) : { ...job('correct', [CORRECT]), near },
    ...tables.map((id) => tableJob(id, SEED)),
    ...groupFaults(ofWhole).map((group) => job('fault', group)),
    ...groupFaults(ofChecks).map((group) => ({ ...job('fault', group), near })),
    ...groupVariants(variants, SEED).map((group) => ({ ...job('variant', group), near })),
  ]
}

/** Must a fault be caught by one of these checks or requirements? */
function names({ fails, warns = [] }: Fault, checks: string[]): boolean {
  return [...fails, ...warns].some((id) => isNamed(id, checks))
}

const isNamed = (id: string, checks: string[]) =>
  checks.some((check) => id === check || id.startsWith(`${check}/`))

function knownChapters({ faults }: Alterations, names: string[]): string[] {
  const known = [...new Set(faults.map(chapterOf))]
  return names.map((name) => {
    const chapter = known.find((each) => each === name || each.endsWith(`/${name}`))
    if (chapter === undefined)
      throw new UnknownProof(`no chapter is called ${name}${meant(name, known)}`)
    return chapter
  })
}

/** The alterations of a job's bank. */
export function alterationsOf(all: Alterations, { kind, ids }: Job): (Fault | Variant)[] {
  if (kind === 'correct') return [CORRECT]
  const known: (Fault | Variant)[] = kind === 'fault' ? all.faults : all.variants
  return ids.map((id) => find(known, id))
}

/** The pairs of a bank, by name. */
export function mixedOf({ faults, variants }: Alterations, names: string[]): Mixed[] {
  return names.map((name) => {
    const [fault, variant] = name.split(' + ')
    return [find(faults, fault), find(variants, variant)]
  })
}

/** New groups for faults that others hid; the groups get smaller with each round. */
export function amongOthers({ faults }: Alterations, ids: string[], round: number): Job[] {
  const hidden = ids.map((id) => find(faults, id))
  return groupFaults(hidden, Math.ceil(LARGEST / 2 ** round)).map((group) => job('fault', group))
}

/** Banks with several freedoms each, in several draws. In each draw a freedom is combined with others. */
export function drawsOf({ variants }: Alterations, draws: number, seed: number): Job[] {
  return Array.from({ length: draws }, (_, draw) => groupSocial(variants, seed + draw))
    .flat()
    .filter((group) => group.length > 1)
    .map((group) => job('variant', group))
}

function find<Each extends { id: string }>(known: Each[], id: string | undefined): Each {
  const found = known.find((each) => each.id === id)
  if (!found) throw new UnknownProof(`nothing is called ${id}`)
  return found
}

const tableJob = (id: string, draw: Draw): Job => ({ kind: 'table', ids: [id], draw })

const job = (kind: Job['kind'], group: { id: string }[]): Job => ({
  kind,
  ids: group.map(({ id }) => id),
})
