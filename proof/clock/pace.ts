import { type Alterations, drawsOf, type Job, SEED, wholeProof } from '../run/jobs.ts'
import type { Proof } from '../run/prove.ts'
import { runInWorkers, spread } from '../run/share-proofs.ts'
import { slowed } from './slowed.ts'

/**
 * No outcome depends on the speed of the machine or the bank: banks judged by a process that gets a tenth of its time,
 * and banks with slower answers, have the usual outcomes.
 */

/** Number of banks of each kind. */
const BANKS = 100
/** In parallel, because they mostly wait. */
const AT_ONCE = 12
/** Milliseconds before each answer. */
const DELAY = 50

/** What does not hold, in words. */
export async function provePace(all: Alterations): Promise<string[]> {
  const jobs = [...wholeProof(all, SEED), ...drawsOf(all, 3, SEED)].slice(0, BANKS)
  return [
    ...(await proveAll('a process that runs for a tenth of its time', jobs, {
      began: (child) => slowed((signal) => child.kill(signal)),
      patience: 15,
    })),
    ...(await proveAll(`${DELAY} ms more for each answer`, spread(jobs, [{ delay: DELAY }]), {
      patience: 15,
    })),
  ]
}

async function proveAll(
  words: string,
  jobs: Job[],
  slow: Parameters<typeof runInWorkers>[3],
): Promise<string[]> {
  const wrong: string[] = []
  let proofs = 0
  const began = performance.now()
  const done = ({ id, complaints, atFirst = [] }: Proof) => {
    proofs += 1
    wrong.push(...complaints.map((complaint) => `${id}: ${complaint}`))
    for (const first of atFirst) console.log(`     ${id} at the second try; first: ${first}`)
  }
  await runInWorkers(
    { jobs, done, again: (ids) => ids.map((id) => ({ kind: 'fault', ids: [id] })) },
    undefined,
    AT_ONCE,
    slow,
  )
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(
    `${wrong.length === 0 ? 'ok  ' : 'FAIL'} ${words}: ${jobs.length} banks, ${proofs} proofs, ${seconds} s`,
  )
  for (const each of wrong) console.log(`     ${each}`)
  return wrong
}
