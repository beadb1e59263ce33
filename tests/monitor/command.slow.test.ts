import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { Bank } from '../../bank/running-bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Notification } from '../../engine/report/notification.ts'
import type { Report } from '../../engine/report/report.ts'
import { openBank } from '../directory.ts'
import { assay, interrupt, targetFile, until } from '../evidence/cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-monitor-'))
const out = join(folder, 'out')

let isDown = false
const outage: Alteration = {
  id: 'switched',
  story: 'The bank is away when the test says so.',
  async middleware(ctx, proceed) {
    if (isDown) ctx.status = 503
    else await proceed()
  },
}

let bank: Bank
let webhook: Server
let file: string
const told: Notification[] = []

beforeAll(async () => {
  bank = await openBank({ alterations: [outage] })
  file = targetFile(folder, { ...(bank.target as TargetDocument), name: 'staging' })
  webhook = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += String(chunk)
    })
    request.on('end', () => {
      told.push(JSON.parse(text))
      response.end()
    })
  }).listen(0, '127.0.0.1')
})
afterAll(async () => {
  webhook.close()
  await bank.close()
  rmSync(folder, { recursive: true })
})

const monitor = (...words: string[]) =>
  assay(['monitor', '--target', file, '--out', out, ...words], {}, folder)

test.each([
  [['--every', '5'], '--every takes a duration such as 30s, 5m, 6h or 2d, not 5'],
  [['--every', '1s'], '--every 1s is too often: 10s at least'],
  [['--every', '30d'], '--every 30d is too rare: 7d at most'],
  [['--until', '8h'], '--until goes with --every'],
  [['--every', '5m', '--until', '2020-01-01T00:00Z'], 'which is over'],
  [['--every', '5m', '--until', 'tomorrow'], '--until takes a duration'],
])('%s', async (words, why) => {
  const { code, stderr } = await monitor(...words).ended
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) as string })
})

test('the reference bank that ends with the command is none to watch', async () => {
  const { code, stderr } = await assay(['monitor', '--target', 'config/embedded.yaml']).ended
  expect(code).toBe(2)
  expect(stderr).toContain('start one with npx assay bank --info bank.yaml')
})

test('approved once, then rounds until Ctrl-C: an outage is told with its begin and its end', async () => {
  const once = await monitor('--approve').ended
  expect(once).toMatchObject({ code: 0, stderr: '' })
  expect(once.stdout).toContain('“everything” is approved')

  const url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`
  const watching = monitor(
    '--every',
    '10s',
    '--history',
    join(folder, 'history.jsonl'),
    '--notify',
    url,
  )
  await until(() => /^\d\d:\d\d:\d\dZ {2}up/m.test(watching.written()), watching)
  isDown = true
  await until(() => watching.written().includes('away since'), watching)
  await until(() => told.length === 1, watching)
  isDown = false
  await until(() => watching.written().includes('served again since'), watching)
  await until(() => told.length === 2, watching)
  interrupt(watching)
  const { code, stdout, stderr } = await watching.ended
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^\d+ rounds in \d+ s, \d+ requests, 2 changes\.$/m)
  expect(code).toBe(3)
  expect(told.map(({ verdict }) => verdict)).toEqual(['outage began', 'outage ended'])
  expect(told[1]?.changes?.[0]).toMatch(/^served again since \S+Z: .*away since \S+Z/)
  expect(readFileSync(join(folder, 'history.jsonl'), 'utf8').trim().split('\n').length).toBe(
    Number(/^(\d+) rounds/m.exec(stdout)?.[1]),
  )
  const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report
  expect(report).toMatchObject({
    verdict: 'incomplete',
    recording: { exchanges: expect.any(Number) },
  })
  expect(existsSync(join(out, 'report.html'))).toBe(true)
  expect(readFileSync(join(out, 'assay.prom'), 'utf8')).toContain('assay_monitor_up{')
  expect(readdirSync(join(folder, '.assay')).sort()).toEqual([
    'staging.clients.json',
    'staging.leftovers.jsonl',
    'staging.monitor',
    'staging.monitor.json',
  ])
}, 120_000)

test('once: nothing broken is 0, a bank that is gone is 3', async () => {
  const { code, stdout } = await monitor().ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\d\d:\d\d:\d\dZ {2}up {2}\d+ requests/)
  const again = await assay(['verify', out, '--judge']).ended
  expect(again.code).toBe(4)
  expect(again.stdout).toContain('nothing could be judged again')
  await bank.close()
  const gone = await monitor().ended
  expect(gone.code).toBe(3)
  expect(gone.stdout).toContain('away since')
  expect(gone.stderr).toBe('')
}, 60_000)
