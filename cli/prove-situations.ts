import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { say, shown } from '../engine/report/terminal.ts'
import { firstScreensPage } from '../proof/situations/first-screens.ts'
import {
  proveSituations,
  SITUATIONS,
  type SituationProof,
} from '../proof/situations/prove-situations.ts'
import { situationsPage } from '../proof/situations/situations-page.ts'
import { writeMatrix } from './prove-output.ts'
import { called, number } from './usage.ts'

interface SituationOptions {
  /** Ids; `true` means all. */
  situations: string[] | true
  processes?: string
  json?: string
  page?: string
}

/** `assay prove --situations`: exit code 0 when run and doctor handle each situation as they should, else 1. */
export async function proveSituationsOnly(options: SituationOptions): Promise<void> {
  const began = Date.now()
  const chosen =
    options.situations === true
      ? SITUATIONS
      : options.situations.map((id) => called('situation', SITUATIONS, id))
  const processes = number('--processes', options.processes, 64) ?? availableParallelism()
  let done = 0
  const tell = ({ situation, taken, complaints }: SituationProof) => {
    done += 1
    const word = complaints.length === 0 ? 'ok  ' : 'FAIL'
    const said = `run ${taken.run.exit}, doctor ${taken.doctor.exit}, ${taken.run.whose ?? 'no cause'}`
    say(shown`${word}  ${done}/${chosen.length} ${situation.kind} ${situation.id} (${said})`)
    for (const complaint of complaints) say(shown`      ${complaint}`)
  }
  const proofs = await proveSituations(chosen, processes, tell)
  const held = proofs.filter(({ complaints }) => complaints.length === 0).length
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  say(shown`${held} of ${proofs.length} situations are taken as they should be (${seconds} s)`)
  process.exitCode = held === proofs.length ? 0 : 1
  if (options.json) writeFileSync(options.json, `${JSON.stringify(proofs)}\n`)
  if (!options.page) return
  writeMatrix(options.page, 'situations.md', situationsPage(proofs))
  writeMatrix(options.page, 'first-screens.md', firstScreensPage(proofs))
}
