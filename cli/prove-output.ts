import { writeFileSync } from 'node:fs'
import type { Catalogue } from '../engine/catalogue/catalogue.ts'
import type { Matrix } from '../proof/matrix.ts'
import { matrixPage } from '../proof/matrix-page.ts'
import type { MutantProof } from '../proof/mutants.ts'
import type { Proof } from '../proof/prove.ts'

/** One proof, as it comes; `every` outcome but pass with it. */
export function show(
  { id, kind, judged, complaints, atFirst = [], besides }: Proof,
  n: number,
  of: number,
  every: boolean,
): void {
  const mark = complaints.length === 0 ? 'ok  ' : 'FAIL'
  const shared = besides ? `, as ${besides}` : ''
  const facts = `${judged.milliseconds} ms, ${judged.requests} requests${shared}`
  console.log(`${mark} ${String(n).padStart(String(of).length)}/${of} ${kind} ${id} (${facts})`)
  for (const complaint of complaints) console.log(`       ${complaint}`)
  if (complaints.length === 0) {
    for (const complaint of atFirst) console.log(`       at the second try; first: ${complaint}`)
  }
  if (!every) return
  for (const [check, message] of Object.entries(judged.messages)) {
    console.log(`       ${check}: ${message}`)
  }
}

/** The end of a proof: what does not hold, what is missing, the files, the exit code. */
export function conclude(
  facts: {
    seconds: number
    proofs: Proof[]
    /** Names of what was to be proven. */
    expected: string[]
    mutants?: MutantProof
    matrix?: Matrix
    catalogue: Catalogue
  },
  files: { json?: string; page?: string },
): void {
  const { seconds, proofs, expected, mutants, matrix } = facts
  const broken = proofs.filter(({ complaints }) => complaints.length > 0).length
  const made = new Set(proofs.map(({ id }) => id))
  const more = [
    ...expected.filter((id) => !made.has(id)).map((id) => `${id} was not proven`),
    ...(mutants?.complaints ?? []),
    ...(matrix ? gaps(matrix) : []),
  ]
  for (const complaint of more) console.log(`FAIL ${complaint}`)
  if (mutants) {
    console.log(
      `${mutants.made} mutants of ${mutants.recorded} answers, ${mutants.caught.size} rules caught`,
    )
  }
  console.log(`${proofs.length - broken} of ${proofs.length} proofs hold (${seconds.toFixed(1)} s)`)
  if (files.json) {
    const told = mutants && { ...mutants, caught: [...mutants.caught] }
    writeFileSync(files.json, `${JSON.stringify({ seconds, matrix, mutants: told, proofs })}\n`)
  }
  if (files.page && matrix) {
    writeFileSync(files.page, matrixPage(matrix, proofs, facts.catalogue))
  }
  process.exitCode = broken + more.length > 0 ? 1 : 0
}

/** What no fault catches, and faults that nothing catches. */
function gaps({ uncaught, harmless }: Matrix): string[] {
  return [
    ...uncaught.map((id) => `${id} can fail, but no fault and no mutant shows it`),
    ...harmless.map((id) => `nothing catches the fault ${id}`),
  ]
}
