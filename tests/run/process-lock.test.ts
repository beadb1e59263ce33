import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { holdFolders } from '../../cli/folders.ts'
import { now } from '../../engine/record/clock.ts'
import { takeLock } from '../../engine/record/process-lock.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-lock-'))
  file = join(folder, 'a.lock')
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

/** A lock that was renewed so many seconds ago. */
function lockOf(content: string, ago = 0): void {
  writeFileSync(file, content)
  const time = now() / 1000 - ago
  utimesSync(file, time, time)
}

const GONE = 999_999_999

test.each([
  ['a process of this host', `${process.ppid} ${hostname()}`, { owner: process.ppid }],
  ['the first process of a container', '1 4c0ffee', { owner: 1, host: '4c0ffee' }],
  ['one of a host with our number', `${process.pid} other`, { owner: process.pid, host: 'other' }],
])('a lock that %s holds is its own', (_, content, holder) => {
  lockOf(content)
  expect(takeLock(file)).toEqual(holder)
  expect(readFileSync(file, 'utf8')).toBe(content)
})

test.each([
  ['of a process of this host that is gone', `${GONE} ${hostname()}`, 0],
  ['of an earlier process with our number, as in a container', `${process.pid} ${hostname()}`, 0],
  ['that another host no longer renews', '1 4c0ffee', 120],
  ['that is empty', '', 0],
])('a lock %s counts for nothing', (_, content, ago) => {
  lockOf(content, ago)
  const lock = takeLock(file)
  expect(readFileSync(file, 'utf8')).toBe(`${process.pid} ${hostname()}`)
  if ('release' in lock) lock.release()
  expect(readdirSync(folder)).toEqual([])
})

test('a lock is renewed as long as it is held', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const lock = takeLock(file)
  lockOf(readFileSync(file, 'utf8'), 120)
  vi.advanceTimersByTime(10_000)
  expect(Math.abs(statSync(file).mtimeMs - now())).toBeLessThan(10_000)
  if ('release' in lock) lock.release()
  expect(vi.getTimerCount()).toBe(0)
})

test('a second run is told where the first one is', () => {
  const own = join(folder, '.assay.lock')
  writeFileSync(own, '1 4c0ffee')
  expect(() => holdFolders({ out: folder, name: 'bank' })).toThrow(
    `Another run, process 1 on 4c0ffee, uses ${folder}. Wait for its end, or name another --out. If process 1 on 4c0ffee is not Assay, remove ${own}.`,
  )
})
