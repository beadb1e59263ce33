import { fork } from 'node:child_process'

/** Room for what a run makes and forgets at once: fewer collections. */
const YOUNG = '--max-semi-space-size=32'

/** How work is shared among processes of one script. */
export interface Shared<Job, Result> {
  /** Says `ready`, then answers each job with its results; built or source. */
  script: string
  /** Jobs are taken from its beginning, and may be added while others are done. */
  queue: Job[]
  processes: number
  /** Milliseconds that a job may take at most. */
  patience(job: Job): number
  done(result: Result): void
  /** What is reported of a job whose process died or hung. */
  lost(job: Job, why: string): Result[]
}

/**
 * Shares jobs among processes. A process that dies or hangs costs the job it was at, which is reported as
 * failed, and is replaced.
 */
export async function shareAmong<Job, Result>(shared: Shared<Job, Result>): Promise<void> {
  const { queue, processes } = shared
  const work = async () => {
    while (queue.length > 0) await oneProcess(shared)
  }
  await Promise.all(Array.from({ length: Math.min(processes, queue.length) }, work))
}

function oneProcess<Job, Result>(shared: Shared<Job, Result>): Promise<void> {
  const { script, queue, patience, done, lost } = shared
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
    timer = setTimeout(() => child.kill('SIGKILL'), patience(job))
    child.send(job as object)
  }
  return new Promise((resolve) => {
    child.on('message', (message: Result[] | 'ready') => {
      if (message !== 'ready') for (const result of message) done(result)
      next()
    })
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      if (job)
        for (const result of lost(job, `the process ended with ${signal ?? code}`)) done(result)
      // Before its first job it could not even begin: the next one would fare no better.
      else if (code !== 0 && signal !== 'SIGTERM') {
        for (const each of queue.splice(0))
          for (const result of lost(each, `no process could be started (${code})`)) done(result)
      }
      resolve()
    })
  })
}
