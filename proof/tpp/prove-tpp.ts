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
  /** Complaints at the first of two tries. */
  atFirst?: string[]
  /** All ids, when several shared the client. */
  besides?: string
  under?: Circumstances
}

/** The suites and catalogue that judge TPPs. */
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

/** The right TPP, every wrong one and every lawful one. */
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

/** How a client that behaves like one or several TPPs was judged. */
interface JudgedTpp {
  results: ReadonlyMap<string, Result>
  requests: number
  milliseconds: number
  /** TPPs whose replaced decision was used. */
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
 * Proves TPPs that share a client. They hold if everything expected and nothing else occurred, and a decision of each
 * was used. If nothing unexpected occurred but some are hidden, the hidden ones are proven later and the others hold.
 * In all other cases the group is proven in parts. Freedoms that are not lawful together also get a proof that does not
 * hold.
 *
 * @param later schedules a part of the group to be proven separately.
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
  // If nothing unexpected occurred, only the hidden ones are proven again.
  if (surplusOf(group, judged).length === 0 && shown.length > 0 && shown.length < group.length) {
    later(group.filter(hidden))
    return shown.map(shared)
  }
  for (const part of partsOf(group, hidden)) later(part)
  if (kind !== 'lawful' || found.length === 0) return []
  return [{ ...proof(besides), fails: [], warns: [], complaints: found }]
}

/** What was expected but did not occur, and what occurred but was not expected. */
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

/** What occurred but was not expected, including our own errors. */
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

/** Complaints about one TPP's own description. */
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

/** Ids that can fail or warn, but no wrong TPP makes them do so. */
export function uncaught(proofs: TppProof[], { catalogue, suites }: TppJudges): string[] {
  const seen = new Set(proofs.flatMap(({ fails, warns }) => [...fails, ...warns]))
  return [...suites.scenarios, ...suites.rules]
    .map(({ id }) => id)
    .filter((id) => catalogue.owners.get(id)?.level !== 'observe' && !seen.has(id))
}
