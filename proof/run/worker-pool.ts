import { type ChildProcess, fork } from 'node:child_process'

/** Memory for short-lived objects of a run, so that there are fewer garbage collections. */
const YOUNG = '--max-semi-space-size=32'

/** The answer of a process to a job. */
export interface Answer<Job, Result> {
  results: Result[]
  /** Jobs to do next, for items that have no result yet. */
  more: Job[]
}

/** After this time the process of a job is stopped. */
export interface Limit {
  milliseconds: number
  /** What the limit applies to, in words: one bank. */
  of: string
}

/** How work is distributed to processes of one script. */
export interface Shared<Job, Result> {
  /** The script sends `ready`, then answers each job; compiled or source. */
  script: string
  /** Jobs are taken from the front, and may be added while others run. */
  queue: Job[]
  processes: number
  /** The time limit of a job. */
  limit(job: Job): Limit
  done(result: Result): void
  /** The results of a job whose process ended, or was stopped at the limit. */
  lost(job: Job, why: string): Result[]
  /** Called for each process when it starts; the returned function is called when the process has ended. */
  began?(child: ChildProcess): () => void
}

/** The number of working processes, and functions that wake idle ones, because a result may add jobs. */
interface Others {
  working: number
  idle: Set<() => void>
}

/**
 * Distributes jobs to processes. When a process ends or exceeds the limit, its current job is reported as failed and
 * the process is replaced. A process without a job waits as long as others work.
 */
export async function shareAmong<Job, Result>(shared: Shared<Job, Result>): Promise<void> {
  const { queue, processes } = shared
  const others: Others = { working: 0, idle: new Set() }
  const work = async () => {
    while (queue.length > 0) await oneProcess(shared, others)
  }
  await Promise.all(Array.from({ length: Math.min(processes, queue.length) }, work))
}

function oneProcess<Job, Result>(shared: Shared<Job, Result>, others: Others): Promise<void> {
  const { script, queue, limit, done, lost } = shared
  const child = fork(script, { execArgv: [...process.execArgv, YOUNG] })
  const ended = shared.began?.(child)
  let job: Job | undefined
  let timer: NodeJS.Timeout | undefined
  let began = false
  let stopped: string | undefined
  const next = () => {
    job = queue.shift()
    if (job) {
      others.working += 1
      const { milliseconds, of } = limit(job)
      timer = setTimeout(() => {
        stopped = `stopped after ${milliseconds / 1000} s, the limit for ${of}`
        child.kill('SIGKILL')
      }, milliseconds)
      child.send(job as object)
    } else if (others.working > 0) others.idle.add(next)
    else child.kill()
  }
  const finish = ({ results, more }: Answer<Job, Result>) => {
    clearTimeout(timer)
    others.working -= 1
    job = undefined
    queue.unshift(...more)
    for (const result of results) done(result)
  }
  const wakeOthers = () => {
    const idle = [...others.idle]
    others.idle.clear()
    for (const wake of idle) wake()
  }
  return new Promise((resolve) => {
    child.on('message', (message: Answer<Job, Result> | 'ready') => {
      if (message === 'ready') began = true
      else finish(message)
      next()
      wakeOthers()
    })
    child.on('exit', (code, signal) => {
      ended?.()
      others.idle.delete(next)
      const why = stopped ?? `the process ended with ${signal ?? code}`
      if (job) finish({ results: lost(job, why), more: [] })
      // If a process cannot even start, another one would fail as well.
      else if (!began) {
        for (const each of queue.splice(0))
          for (const result of lost(each, `no process could be started (${code})`)) done(result)
      }
      wakeOthers()
      resolve()
    })
  })
}
