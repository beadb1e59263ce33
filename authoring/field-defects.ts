import { join } from 'node:path'
import { root } from '../engine/record/root.ts'
import { readList } from '../engine/yaml/list.ts'

/** A defect of real banks, and what detects it; schemas/assay/field-defects.schema.json. */
export interface FieldDefect {
  id: string
  defect: string
  source?: string[]
  faults?: string[]
  checks?: string[]
  untold?: string
  note?: string
  /** Its place in specs/: file:line:column. */
  place: string
}

/** What detects a fault: ids that fail, and ids that warn. */
export interface Telling {
  id: string
  fails: readonly string[]
  warns?: readonly string[]
}

/**
 * Reads specs/field-defects.yaml.
 *
 * @throws Error that lists each mistake as `file:line:column: what is wrong. mend.`
 */
export function loadFieldDefects(file = join(root, 'specs', 'field-defects.yaml')): FieldDefect[] {
  const problems: string[] = []
  const list = readList<Omit<FieldDefect, 'place'>>(file, 'field-defects', problems)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return list.map(({ place, value }) => ({ ...value, place }))
}

/** Unknown faults, checks and rules in the list, and duplicates. */
export function fieldDefectProblems(
  defects: readonly FieldDefect[],
  faults: readonly Telling[],
  ids: readonly string[],
): string[] {
  const knownFaults = new Set(faults.map(({ id }) => id))
  const knownIds = new Set(ids)
  return defects.flatMap(({ id, place, faults: named = [], checks = [], untold }, at) => [
    ...(defects.findIndex((each) => each.id === id) < at
      ? [`${place}: ${id} is there twice.`]
      : []),
    ...(untold === undefined && named.length + checks.length === 0
      ? [
          `${place}: ${id} has no faults and no checks. Name some, or say under untold why nothing tells it.`,
        ]
      : []),
    ...(untold !== undefined && named.length + checks.length > 0
      ? [`${place}: ${id} has faults or checks, and a reason why nothing tells it. Remove one.`]
      : []),
    ...named
      .filter((fault) => !knownFaults.has(fault))
      .map((fault) => `${place}: ${id} names ${fault}, and there is no such fault.`),
    ...checks
      .filter((check) => !knownIds.has(check))
      .map((check) => `${place}: ${id} names ${check}, and there is no such check or rule.`),
  ])
}

/** docs/field-defects.md: what went wrong at real banks, the fault that represents it, and what detects it. */
export function fieldDefectsPage(
  defects: readonly FieldDefect[],
  faults: readonly Telling[],
): string {
  const byId = new Map(faults.map((fault) => [fault.id, fault]))
  const told = defects.filter(({ untold }) => untold === undefined)
  const untold = defects.filter((defect) => defect.untold !== undefined)
  const reported = defects.filter(({ source }) => source !== undefined)
  return [
    '# Defects of real banks',
    '',
    `Made by \`npm run generate\` from \`specs/field-defects.yaml\` and the faults of the proof. ${defects.length} defects that a client of a UK bank may meet, ${reported.length} of them from public reports, lists of quirks in clients, and modules of other test suites; for the others no public report is known. No bank is named, and nothing was tested again.`,
    '',
    `${told.length} are found by checks and rules, as \`npx assay prove\` shows with the faults that represent them. ${untold.length} are [found by nothing](#found-by-nothing), each with the reason. \`npx assay bank --fault ID\` starts a bank with a fault, \`npx assay explain ID\` says what a check judges; a check in brackets warns. Where no fault stands for a defect alone, other faults or generated mutants of answers prove that its checks can fail.`,
    '',
    '## Found by checks and rules',
    '',
    '| defect | what went wrong | source | faults that represent it | checks and rules that find it |',
    '| --- | --- | --- | --- | --- |',
    ...told.map(({ id, defect, note, source, faults: named = [], checks = [] }) => {
      const words = note === undefined ? defect : `${defect} *${note}*`
      const standing = named.map(code).join(', ') || '–'
      return row(id, words, sources(source), standing, tellers(named, checks, byId))
    }),
    '',
    '## Found by nothing',
    '',
    '| defect | what went wrong | source | why nothing tells it |',
    '| --- | --- | --- | --- |',
    ...untold.map(({ id, defect, source, untold: why = '' }) =>
      row(id, defect, sources(source), why),
    ),
    '',
  ].join('\n')
}

const row = (...cells: string[]) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

const code = (id: string) => `\`${id}\``

/** An issue or pull request of GitHub. */
const ON_GITHUB = /^([\w.-]+\/[\w.-]+)#(\d+)$/

function sources(list: readonly string[] | undefined): string {
  if (!list) return 'no public report'
  return list
    .map((source) => {
      const [, repository, number] = ON_GITHUB.exec(source) ?? []
      if (repository === undefined) return source
      return `[${source}](https://github.com/${repository}/issues/${number})`
    })
    .join(', ')
}

/** The ids that detect a defect; ids that only warn are in brackets. */
function tellers(
  named: readonly string[],
  checks: readonly string[],
  byId: ReadonlyMap<string, Telling>,
): string {
  const of = named.flatMap((id) => byId.get(id) ?? [])
  const fails = [...new Set([...of.flatMap((fault) => fault.fails), ...checks])]
  const warns = [...new Set(of.flatMap(({ warns = [] }) => warns))].filter(
    (id) => !fails.includes(id),
  )
  return [...shortened(fails.map(code)), ...shortened(warns.map((id) => `(${code(id)})`))].join(
    ', ',
  )
}

/** Maximum number of ids that are listed; a fault that breaks much is detected by many. */
const NAMED = 6

function shortened(ids: readonly string[]): string[] {
  if (ids.length <= NAMED) return [...ids]
  return [...ids.slice(0, NAMED), `and ${ids.length - NAMED} more`]
}
