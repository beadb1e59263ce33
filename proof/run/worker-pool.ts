import { type ChildProcess, fork } from 'node:child_process'

/** Room for what a run makes and forgets at once: fewer collections. */
const YOUNG = '--max-semi-space-size=32'

/** What a process answers a job with. */
export interface Answer<Job, Result> {
  results: Result[]
  /** What is to be proven instead of those that have no result yet: it comes next. */
  more: Job[]
}

/** After so long the process of a job is stopped. */
export interface Limit {
  milliseconds: number
  /** Of what it is the limit, in words: one bank. */
  of: string
}

/** How work is shared among processes of one script. */
export interface Shared<Job, Result> {
  /** Says `ready`, then answers each job; built or source. */
  script: string
  /** Jobs are taken from its beginning, and may be added while others are done. */
  queue: Job[]
  processes: number
  /** How long a job may take at most. */
  limit(job: Job): Limit
  done(result: Result): void
  /** What is reported of a job whose process died, or was stopped at the limit. */
  lost(job: Job, why: string): Result[]
  /** Told of each process when it starts; what it returns is called when that has ended. */
  began?(child: ChildProcess): () => void
}

/** How many are at work, and what wakes those for whom nothing was left: a result may bring more. */
interface Others {
  working: number
  idle: Set<() => void>
}

/**
 * Shares jobs among processes. A process that dies, or takes longer than the limit, costs the job it was at,
 * which is reported as failed, and is replaced. One that finds no job waits as long as others are at work.
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
      // Where one cannot even begin, the next one would fare no better.
      else if (!began) {
        for (const each of queue.splice(0))
          for (const result of lost(each, `no process could be started (${code})`)) done(result)
      }
      wakeOthers()
      resolve()
    })
  })
}
