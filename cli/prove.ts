import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { shareOut } from '../proof/crew.ts'
import { openWorkshop } from '../proof/judge-bank.ts'
import { type Matrix, matrixOf } from '../proof/matrix.ts'
import { matrixPage } from '../proof/matrix-page.ts'
import { type MutantProof, proveMutants } from '../proof/mutants.ts'
import {
  companies,
  type Job,
  type Proof,
  proofsToMake,
  proveOne,
  theCorrectBank,
  UnknownProof,
} from '../proof/prove.ts'
import { number, UsageError } from './usage.ts'

export interface ProveOptions {
  fault?: string[]
  variant?: string[]
  correct?: boolean
  /** Each fault and variant by itself, in a bank of its own. */
  alone?: boolean
  processes?: string
  json?: string
  page?: string
}

/** `assay prove`: exit code 0 when every proof holds, 1 when one does not. */
export async function prove(options: ProveOptions): Promise<void> {
  const began = Date.now()
  const whole = !options.fault && !options.variant && !options.correct
  const chosen = options.correct
    ? [theCorrectBank]
    : await proofsToMake(options.fault ?? [], options.variant ?? []).catch((error: Error) => {
        throw error instanceof UnknownProof ? new UsageError(error.message) : error
      })
  const processes = number('--processes', options.processes, 64) || availableParallelism()
  const proofs: Proof[] = []
  const done = (proof: Proof) => {
    proofs.push(proof)
    show(proof, proofs.length, chosen.length, options.correct === true)
  }
  const workshop = await openWorkshop()
  let mutants: MutantProof | undefined
  let matrix: Matrix | undefined
  try {
    if (chosen.length <= 3) {
      for (const { kind, expected } of chosen) done(await proveOne(workshop, kind, expected))
    } else {
      await shareOut(await jobsFor(chosen, whole && !options.alone), processes, done)
    }
    if (whole) {
      mutants = await proveMutants(workshop)
      matrix = matrixOf(proofs, workshop.suites, workshop.catalogue, mutants.caught)
    }
  } finally {
    await workshop.directory.close()
  }

  const seconds = (Date.now() - began) / 1000
  const broken = proofs.filter(({ complaints }) => complaints.length > 0).length
  const more = [...(mutants?.complaints ?? []), ...(matrix ? gaps(matrix) : [])]
  for (const complaint of more) console.log(`FAIL ${complaint}`)
  if (mutants) {
    console.log(
      `${mutants.made} mutants of ${mutants.recorded} answers, ${mutants.caught.size} rules caught`,
    )
  }
  console.log(`${proofs.length - broken} of ${chosen.length} proofs hold (${seconds.toFixed(1)} s)`)
  if (options.json) {
    const made = mutants && { ...mutants, caught: [...mutants.caught] }
    writeFileSync(options.json, `${JSON.stringify({ seconds, matrix, mutants: made, proofs })}\n`)
  }
  if (options.page && matrix) {
    writeFileSync(options.page, matrixPage(matrix, proofs, workshop.catalogue))
  }
  process.exitCode = broken + more.length > 0 || proofs.length < chosen.length ? 1 : 0
}

async function jobsFor(
  chosen: Awaited<ReturnType<typeof proofsToMake>>,
  shared: boolean,
): Promise<Job[]> {
  if (!shared) return chosen.map(({ kind, expected }) => ({ kind, ids: [expected.id] }))
  const { seed, jobs } = await companies()
  console.log(`${jobs.length} banks; variants are paired with seed ${seed}`)
  return jobs
}

/** What no fault catches, and faults that nothing catches. */
function gaps({ uncaught, harmless }: Matrix): string[] {
  return [
    ...uncaught.map((id) => `${id} can fail, but no fault and no mutant shows it`),
    ...harmless.map((id) => `nothing catches the fault ${id}`),
  ]
}

function show(
  { id, kind, judged, complaints, besides }: Proof,
  n: number,
  of: number,
  all: boolean,
): void {
  const mark = complaints.length === 0 ? 'ok  ' : 'FAIL'
  const shared = besides ? `, as ${besides}` : ''
  const facts = `${judged.milliseconds} ms, ${judged.requests} requests${shared}`
  console.log(`${mark} ${String(n).padStart(String(of).length)}/${of} ${kind} ${id} (${facts})`)
  for (const complaint of complaints) console.log(`       ${complaint}`)
  if (!all) return
  for (const [check, message] of Object.entries(judged.messages)) {
    console.log(`       ${check}: ${message}`)
  }
}
