import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createDirectory, type Directory } from '../../bank/directory.ts'
import { type Catalogue, loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { certify } from '../../engine/certification/certify.ts'
import { type Customers, openCustomers } from '../../engine/certification/customer.ts'
import { GOALS, type Goal } from '../../engine/certification/scenario.ts'
import { loadTppSuites, type TppSuites } from '../../engine/certification/suite.ts'
import { verdictOf } from '../../engine/judge/results.ts'
import { createBankHost } from './bank-host.ts'
import { conductWith } from './conduct.ts'
import { inProcess } from './in-process.ts'
import lawful from './lawful.ts'
import type { ProvenTpp } from './tpp-proof.ts'

export interface TppProof {
  id: string
  kind: 'right' | 'wrong' | 'lawful'
  fails: string[]
  warns: string[]
  exitCode: number
  requests: number
  milliseconds: number
  complaints: string[]
  /** What did not hold at the first of two tries. */
  atFirst?: string[]
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

/** Certifies one TPP, and compares what came with what was expected of it. */
export async function proveTpp(
  context: TppProofContext,
  { kind, tpp }: { kind: TppProof['kind']; tpp: ProvenTpp },
): Promise<TppProof> {
  const started = performance.now()
  const { catalogue, suites, directory, customers } = context
  const host = await createBankHost({ directory })
  const client = inProcess(conductWith(tpp.conduct))
  const { results, requests } = await certify({
    suites,
    catalogue,
    host,
    client,
    customers,
    goals: (tpp.goals ?? Object.keys(GOALS)) as Goal[],
    // Some of them wait.
    parallel: 8,
    patience: 0,
  })
  const of = (outcome: string) =>
    [...results.values()].filter((each) => each.outcome === outcome).map(({ id }) => id)
  const said = (id: string) => {
    const { message, actual } = results.get(id) ?? {}
    return `${message ?? 'not judged'}${actual ? ` (${actual})` : ''}`
  }
  const compare = (word: string, expected: string[], actual: string[]) => [
    ...expected
      .filter((id) => !actual.includes(id))
      .map((id) => `${word}: ${id} was expected, it is ${results.get(id)?.outcome}: ${said(id)}`),
    ...actual
      .filter((id) => !expected.includes(id))
      .map((id) => `${word}: ${id} was not expected: ${said(id)}`),
  ]
  const { fails = [], warns = [], because } = tpp
  const complaints = [
    ...compare('fails', fails, of('fail')),
    ...compare('warns', warns, of('warn')),
    ...of('error').map((id) => `error in ${id}: ${said(id)}`),
    ...(fails.length + warns.length > 3 && !because ? ['more than three ids need a reason'] : []),
    ...(kind === 'wrong' && fails.length + warns.length === 0
      ? ['a wrong TPP names what catches it']
      : []),
  ]
  return {
    id: tpp.id,
    kind,
    fails: of('fail'),
    warns: of('warn'),
    exitCode: verdictOf(results.values()).exitCode,
    requests,
    milliseconds: Math.round(performance.now() - started),
    complaints,
  }
}

/** The proof of a TPP whose process is gone. */
export function lostProof(id: string, kind: TppProof['kind'], why: string): TppProof {
  return {
    id,
    kind,
    fails: [],
    warns: [],
    exitCode: 5,
    requests: 0,
    milliseconds: 0,
    complaints: [why],
  }
}

/** What can fail or warn, and no wrong TPP shows it. */
export function uncaught(proofs: TppProof[], { catalogue, suites }: TppJudges): string[] {
  const seen = new Set(proofs.flatMap(({ fails, warns }) => [...fails, ...warns]))
  return [...suites.scenarios, ...suites.rules]
    .map(({ id }) => id)
    .filter((id) => catalogue.owners.get(id)?.level !== 'observe' && !seen.has(id))
}
