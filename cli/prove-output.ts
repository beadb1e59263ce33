import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { makeFolder } from '../engine/record/make-folder.ts'
import { say, shown } from '../engine/report/terminal.ts'
import type { Circumstances } from '../proof/run/circumstances.ts'
import { number } from './usage.ts'

/** What is printed about a proof of a bank or a TPP. */
interface Shown {
  kind: string
  id: string
  milliseconds: number
  requests: number
  complaints: string[]
  /** Complaints at the first of two tries. */
  atFirst?: string[]
  /** All ids, when several alterations share the bank or client. */
  besides?: string
  under?: Circumstances
}

const INDENT = ' '.repeat(7)

/** Prints one proof as soon as it is done. */
export function show(proof: Shown, n: number, of: number): void {
  const { kind, id, milliseconds, requests, complaints, atFirst = [], besides, under } = proof
  const when = under?.moment ? `, at ${under.moment.at} in ${under.moment.zone}` : ''
  const place = `${String(n).padStart(String(of).length)}/${of}`
  const shared = besides ? `, as ${besides}` : ''
  const mark = complaints.length === 0 ? 'ok  ' : 'FAIL'
  // For a process that was stopped, the number of requests is not known.
  const cost = milliseconds > 0 ? `${milliseconds} ms, ${requests} requests` : 'no result'
  say(shown`${mark} ${place} ${kind} ${id} (${cost}${shared}${when})`)
  for (const complaint of complaints) say(shown`${INDENT}${complaint}`)
  if (complaints.length > 0) return
  for (const complaint of atFirst) say(shown`${INDENT}at the second try; first: ${complaint}`)
}

/** Prints how many proofs hold and the time since `began` (milliseconds). Returns whether all hold. */
export function allHold(
  of: 'banks' | 'TPPs',
  proofs: Pick<Shown, 'complaints'>[],
  began: number,
): boolean {
  const holds = proofs.filter(({ complaints }) => complaints.length === 0).length
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  say(shown`${holds} of ${proofs.length} proofs of ${of} hold (${seconds} s)`)
  return holds === proofs.length
}

/** Number of parallel processes: two more than processors, because processes sometimes wait. */
export function processes(options: { processes?: string }): number {
  return number('--processes', options.processes, 64) || availableParallelism() + 2
}

/** Writes a page of the matrix into a folder, which is made if necessary. */
export function writeMatrix(folder: string, name: string, page: string): void {
  makeFolder(folder)
  const file = join(folder, name)
  writeFileSync(file, page)
  say(shown`what caught what: ${file}`)
}
