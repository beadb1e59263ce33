import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Proof } from './prove.ts'

/** Longer than any whole run takes: what is still under way by then hangs. */
const PATIENCE = 120_000

/** Room for what a run makes and forgets at once: fewer collections. */
const YOUNG = '--max-semi-space-size=32'

/**
 * Shares proofs among processes. A process that dies or hangs costs the proof it was at, which is
 * reported as failed, and is replaced.
 */
export async function shareOut(
  jobs: { kind: string; id: string }[],
  processes: number,
  done: (proof: Proof) => void,
): Promise<void> {
  const queue = [...jobs]
  const work = async () => {
    while (queue.length > 0) await oneProcess(queue, done)
  }
  await Promise.all(Array.from({ length: Math.min(processes, jobs.length) }, work))
}

function oneProcess(
  queue: { kind: string; id: string }[],
  done: (proof: Proof) => void,
): Promise<void> {
  const script = join(
    import.meta.dirname,
    import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js',
  )
  const child = fork(script, { execArgv: [...process.execArgv, YOUNG] })
  let job: { kind: string; id: string } | undefined
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
    child.on('message', (message: Proof | 'ready') => {
      if (message !== 'ready') done(message)
      next()
    })
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      if (job) done(lost(job, `the process ended with ${signal ?? code}`))
      // Before its first job it could not even begin: the next one would fare no better.
      else if (code !== 0 && signal !== 'SIGTERM') {
        for (const each of queue.splice(0))
          done(lost(each, `no process could be started (${code})`))
      }
      resolve()
    })
  })
}

function lost({ kind, id }: { kind: string; id: string }, why: string): Proof {
  return {
    id,
    kind: kind as Proof['kind'],
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
  }
}
