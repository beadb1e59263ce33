import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Job, Proof } from './prove.ts'

/** Longer than any whole run takes: what is still under way by then hangs. */
const PATIENCE = 120_000

/** Room for what a run makes and forgets at once: fewer collections. */
const YOUNG = '--max-semi-space-size=32'

/**
 * Shares proofs among processes. A process that dies or hangs costs the proofs it was at, which are
 * reported as failed, and is replaced.
 */
export async function shareOut(
  jobs: Job[],
  processes: number,
  done: (proof: Proof) => void,
): Promise<void> {
  const queue = [...jobs]
  const work = async () => {
    while (queue.length > 0) await oneProcess(queue, done)
  }
  await Promise.all(Array.from({ length: Math.min(processes, jobs.length) }, work))
}

function oneProcess(queue: Job[], done: (proof: Proof) => void): Promise<void> {
  const script = join(
    import.meta.dirname,
    import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js',
  )
  const child = fork(script, { execArgv: [...process.execArgv, YOUNG] })
  let job: Job | undefined
  let timer: NodeJS.Timeout | undefined
  const next = () => {
    clearTimeout(timer)
    job = queue.shift()
    if (!job) {
      child.kill()
      return
    }
    timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
    child.send(job)
  }
  return new Promise((resolve) => {
    child.on('message', (message: Proof[] | 'ready') => {
      if (message !== 'ready') for (const proof of message) done(proof)
      next()
    })
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      if (job)
        for (const proof of lost(job, `the process ended with ${signal ?? code}`)) done(proof)
      // Before its first job it could not even begin: the next one would fare no better.
      else if (code !== 0 && signal !== 'SIGTERM') {
        for (const each of queue.splice(0))
          for (const proof of lost(each, `no process could be started (${code})`)) done(proof)
      }
      resolve()
    })
  })
}

function lost({ kind, ids }: Job, why: string): Proof[] {
  return ids.map((id) => ({
    id,
    kind,
    judged: {
      id,
      fails: [],
      warns: [],
      blocks: [],
      errors: [],
      fired: 0,
      exitCode: 5,
      requests: 0,
      milliseconds: 0,
      messages: {},
      leftBehind: 0,
    },
    complaints: [why],
  }))
}
