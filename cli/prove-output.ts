import { availableParallelism } from 'node:os'
import { number } from './usage.ts'

/** What is said of a proof, of banks and of TPPs alike. */
interface Shown {
  kind: string
  id: string
  milliseconds: number
  requests: number
  complaints: string[]
  /** What did not hold at the first of two tries. */
  atFirst?: string[]
  /** All ids, where others shared the bank or client. */
  besides?: string
}

const INDENT = ' '.repeat(7)

/** One proof, as it comes. */
export function show(proof: Shown, n: number, of: number): void {
  const { kind, id, milliseconds, requests, complaints, atFirst = [], besides } = proof
  const place = `${String(n).padStart(String(of).length)}/${of}`
  const shared = besides ? `, as ${besides}` : ''
  const mark = complaints.length === 0 ? 'ok  ' : 'FAIL'
  console.log(`${mark} ${place} ${kind} ${id} (${milliseconds} ms, ${requests} requests${shared})`)
  for (const complaint of complaints) console.log(`${INDENT}${complaint}`)
  if (complaints.length > 0) return
  for (const complaint of atFirst) console.log(`${INDENT}at the second try; first: ${complaint}`)
}

/** How many of them hold is said, and how long it took since `began`, milliseconds; whether all do. */
export function allHold(
  of: 'banks' | 'TPPs',
  proofs: Pick<Shown, 'complaints'>[],
  began: number,
): boolean {
  const holds = proofs.filter(({ complaints }) => complaints.length === 0).length
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  console.log(`${holds} of ${proofs.length} proofs of ${of} hold (${seconds} s)`)
  return holds === proofs.length
}

/** How many prove at once; two more than processors, as now and then each waits for something. */
export function processes(options: { processes?: string }): number {
  return number('--processes', options.processes, 64) || availableParallelism() + 2
}
