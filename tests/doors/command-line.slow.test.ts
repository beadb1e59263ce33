import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { main } from '../built.ts'
import { smallRun } from './small-run.ts'

const dir = smallRun({ verdict: 'conformant' })
const whole = smallRun()
afterAll(() => {
  for (const folder of [dir, whole]) rmSync(folder, { recursive: true })
})
writeFileSync(join(dir, 'odd.zip'), 'PK')

/** The built command line, under a shell's limit; its exit code and what it complained of. */
function assay(words: string[], limit = ':'): Promise<{ code: unknown; stderr: string }> {
  const script = ['-c', `${limit}; exec "$@"`, 'sh', process.execPath, main, ...words]
  return new Promise((done) => {
    execFile('/bin/sh', script, (error, _, stderr) => done({ code: error?.code ?? 0, stderr }))
  })
}

const REFUSED: [words: string[], says: RegExp, limit?: string][] = [
  [['report', dir], /report\.json must have required property 'assay'\. Take the report/],
  [['diff', dir, whole], /report\.json must have required property 'assay'/],
  [['overview', dir], /no run is in .*report\.json must have required property 'assay'/s],
  [['verify', dir], /report\.json of .* must have required property/],
  [['verify', join(dir, 'odd.zip')], /the archive can't be unpacked/],
  [['pack', whole, '--out', '/proc/run.zip'], /--out \/proc\/run\.zip can't be written to/],
  [['pack', whole, '--out', dir], /is a folder: name a file in it/],
  [['overview', whole, '--out', '/proc/all'], /--out \/proc\/all can't be written to/],
  [['report', whole, '--history', dir], /the history .* can't be read: it is a folder/],
  [['doctor'], /may open 64 files at once, and needs 256: raise the limit/, 'ulimit -n 64'],
]

test.each(REFUSED)('assay %j', async (words, says, limit) => {
  const { code, stderr } = await assay(words, limit)
  expect(stderr).toMatch(says)
  expect(stderr).not.toMatch(/\n\s+at /)
  expect(stderr.trim().split('\n').length).toBeLessThan(3)
  expect(code).toBe(2)
})
