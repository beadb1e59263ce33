import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createDirectory, type Directory } from '../../bank/directory/directory.ts'
import { type Catalogue, loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { certify } from '../../engine/certification/certify.ts'
import { type Customers, openCustomers } from '../../engine/certification/customer.ts'
import { GOALS, type Goal } from '../../engine/certification/scenario.ts'
import { loadTppSuites, type TppSuites } from '../../engine/certification/suite.ts'
import type { Result } from '../../engine/judge/results.ts'
import type { Circumstances } from '../run/circumstances.ts'
import { partsOf } from '../together/grouping.ts'
import { createBankHost } from './bank-host.ts'
import { inProcess } from './in-process.ts'
import lawful from './lawful.ts'
import { conductOf } from './shared-conduct.ts'
import type { ProvenTpp } from './tpp-proof.ts'

export interface TppProof {
  id: string
  kind: 'right' | 'wrong' | 'lawful'
  fails: string[]
  warns: string[]
  requests: number
  milliseconds: number
  complaints: string[]
  /** What did not hold at the first of two tries. */
  atFirst?: string[]
  /** All ids, where others shared the client. */
  besides?: string
  under?: Circumstances
}

/** What TPPs are judged by. */
export interface TppJudges {
  catalogue: Catalogue
  suites: TppSuites
}

/** What every proof of a process shares. */
export interface TppProofContext extends TppJudges {
  directory: Directory
  customers: Customers
  close(): Promise<void>
}

export async function loadTppProofs(): Promise<TppJudges> {
  const catalogue = loadCatalogue(undefined, 'TPP')
  const folder = join(import.meta.dirname, '..', '..', 'suites', 'tpp')
  return { catalogue, suites: await loadTppSuites(folder, catalogue) }
}

export async function openTppProofs(): Promise<TppProofContext> {
  const { catalogue, suites } = await loadTppProofs()
  const directory = await createDirectory()
  const customers = await openCustomers()
  return {
    catalogue,
    suites,
    directory,
    customers,
    async close() {
      await customers.close()
      await directory.close()
    },
  }
}

/** The right one, every wrong one and every lawful one. */
export async function tppsToProve(): Promise<{ kind: TppProof['kind']; tpp: ProvenTpp }[]> {
  const right: ProvenTpp = {
    id: 'reference-tpp',
    story: 'The reference TPP as it is.',
    conduct: {},
  }
  const wrong = await wrongTpps()
  return [
    { kind: 'right' as const, tpp: right },
    ...wrong.map((tpp) => ({ kind: 'wrong' as const, tpp })),
    ...lawful.map((tpp) => ({ kind: 'lawful' as const, tpp })),
  ]
}

async function wrongTpps(): Promise<ProvenTpp[]> {
  const folder = join(import.meta.dirname, 'wrong')
  const files = readdirSync(folder).filter((name) => /(?<!\.d)\.[jt]s$/.test(name))
  const all: ProvenTpp[] = []
  for (const file of files.sort()) {
    const module = (await import(pathToFileURL(join(folder, file)).href)) as {
      default: ProvenTpp[]
    }
    all.push(...module.default)
  }
  return all
}

/** How a client was judged that does what one TPP does, or several. */
interface JudgedTpp {
  results: ReadonlyMap<string, Result>
  requests: number
  milliseconds: number
  /** TPPs of which a decision was asked for. */
  taken: ReadonlySet<string>
}

async function judgeTpps(context: TppProofContext, tpps: ProvenTpp[]): Promise<JudgedTpp> {
  const started = performance.now()
  const { catalogue, suites, directory, customers } = context
  const host = await createBankHost({ directory })
  const taken = new Set<string>()
  const client = inProcess(conductOf(tpps, (id) => taken.add(id)))
  const { results, requests } = await certify({
    suites,
    catalogue,
    host,
    client,
    customers,
    goals: (tpps[0]?.goals ?? Object.keys(GOALS)) as Goal[],
    // Some of them wait.
    parallel: 8,
    patience: 0,
  })
  return { results, requests, milliseconds: Math.round(performance.now() - started), taken }
}

/**
 * Proves those who share a client: together when all that was expected of each came and nothing else, and a
 * decision of each was asked for. Those that others hid are proven by themselves; the rest holds, where nothing
 * else came. What holds in neither way is proven in parts. Freedoms that are not lawful together are a proof
 * of their own, which does not hold.
 *
 * @param later takes down a part of the group that is to be proven by itself.
 */
export async function proveTpps(
  context: TppProofContext,
  kind: TppProof['kind'],
  group: ProvenTpp[],
  later: (part: ProvenTpp[]) => void,
): Promise<TppProof[]> {
  const judged = await judgeTpps(context, group)
  const { requests, milliseconds, taken } = judged
  const found = complaintsOf(group, judged)
  const proof = (id: string) => ({ id, kind, requests, milliseconds })
  const [only] = group
  if (only && group.length === 1) {
    const of = (outcome: Result['outcome']) => idsOf(judged.results, outcome)
    const complaints = [...found, ...ownComplaints(context, kind, only, judged)]
    return [{ ...proof(only.id), fails: of('fail'), warns: of('warn'), complaints }]
  }
  const besides = group.map(({ id }) => id).join(' + ')
  const shared = ({ id, fails = [], warns = [] }: ProvenTpp): TppProof => {
    return { ...proof(id), fails, warns, complaints: [], besides }
  }
  const came = [...idsOf(judged.results, 'fail'), ...idsOf(judged.results, 'warn')]
  const hidden = ({ id, fails = [], warns = [] }: ProvenTpp) =>
    !taken.has(id) || ![...fails, ...warns].every((each) => came.includes(each))
  const shown = group.filter((tpp) => !hidden(tpp))
  if (shown.length === group.length && found.length === 0) return group.map(shared)
  // What others hid is proven by itself; the rest holds, where nothing else came.
  if (surplusOf(group, judged).length === 0 && shown.length > 0 && shown.length < group.length) {
    later(group.filter(hidden))
    return shown.map(shared)
  }
  for (const part of partsOf(group, hidden)) later(part)
  if (kind !== 'lawful' || found.length === 0) return []
  return [{ ...proof(besides), fails: [], warns: [], complaints: found }]
}

/** What came and was not expected of any of them, and the other way round. */
function complaintsOf(group: ProvenTpp[], judged: JudgedTpp): string[] {
  const missing = WORDS.flatMap(([word, outcome]) =>
    expectedOf(group, word)
      .filter((id) => !idsOf(judged.results, outcome).includes(id))
      .map((id) => {
        const is = judged.results.get(id)?.outcome
        return `${word}: ${id} was expected, it is ${is}: ${said(id, judged)}`
      }),
  )
  return [...missing, ...surplusOf(group, judged)]
}

/** What came and was not expected of any of them, our own errors among it. */
function surplusOf(group: ProvenTpp[], judged: JudgedTpp): string[] {
  const surplus = WORDS.flatMap(([word, outcome]) =>
    idsOf(judged.results, outcome)
      .filter((id) => !expectedOf(group, word).includes(id))
      .map((id) => `${word}: ${id} was not expected: ${said(id, judged)}`),
  )
  const errors = idsOf(judged.results, 'error').map((id) => `error in ${id}: ${said(id, judged)}`)
  return [...surplus, ...errors]
}

const WORDS = [
  ['fails', 'fail'],
  ['warns', 'warn'],
] as const

const expectedOf = (group: ProvenTpp[], word: 'fails' | 'warns') =>
  group.flatMap((tpp) => tpp[word] ?? [])

function said(id: string, { results }: JudgedTpp): string {
  const { message, actual } = results.get(id) ?? {}
  return `${message ?? 'not judged'}${actual ? ` (${actual})` : ''}`
}

/** What one TPP says of itself, and does not hold. */
function ownComplaints(
  { suites }: TppProofContext,
  kind: TppProof['kind'],
  { id, fails = [], warns = [], because, stops }: ProvenTpp,
  { results, taken }: JudgedTpp,
): string[] {
  const named = fails.length + warns.length
  const control = suites.scenarios.find((scenario) => scenario.control)
  const reads = results.get(control?.id ?? '')?.outcome === 'pass'
  const otherwise = [...results.values()]
    .filter(({ outcome }) => outcome !== 'pass' && outcome !== 'observed')
    .map((each) => `${each.id} is ${each.outcome}`)
  const said: [broken: boolean, why: string][] = [
    [named > 3 && !because, 'more than three ids need a reason'],
    [kind === 'wrong' && named === 0, 'a wrong TPP names what catches it'],
    [kind !== 'right' && !taken.has(id), 'what it decides otherwise was never asked for'],
    [kind === 'right' && otherwise.length > 0, `judged otherwise than passed: ${otherwise}`],
    [!reads && !stops, 'it does not read from the correct bank: `stops: true` says so'],
    [reads && stops === true, 'it reads from the correct bank, and `stops` denies it'],
  ]
  return said.filter(([broken]) => broken).map(([, why]) => why)
}

const idsOf = (results: ReadonlyMap<string, Result>, wanted: Result['outcome']) =>
  [...results.values()].filter(({ outcome }) => outcome === wanted).map(({ id }) => id)

/** What can fail or warn, and no wrong TPP shows it. */
export function uncaught(proofs: TppProof[], { catalogue, suites }: TppJudges): string[] {
  const seen = new Set(proofs.flatMap(({ fails, warns }) => [...fails, ...warns]))
  return [...suites.scenarios, ...suites.rules]
    .map(({ id }) => id)
    .filter((id) => catalogue.owners.get(id)?.level !== 'observe' && !seen.has(id))
}
