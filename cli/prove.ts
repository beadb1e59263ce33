import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { isObject } from '../engine/record/json.ts'
import { say, shown } from '../engine/report/terminal.ts'
import { drawOfCommit } from '../proof/clock/moments.ts'
import { type Matrix, matrixOf } from '../proof/matrix/matrix.ts'
import { matrixPage } from '../proof/matrix/matrix-page.ts'
import type { Circumstances } from '../proof/run/circumstances.ts'
import {
  type Alterations,
  about,
  amongOthers,
  CORRECT,
  drawsOf,
  type Job,
  loadAlterations,
  mixedJobs,
  named,
  SEED,
  UnknownProof,
  wholeProof,
} from '../proof/run/jobs.ts'
import { openProofContext } from '../proof/run/judge-bank.ts'
import { proveMutants } from '../proof/run/mutants.ts'
import { type Proof, proveOne } from '../proof/run/prove.ts'
import { runInWorkers, spread } from '../proof/run/share-proofs.ts'
import { type CircumstanceOptions, circumstancesOf } from './circumstances.ts'
import { allHold, processes, show, writeMatrix } from './prove-output.ts'
import { number, UsageError } from './usage.ts'

export interface ProveOptions {
  fault?: string[]
  variant?: string[]
  check?: string[]
  chapter?: string[]
  correct?: boolean
  /** Each fault and variant alone in its own bank; each TPP alone in its own client. */
  alone?: boolean
  processes?: string
  /** Every cell of each table, not only the drawn ones. */
  exhaustive?: boolean
  json?: string
  page?: string
  /** Number of faults, each combined with a freedom of its chapter, or `all`. */
  mixed?: string
  /** How many times groups of freedoms that share a bank are drawn. */
  draws?: string
  seed?: string
  /** `1/4`: the first of four parts of the whole proof. */
  shard?: string
  /** Files that the shards wrote. */
  merge?: string[]
}

type Options = ProveOptions & CircumstanceOptions

/** `assay prove`: exit code 0 when every proof holds, 1 when one does not. */
export async function prove(options: Options): Promise<void> {
  const began = Date.now()
  const all = await loadAlterations()
  const circumstances = circumstancesOf(options)
  const jobs = spread(jobsFor(options, all), circumstances)
  const expected = jobs.flatMap(({ ids }) => ids)
  const proofs: Proof[] = options.merge ? options.merge.flatMap(proofsIn) : []
  const done = (proof: Proof) => {
    proofs.push(proof)
    show({ ...proof.judged, ...proof }, proofs.length, expected.length)
    if (!options.correct) return
    for (const [check, message] of Object.entries(proof.judged.messages)) {
      say(shown`       ${check}: ${message}`)
    }
  }
  const whole = isWhole(options) && options.shard === undefined
  // The whole proof has both sides: wrong and lawful TPPs prove the checks that judge TPPs.
  const tpps = whole && !options.merge ? await wholeTppProof(options, circumstances) : undefined
  // Proofs in other processes need no bank in this process.
  const context = options.correct || whole ? await openProofContext() : undefined
  try {
    const inWorkers = async () => {
      if (options.correct || options.merge) return
      const again = (ids: string[], round: number) =>
        spread(amongOthers(all, ids, round), circumstances)
      await runInWorkers({ jobs, done, again }, tpps, processes(options))
    }
    const inThisProcess = async () => {
      if (!context) return
      if (options.correct) return void done(await proveOne(context, 'correct', CORRECT))
      return proveMutants(context)
    }
    const [mutants] = await Promise.all([inThisProcess(), inWorkers()])
    const matrix =
      mutants && context && matrixOf(proofs, context.suites, context.catalogue, mutants.caught)
    const made = new Set(proofs.map(({ id }) => id))
    const more = [
      ...expected.filter((id) => !made.has(id)).map((id) => `${id} was not proven`),
      ...(mutants?.complaints ?? []),
      ...(matrix ? gaps(matrix) : []),
    ]
    for (const complaint of more) say(shown`FAIL ${complaint}`)
    if (mutants) {
      const { made, recorded, caught } = mutants
      say(shown`${made} mutants of ${recorded} answers, ${caught.size} rules caught`)
    }
    const hold = allHold('banks', proofs, began) && more.length === 0
    const tppsHold = tpps?.finish(began) ?? true
    process.exitCode = hold && tppsHold ? 0 : 1
    if (options.json) {
      const seconds = (Date.now() - began) / 1000
      const told = mutants && { ...mutants, caught: [...mutants.caught] }
      writeFileSync(options.json, `${JSON.stringify({ seconds, matrix, mutants: told, proofs })}\n`)
    }
    if (options.page && matrix && context) {
      writeMatrix(options.page, 'banks.md', matrixPage(matrix, proofs, context.catalogue))
    }
  } finally {
    await context?.directory.close()
  }
}

async function wholeTppProof({ alone, page }: ProveOptions, circumstances: Circumstances[]) {
  const { openTppProof } = await import('./prove-tpp.ts')
  const proof = await openTppProof([], { alone, page })
  return { ...proof, jobs: spread(proof.jobs, circumstances) }
}

/** Checks that no fault triggers, and faults that no check catches. */
function gaps({ uncaught, harmless }: Matrix): string[] {
  return [
    ...uncaught.map((id) => `${id} can fail, but no fault and no mutant shows it`),
    ...harmless.map((id) => `nothing catches the fault ${id}`),
  ]
}

/** Is it the whole proof, at once or in parts? */
function isWhole(options: ProveOptions): boolean {
  const { fault, variant, check, chapter, correct, mixed, draws } = options
  return [fault, variant, check, chapter, correct, mixed, draws].every((part) => part === undefined)
}

function jobsFor(options: Options, all: Alterations): Job[] {
  const { fault = [], variant = [], check = [], chapter = [], mixed } = options
  if (options.correct) return [{ kind: 'correct', ids: [CORRECT.id] }]
  if (mixed !== undefined) {
    const count = mixed === 'all' ? Number.POSITIVE_INFINITY : number('--mixed', mixed, 100_000)
    const seed = number('--seed', options.seed, 2 ** 32 - 1) ?? randomInt(2 ** 32)
    const jobs = mixedJobs(all, count ?? 0, seed, options.alone)
    const pairs = jobs.flatMap(({ ids }) => ids)
    say(shown`${pairs.length} faults, each with a freedom of its chapter: --seed ${seed}`)
    return sharded(jobs, options.shard)
  }
  if (options.draws !== undefined) {
    const draws = number('--draws', options.draws, 10_000) ?? 0
    const seed = number('--seed', options.seed, 2 ** 32 - 1) ?? randomInt(2 ** 32)
    const jobs = drawsOf(all, draws, seed)
    say(shown`${jobs.length} banks of several freedoms each: --seed ${seed}`)
    return sharded(jobs, options.shard)
  }
  if (isWhole(options)) {
    const seed = number('--seed', options.seed, 2 ** 32 - 1) ?? SEED
    const draw = options.exhaustive ? 'all' : drawOf(options)
    const jobs = sharded(wholeProof(all, seed, options.alone, draw), options.shard)
    say(shown`${jobs.length} banks, drawn with --seed ${seed}`)
    return jobs
  }
  const { owners, requirements } = loadCatalogue()
  const chapterOf = (id: string) => (owners.get(id) ?? requirements.get(id))?.chapter
  try {
    const near = check.length + chapter.length > 0 ? about(all, check, chapter, chapterOf) : []
    return sharded([...near, ...named(all, fault, variant)], options.shard)
  } catch (error) {
    throw error instanceof UnknownProof ? new UsageError(error.message) : error
  }
}

/** The draw of cells: from the options, else from the commit, so that each commit proves other cells. */
function drawOf({ seed, moments }: Options): number {
  return number('--seed', seed, 2 ** 32 - 1) ?? (moments ? drawOfCommit() : SEED)
}

/** Every nth job, starting at the shard's number: neighbouring jobs in the list are expensive together. */
function sharded(jobs: Job[], shard: string | undefined): Job[] {
  if (shard === undefined) return jobs
  const [, part, of] = /^(\d+)\/(\d+)$/.exec(shard)?.map(Number) ?? []
  if (!part || !of || part > of) throw new UsageError(`--shard is 1/4, 2/4, …, not ${shard}`)
  return jobs.filter((_, index) => index % of === part - 1)
}

function proofsIn(file: string): Proof[] {
  try {
    const { proofs } = JSON.parse(readFileSync(file, 'utf8')) as { proofs?: Partial<Proof>[] }
    const isProof = ({ id, judged, complaints }: Partial<Proof>) =>
      typeof id === 'string' &&
      isObject(judged) &&
      isObject(judged.messages) &&
      [judged.fails, judged.warns, judged.blocks, judged.errors, complaints].every(Array.isArray)
    if (proofs?.every(isProof)) return proofs as Proof[]
    throw new Error('it is not what assay prove --json wrote')
  } catch (error) {
    throw new UsageError(`--merge ${file}: ${(error as Error).message}`)
  }
}
