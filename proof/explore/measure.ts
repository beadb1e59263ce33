import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Finding } from '../../engine/explore/explore.ts'
import { loadHistoryParts } from '../../engine/run/suites.ts'
import { openProofContext } from '../run/judge-bank.ts'
import { loadFaults, loadVariants } from '../run/load.ts'
import { conditionedFaults } from './conditioned.ts'
import { exploreBank } from './explore-bank.ts'

/**
 * `npm run power -- --of faults --steps 500`: what explore finds at wrong banks, each in this process, and at lawful
 * ones, where it must find nothing but what their warnings announce. `--of conditioned` draws faults that show after two
 * events, for one client, at the n-th call. `--every 8 --from 3`: a part of them. `--only` names some.
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

type Bank = Alteration & {
  fails?: string[]
  warns?: string[]
  target?: (document: TargetDocument) => void
}

const seed = Number(values.seed)
const all = await banks(values.of)
const chosen = all.filter(({ id }, index) =>
  values.only ? values.only.includes(id) : index % Number(values.every) === Number(values.from),
)
const lawful = values.of === 'variants'
const context = await openProofContext()
const parts = await loadHistoryParts(join(import.meta.dirname, '..', '..', 'suites'))
/** Chapter of what is broken → how many of its faults were found, of how many. */
const rows = new Map<string, { found: number; of: number }>()
let wrong = 0
for (const bank of chosen) {
  const { found, steps, fired } = await explored(bank)
  const row = rows.get(chapterOf(bank)) ?? { found: 0, of: 0 }
  row.of += 1
  if (found.length > 0) row.found += 1
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
}
console.log(`\n| ${values.of} | found | of |\n| --- | --- | --- |`)
for (const [name, { found, of }] of [...rows].sort()) console.log(`| ${name} | ${found} | ${of} |`)
process.exit(wrong > 0 ? 1 : 0)

async function banks(kind: string): Promise<Bank[]> {
  if (kind === 'conditioned') return conditionedFaults(Number(values.count), seed)
  if (kind === 'variants') return loadVariants()
  // What needs a target file of its own is no history.
  if (kind === 'faults') return (await loadFaults()).filter(({ target }) => !target)
  throw new TypeError(`--of ${kind}: faults, variants or conditioned`)
}

async function explored(bank: Bank) {
  const stop = new AbortController()
  const found: Finding[] = []
  const limits = { seed, steps: Number(values.steps), tries: lawful ? 0 : 30, signal: stop.signal }
  // A wrong bank's ends take effect at once; a lawful one takes the time that its target file says.
  const soon = { id: 'soon', story: '', target: endsAtOnce }
  const result = await exploreBank(
    context,
    parts,
    lawful ? [bank] : [bank, soon],
    limits,
    (one) => {
      if (!one.repeats && !lawful) return
      found.push(one)
      if (!lawful) stop.abort()
    },
  )
  return { found, steps: result.steps, fired: result.fired.get(bank.id) ?? 0 }
}

function endsAtOnce(document: TargetDocument): void {
  document.settlingTime = 0.1
}

function chapterOf({ fails = [], warns = [] }: Bank): string {
  if (lawful || values.of === 'conditioned') return values.of
  const [id = ''] = [...fails, ...warns]
  return context.catalogue.owners.get(id)?.chapter ?? id
}

/** A lawful bank may warn of what its own warnings say. */
function isAnnounced({ found, level }: Finding, { warns = [] }: Bank): boolean {
  const { owners } = context.catalogue
  const requirementOf = (id: string) => owners.get(id)?.id ?? id
  return level === 'should' && warns.some((id) => requirementOf(id) === requirementOf(found.id))
}
