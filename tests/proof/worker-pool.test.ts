import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { shareAmong } from '../../proof/run/worker-pool.ts'

/** What a process does with its job. */
interface Job {
  name: string
  /** Milliseconds. */
  takes?: number
  dies?: true
  hangs?: true
  more?: Job[]
}

interface Result {
  name: string
  pid?: number
  why?: string
}

const folder = await mkdtemp(join(tmpdir(), 'assay-pool-'))
afterAll(() => rm(folder, { recursive: true }))

const WORKER = `
process.on('message', ({ name, takes = 0, dies, hangs, more = [] }) => {
  if (dies) process.exit(3)
  if (hangs) return
  const results = more.length > 0 ? [] : [{ name, pid: process.pid }]
  setTimeout(() => process.send({ results, more }), takes)
})
process.send('ready')
`

async function shared(jobs: Job[], source = WORKER, processes = 2): Promise<Result[]> {
  const script = join(folder, 'worker.mjs')
  await writeFile(script, source)
  const results: Result[] = []
  await shareAmong<Job, Result>({
    script,
    queue: [...jobs],
    processes,
    limit: () => ({ milliseconds: 2000, of: 'one job' }),
    done: (result) => results.push(result),
    lost: ({ name }, why) => [{ name, why }],
  })
  return results.sort((one, other) => one.name.localeCompare(other.name))
}

test('every job is done once, by several processes', async () => {
  const names = ['a', 'b', 'c', 'd']
  const results = await shared(names.map((name) => ({ name, takes: 300 })))
  expect(results.map(({ name }) => name)).toEqual(names)
  expect(new Set(results.map(({ pid }) => pid)).size).toBe(2)
})

test('what a job is parted into is shared with a process that had nothing left to do', async () => {
  const more = ['b', 'c'].map((name) => ({ name, takes: 300 }))
  const results = await shared([{ name: 'quick' }, { name: 'parted', takes: 600, more }])
  expect(results.map(({ name }) => name)).toEqual(['b', 'c', 'quick'])
  expect(results[0]?.pid).not.toBe(results[1]?.pid)
})

test('a process that dies, or is stopped at the limit, costs its own job and the rest is done', async () => {
  const results = await shared([
    { name: 'a', dies: true },
    { name: 'b', hangs: true },
    { name: 'c', takes: 100 },
    { name: 'd', takes: 100 },
  ])
  expect(results.map(({ name, why }) => [name, why])).toEqual([
    ['a', 'the process ended with 3'],
    ['b', 'stopped after 2 s, the limit for one job'],
    ['c', undefined],
    ['d', undefined],
  ])
})

test('where no process can begin, every job is lost and nothing waits', async () => {
  const results = await shared([{ name: 'a' }, { name: 'b' }, { name: 'c' }], 'process.exit(4)')
  expect(results).toEqual(
    ['a', 'b', 'c'].map((name) => ({ name, why: 'no process could be started (4)' })),
  )
})
