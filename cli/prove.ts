import { openWorkshop, proofsToMake, proveOne } from '../proof/prove.ts'

/** `assay prove`: exit code 0 when every proof holds, 1 when one does not. */
export async function prove(options: {
  fault?: string[]
  variant?: string[]
  correct?: boolean
}): Promise<void> {
  const workshop = await openWorkshop()
  const all = await proofsToMake(options.fault ?? [], options.variant ?? [])
  const chosen = options.correct ? all.filter(({ kind }) => kind === 'correct') : all
  let broken = 0
  for (const { kind, expected } of chosen) {
    const proof = await proveOne(workshop, kind, expected)
    const { judged, complaints } = proof
    if (complaints.length > 0) broken += 1
    console.log(
      `${complaints.length === 0 ? 'ok  ' : 'FAIL'} ${kind} ${expected.id} (${judged.milliseconds} ms, ${judged.requests} requests, fired ${judged.fired})`,
    )
    for (const complaint of complaints) console.log(`     ${complaint}`)
    if (kind === 'correct') {
      for (const [id, message] of Object.entries(judged.messages))
        console.log(`     ${id}: ${message}`)
    }
  }
  console.log(`${chosen.length - broken} of ${chosen.length} proofs hold`)
  process.exitCode = broken > 0 ? 1 : 0
}
