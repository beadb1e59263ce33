import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Finding } from '../../engine/explore/explore.ts'
import { moveWords } from '../../engine/model/moves.ts'
import { loadHistoryParts } from '../../engine/run/suites.ts'
import { drawn } from '../run/draw.ts'
import { openProofContext } from '../run/judge-bank.ts'
import { loadFaults, loadVariants } from '../run/load.ts'
import { groupsOf } from '../together/grouping.ts'
import { compatible, inOrder } from '../together/pairs.ts'
import { conditionedFaults } from './conditioned.ts'
import { exploreBank } from './explore-bank.ts'

/**
 * `npm run power -- --of faults --steps 500`: what explore finds at wrong banks, in this process, and at lawful ones,
 * where it may only find what their warnings announce. `--of groups`: four lawful freedoms in each bank, drawn by the
 * seed. `--of conditioned`: faults that take effect after two events, for one client, at the n-th call. `--of correct`:
 * the unaltered bank, with `--count` seeds. `--every 8 --from 3`: a part of them. `--only`: those named, a
 * group as its four ids with ` + ` between them.
 */

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'conditioned' },
    steps: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '40' },
    only: { type: 'string', multiple: true },
  },
})

type Altered = Alteration & {
  fails?: string[]
  warns?: string[]
  target?: (document: TargetDocument) => void
}

/** A bank with its alterations; a lawful bank may have several. */
interface Bank {
  id: string
  altered: Altered[]
  seed: number
}

/** Number of lawful freedoms in one bank of `--of groups`. */
const GROUP = 4

const seed = Number(values.seed)
const all = await banks(values.of)
const chosen = all.filter(({ id }, index) =>
  values.only && values.of !== 'groups'
    ? values.only.includes(id)
    : index % Number(values.every) === Number(values.from),
)
const lawful = ['variants', 'groups', 'correct'].includes(values.of)
const context = await openProofContext()
const parts = await loadHistoryParts(join(import.meta.dirname, '..', '..', 'suites'))
/** Numbers of steps within which a fault is found or not, for the columns of the table. */
const MARKS = [500, 2000, 10_000].filter((mark) => mark < Number(values.steps))
const marks = [...MARKS, Number(values.steps)]
/** Chapter of the broken sentence → the steps after which its faults were found, and the number of all of them. */
const rows = new Map<string, { found: number[]; of: number }>()
let wrong = 0
let walked = 0
const started = performance.now()
for (const bank of chosen) {
  const { found, steps, fired } = await explored(bank)
  walked += steps
  const row = rows.get(chapterOf(bank)) ?? { found: [], of: 0 }
  row.of += 1
  if (found.length > 0) row.found.push(steps)
  rows.set(chapterOf(bank), row)
  const unannounced = lawful ? found.filter((one) => !isAnnounced(one, bank)) : []
  wrong += unannounced.length
  const shown = lawful ? unannounced : found
  const said = shown.map(({ found: { id, message }, history, length }) => {
    return `${id} ${message}, ${history.length} steps of ${length}`
  })
  const word = lawful
    ? shown.length > 0
      ? 'WRONG'
      : 'ok   '
    : shown.length > 0
      ? 'found'
      : '     '
  console.log(
    `${word} ${bank.id}, ${steps} steps, showed itself ${fired} times. ${said.join('; ')}`,
  )
  for (const { history } of unannounced) {
    for (const [at, move] of history.entries()) console.log(`      ${at + 1}. ${moveWords(move)}`)
  }
}
const rate = (1000 * walked) / (performance.now() - started)
console.log(`\n${walked} steps, ${rate.toFixed(0)} in a second`)
console.log(`\n| ${values.of} | ${marks.map((mark) => `in ${mark}`).join(' | ')} | of |`)
console.log(`| --- |${' ---: |'.repeat(marks.length + 1)}`)
for (const [name, { found, of }] of [...rows].sort()) {
  const within = marks.map((mark) => found.filter((step) => step <= mark).length)
  console.log(`| ${name} | ${within.join(' | ')} | ${of} |`)
}
process.exit(wrong > 0 ? 1 : 0)

async function banks(kind: string): Promise<Bank[]> {
  const each = (altered: Altered): Bank => ({ id: altered.id, altered: [altered], seed })
  if (kind === 'conditioned') return conditionedFaults(Number(values.count), seed).map(each)
  if (kind === 'variants') return (await loadVariants()).map(each)
  // Faults that need a target file of their own are left out.
  if (kind === 'faults') return (await loadFaults()).filter(({ target }) => !target).map(each)
  if (kind === 'groups') return (await drawnGroups()).map(several)
  if (kind === 'correct') {
    return Array.from({ length: Number(values.count) }, (_, at) => ({
      ...{ id: `correct, seed ${seed + at}`, altered: [], seed: seed + at },
    }))
  }
  throw new TypeError(`--of ${kind}: faults, variants, groups, correct or conditioned`)
}

function several(altered: Altered[]): Bank {
  return { id: altered.map(({ id }) => id).join(' + '), altered, seed }
}

async function drawnGroups(): Promise<Altered[][]> {
  const all = await loadVariants()
  if (values.only) {
    const named = (group: string) => all.filter(({ id }) => group.split(' + ').includes(id))
    return values.only.map((group) => inOrder(named(group)))
  }
  const social = all.filter(({ blocks }) => blocks === undefined)
  const mixed = drawn(
    social.map((one) => [one]),
    seed,
  ).flat()
  return groupsOf(mixed, compatible, GROUP).map(inOrder)
}

async function explored(bank: Bank) {
  const stop = new AbortController()
  const found: Finding[] = []
  const limits = {
    ...{ seed: bank.seed, steps: Number(values.steps), signal: stop.signal },
    ...(lawful && { tries: 0 }),
  }
  // In the unaltered bank everything takes effect at once. A lawful variant may need time, which its target file states.
  const soon = { id: 'soon', story: '', target: settlesAtOnce }
  const { altered } = bank
  const isLawfulOther = lawful && altered.length > 0
  const result = await exploreBank(
    context,
    parts,
    isLawfulOther ? altered : [...altered, soon],
    limits,
    (one) => {
      if (!one.repeats && !lawful) return
      found.push(one)
      if (!lawful) stop.abort()
    },
  )
  const fired = altered.reduce((sum, { id }) => sum + (result.fired.get(id) ?? 0), 0)
  return { found, steps: result.steps, fired }
}

function settlesAtOnce(document: TargetDocument): void {
  document.settlingTime = 0
}

function chapterOf({ altered }: Bank): string {
  const [{ fails = [], warns = [] } = {}] = altered
  if (lawful || values.of === 'conditioned') return values.of
  const [id = ''] = [...fails, ...warns]
  return context.catalogue.owners.get(id)?.chapter ?? id
}

/** A lawful bank may get the warnings that it announces. */
function isAnnounced({ found, level }: Finding, { altered }: Bank): boolean {
  const { owners } = context.catalogue
  const warns = altered.flatMap((each) => each.warns ?? [])
  const requirementOf = (id: string) => owners.get(id)?.id ?? id
  return level === 'should' && warns.some((id) => requirementOf(id) === requirementOf(found.id))
}
