import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { say, shown, shownLines } from '../engine/report/terminal.ts'
import { CHAOS } from '../proof/chaos/prove-chaos.ts'
import { type ChaosProof, proveRuns } from '../proof/chaos/prove-runs.ts'
import { STARVED } from '../proof/chaos/prove-starved.ts'
import { number } from './usage.ts'

interface ChaosOptions {
  /** How many seeds of runs in which something fails, or of runs with scarce resources. */
  chaos?: string
  starved?: string
  /** The first seed. */
  seed?: string
  processes?: string
  json?: string
}

/** `assay prove --chaos 100`, `assay prove --starved 200`: exit code 0 when every run ends as it should, else 1. */
export async function proveChaosOnly(options: ChaosOptions): Promise<void> {
  const began = Date.now()
  const disturbance = options.chaos ? CHAOS : STARVED
  const count =
    number('--chaos', options.chaos, 100_000) ?? number('--starved', options.starved, 100_000) ?? 1
  const first = number('--seed', options.seed, 1e9) ?? 1
  const processes = number('--processes', options.processes, 64) ?? availableParallelism()
  const seeds = Array.from({ length: count }, (_, index) => first + index)
  let done = 0
  const tell = ({ words, exit, complaints, said = '' }: ChaosProof) => {
    done += 1
    const word = complaints.length === 0 ? 'ok  ' : 'FAIL'
    say(shown`${word}  ${done}/${count} ${words} (exit ${exit ?? 'by a signal'})`)
    for (const complaint of complaints) say(shown`      ${complaint}`)
    if (complaints.length > 0) say(shownLines(said.slice(-1500)))
  }
  const proofs = await proveRuns(disturbance, seeds, processes, tell)
  const held = proofs.filter(({ complaints }) => complaints.length === 0).length
  const seconds = ((Date.now() - began) / 1000).toFixed(0)
  say(shown`${held} of ${proofs.length} runs end as they should in trouble (${seconds} s)`)
  process.exitCode = held === proofs.length ? 0 : 1
  if (options.json) writeFileSync(options.json, `${JSON.stringify(proofs)}\n`)
}
