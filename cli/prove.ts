import { availableParallelism } from 'node:os'
import { shareOut } from '../proof/crew.ts'
import { openWorkshop } from '../proof/judge-bank.ts'
import { type Proof, proofsToMake, proveOne } from '../proof/prove.ts'

export interface ProveOptions {
  fault?: string[]
  variant?: string[]
  correct?: boolean
  processes?: string
}

/** `assay prove`: exit code 0 when every proof holds, 1 when one does not. */
export async function prove(options: ProveOptions): Promise<void> {
  const began = Date.now()
  const all = await proofsToMake(options.fault ?? [], options.variant ?? [])
  const chosen = options.correct ? all.filter(({ kind }) => kind === 'correct') : all
  const proofs: Proof[] = []
  const done = (proof: Proof) => {
    proofs.push(proof)
    show(proof, proofs.length, chosen.length, options.correct === true)
  }
  if (chosen.length <= 3) {
    const workshop = await openWorkshop()
    for (const { kind, expected } of chosen) done(await proveOne(workshop, kind, expected))
    await workshop.directory.close()
  } else {
    const processes = Number(options.processes) || availableParallelism()
    const jobs = chosen.map(({ kind, expected }) => ({ kind, id: expected.id }))
    await shareOut(jobs, processes, done)
  }
  const broken = proofs.filter(({ complaints }) => complaints.length > 0)
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  console.log(`${proofs.length - broken.length} of ${chosen.length} proofs hold (${seconds} s)`)
  process.exitCode = broken.length > 0 || proofs.length < chosen.length ? 1 : 0
}

function show({ id, kind, judged, complaints }: Proof, n: number, of: number, all: boolean): void {
  const mark = complaints.length === 0 ? 'ok  ' : 'FAIL'
  const facts = `${judged.milliseconds} ms, ${judged.requests} requests`
  console.log(`${mark} ${String(n).padStart(String(of).length)}/${of} ${kind} ${id} (${facts})`)
  for (const complaint of complaints) console.log(`       ${complaint}`)
  if (!all) return
  for (const [check, message] of Object.entries(judged.messages))
    console.log(`       ${check}: ${message}`)
}
