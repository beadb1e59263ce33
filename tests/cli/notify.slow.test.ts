import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Bank } from '../../bank/running-bank.ts'
import { pipelineLink, webhookOf } from '../../cli/notify.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { notificationOf, WEBHOOKS } from '../../engine/report/notification.ts'
import { loadFaults } from '../../proof/run/load.ts'
import { openBank } from '../directory.ts'
import { assay, targetFile } from '../evidence/cli.ts'
import { hostileRun } from '../report/hostile.ts'
import { recorded } from '../report/recorded.ts'

/** `--notify`: a webhook is told how a run ended. */

const folder = mkdtempSync(join(tmpdir(), 'assay-notify-'))
let bank: Bank
let target: string
let server: Server
let hook: string
const received: string[] = []

beforeAll(async () => {
  const fault = (await loadFaults()).find(({ id }) => id === 'numbers-are-dates')
  bank = await openBank({ alterations: fault ? [fault] : [] })
  target = targetFile(folder, bank.target as TargetDocument)
  server = createServer(async (incoming, response) => {
    received.push(await text(incoming))
    response.statusCode = incoming.url?.startsWith('/broken') ? 500 : 200
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.close()
  await bank.close()
  rmSync(folder, { recursive: true, force: true })
})

async function told(notify: string | string[], env: Record<string, string> = {}) {
  received.length = 0
  const out = join(folder, `out-${Math.random()}`)
  const words = [
    'run',
    'CONS-15',
    '--target',
    target,
    '--out',
    out,
    ...[notify].flat().flatMap((url) => ['--notify', url]),
  ]
  const ended = await assay(words, env).ended
  return { ...ended, out }
}

test('the message says verdict and causes; its address stands nowhere', async () => {
  const { code, stdout, out } = await told('json=env:HOOK', { HOOK: `${hook}/services/T0/s3cr3t` })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^told {2}127\.0\.0\.1:\d+$/m)
  expect(received).toHaveLength(1)
  expect(JSON.parse(received[0] ?? '')).toMatchObject({
    verdict: 'conformant, 1 warning',
    exitCode: 0,
    causes: [{ whose: 'the bank', findings: [expect.stringMatching(/^CONS-15/)] }],
    moreCauses: 0,
  })
  expect(stdout + readFileSync(join(out, 'report.json'), 'utf8')).not.toContain('s3cr3t')
}, 60_000)

test('several webhooks are told, each in its form', async () => {
  await told([`slack=${hook}`, hook])
  const [slack, json] = received.map((body) => JSON.parse(body))
  expect(slack.blocks[0].type).toBe('header')
  expect(json.exitCode).toBe(0)
}, 60_000)

test.each([
  ['broken', () => `${hook}/broken`, /127\.0\.0\.1:\d+ was not told: it answered 500\./],
  ['away', () => 'http://127.0.0.1:9', /127\.0\.0\.1:9 was not told: ECONNREFUSED\./],
])(
  'a webhook that is %s changes no exit code',
  async (_, address, words) => {
    const { code, stderr } = await told(address())
    expect(code).toBe(0)
    expect(stderr).toMatch(words)
  },
  60_000,
)

test.each(['nowhere', 'env:NOT_SET', 'ftp://example.test/', 'slack='])(
  '%j is refused before anything is sent',
  async (address) => {
    const { code, stderr } = await told(address)
    expect(code).toBe(2)
    expect(stderr).toMatch(/not an http or https address/)
  },
)

describe('forms', () => {
  test.each([
    ['https://hooks.slack.com/services/a/b', 'slack'],
    ['https://x.webhook.office.com/y', 'teams'],
    ['https://prod-1.logic.azure.com/workflows/y', 'teams'],
    ['https://notslack.com/', 'json'],
    ['teams=https://relay.example/', 'teams'],
  ])('%s is %s', (address, form) => {
    expect(webhookOf(address).form).toBe(form)
  })

  test('bounded, and a bank finds nothing in them to format', async () => {
    const { report } = await hostileRun()
    const note = notificationOf(report, { link: 'https://ci.example/7' })
    const slack = JSON.stringify(WEBHOOKS.slack(note))
    const teams = JSON.stringify(WEBHOOKS.teams(note))
    expect(slack.length).toBeLessThan(20_000)
    expect(slack.match(/mrkdwn/g)).toHaveLength(1)
    expect(teams).not.toContain('"TextBlock"')
    expect(teams).toContain('https://ci.example/7')
  })

  test('what is new and what is fixed is named where there is a baseline', async () => {
    const { report } = await recorded('faulty')
    const change = { id: 'ACC-01/x', known: false }
    const changes = { new: [change, { ...change, known: true }], fixed: [change] }
    const note = notificationOf(report, { changes: changes as never })
    expect(note).toMatchObject({ new: ['ACC-01/x'], fixed: ['ACC-01/x'] })
    expect(JSON.stringify(WEBHOOKS.slack(note))).toContain('New: ACC-01/x')
  })
})

test.each([
  [
    { GITHUB_SERVER_URL: 'https://g', GITHUB_REPOSITORY: 'a/b', GITHUB_RUN_ID: '7' },
    'https://g/a/b/actions/runs/7',
  ],
  [{ CI_JOB_URL: 'https://gitlab/1' }, 'https://gitlab/1'],
  [{ BUILD_URL: 'https://jenkins/1' }, 'https://jenkins/1'],
  [{}, undefined],
])('the run of a pipeline: %j', (env, link) => {
  expect(pipelineLink(env)).toBe(link)
})
