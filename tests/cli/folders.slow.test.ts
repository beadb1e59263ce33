import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openBank } from '../directory.ts'
import { assay, targetFile } from '../evidence/cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-folders-'))
const servers: Server[] = []
/** A bank that is there already: a run that starts its own takes half as long again. */
const bank = await openBank()
const target = targetFile(folder, structuredClone(bank.target) as TargetDocument)
afterAll(async () => {
  await bank.close()
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true, force: true })
})

const LONG = { timeout: 240_000 }
const key = join(folder, 'key.pem')
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))

const judge = (...words: string[]) =>
  assay(['run', '--target', target, '--only', 'products', ...words]).ended

describe('the folder of a run', () => {
  const out = join(folder, 'signed')
  const statement = join(out, 'statement.jws')

  test('of a signed run is written to again with --force alone', LONG, async () => {
    expect((await judge('--out', out, '--sign', key)).code).toBe(0)
    const evidence = readFileSync(join(out, 'report.json'), 'utf8')
    const sealed = readFileSync(statement, 'utf8')

    const refused = await judge('--out', out)
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toBe(
      `${out} holds a signed run. Name another folder, or give --force.\n`,
    )
    expect(readFileSync(join(out, 'report.json'), 'utf8')).toBe(evidence)
    expect(readFileSync(statement, 'utf8')).toBe(sealed)

    expect((await judge('--out', out, '--force')).code).toBe(0)
    expect(readFileSync(join(out, 'report.json'), 'utf8')).not.toBe(evidence)
    // The seal was of the run that is gone.
    expect(existsSync(statement)).toBe(false)
  })

  test('has no comparison that an earlier run made there', LONG, async () => {
    const night = join(folder, 'night')
    const compared = ['--baseline', out, '--history', join(folder, 'nights.jsonl')]
    expect((await judge('--out', night, ...compared)).code).toBe(0)
    expect(existsSync(join(night, 'diff.md'))).toBe(true)
    expect((await judge('--out', night)).code).toBe(0)
    expect(existsSync(join(night, 'diff.md')) || existsSync(join(night, 'diff.json'))).toBe(false)
  })
})

test('a selection stays out of the history, and the run says so', LONG, async () => {
  const history = join(folder, 'history.jsonl')
  const part = await judge('--out', join(folder, 'part'), '--history', history)
  expect(part.code).toBe(0)
  expect(part.stdout).toContain(`Not added to ${history}: a selection.`)
  expect(existsSync(history)).toBe(false)
})

test(
  'the reference bank ends with the run, and what was registered there with it',
  LONG,
  async () => {
    const own = join(folder, 'own')
    const words = ['run', '--only', 'CONS-01/answers-201', '--out', own]
    expect((await assay(words).ended).code).toBe(0)
    const { summary, leftBehind } = JSON.parse(readFileSync(join(own, 'report.json'), 'utf8'))
    expect(summary.pass).toBeGreaterThan(0)
    expect(leftBehind).toEqual([])
  },
)

test('a port that is in use is one line, and whose it is', LONG, async () => {
  const server = createServer()
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const { code, stdout, stderr } = await assay(['bank', '--port', String(port)]).ended
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toBe(`port ${port} is in use. Name another first port with --port.\n`)
})
