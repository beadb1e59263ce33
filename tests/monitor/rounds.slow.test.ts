import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { Bank } from '../../bank/running-bank.ts'
import { openClientStore } from '../../engine/client-session/client-store.ts'
import { type Target, targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { approveForMonitor } from '../../engine/monitor/approve.ts'
import { type KeptApprovals, openKeptApprovals } from '../../engine/monitor/kept-approvals.ts'
import { MOST_REQUESTS } from '../../engine/monitor/round.ts'
import { type MonitorState, readState } from '../../engine/monitor/state.ts'
import { watchOnce } from '../../engine/monitor/watch-once.ts'
import { problemOf } from '../../engine/record/formed.ts'
import { openMetrics } from '../../engine/report/open-metrics.ts'
import { openSession } from '../../engine/run/open.ts'
import { loadConsents } from '../../engine/run/suites.ts'
import { openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { openBank, openDirectory } from '../directory.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-monitor-'))
const memory = join(folder, '.assay')
const out = join(folder, 'out')
const file = join(memory, 'staging.monitor')

/** What the bank is asked, and what it does otherwise for a while. */
const asked: string[] = []
let otherwise: 'nothing' | 'down' | 'gbp' | 'keys' | 'limit' = 'nothing'
const switched: Alteration = {
  id: 'switched',
  story: 'The bank is away, or does something wrong, when the test says so.',
  async middleware(ctx, proceed) {
    asked.push(`${ctx.method} ${ctx.path}`)
    const isData = /\/(accounts|balances|transactions)/.test(ctx.path)
    if (otherwise === 'down' || (otherwise === 'limit' && isData)) {
      ctx.status = otherwise === 'down' ? 503 : 429
      return
    }
    await proceed()
    if (otherwise === 'gbp' && ctx.path.endsWith('/accounts')) {
      const body = structuredClone(ctx.body) as { Data: { Account: { Currency: string }[] } }
      for (const account of body.Data.Account) account.Currency = 'gbp'
      ctx.body = body
    }
    if (otherwise === 'keys' && ctx.path.endsWith('/jwks')) {
      const { keys } = ctx.body as { keys: object[] }
      ctx.body = { keys: [...keys, { kty: 'oct', kid: 'another' }] }
    }
  },
}

let bank: Bank
let context: ProofContext
let target: Target
let kept: KeptApprovals
let state: MonitorState

beforeAll(async () => {
  context = await openProofContext(openDirectory())
  bank = await openBank({ alterations: [switched] })
  target = targetFrom({ ...(bank.target as TargetDocument), name: 'staging' }, folder)
  mkdirSync(memory)
  mkdirSync(out)
  kept = openKeptApprovals(file, target) as KeptApprovals
})
afterAll(async () => {
  kept.close()
  await bank.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  asked.length = 0
  otherwise = 'nothing'
})

async function round(parts: { dataEvery?: number } = {}) {
  const { suites, catalogue } = context
  state ??= readState(join(memory, 'staging.monitor.json'), Date.now())
  const watched = await watchOnce(
    {
      ...{ target, suites, catalogue, kept, out, version: '0', dataEvery: parts.dataEvery ?? 0 },
      clients: openClientStore(join(memory, 'staging.clients.json'), target),
      described: { name: 'staging', configurationDigest: '' },
    },
    state,
  )
  state = watched.state
  return watched
}

const kinds = (watched: Awaited<ReturnType<typeof round>>) =>
  watched.changes.map(({ kind }) => kind)

const texts = (watched: Awaited<ReturnType<typeof round>>) =>
  watched.changes.map(({ text }) => text)

test('before anybody approved: what is public is watched, and it is said how the rest can be', async () => {
  const { report, unwatched, changes } = await round()
  expect(asked.map((each) => each.split(' ')[0])).toEqual(['GET', 'GET', 'GET'])
  expect(unwatched).toEqual([
    'token: no client is registered; --approve registers one',
    'data: no approval is kept; --approve asks a customer for one',
  ])
  expect(changes).toEqual([])
  expect(report).toMatchObject({ exitCode: 0, verdict: 'incomplete', requests: 3 })
  expect(report.monitor?.certificates.length).toBeGreaterThan(2)
})

test('a customer approves once, and no run removes the consent', async () => {
  const session = openSession({ target, suites: context.suites, memory })
  const [everything] = (await loadConsents(join(import.meta.dirname, '../../suites'))).filter(
    ({ core }) => core,
  )
  if (!everything) throw new Error('no core consent')
  const { facts } = await approveForMonitor(session, everything, kept)
  expect(session.leftovers.list().map(({ id }) => id)).not.toContain(facts.id)
  await session.close()
})

test('a round asks a few things and creates nothing', async () => {
  const { report, changes, unwatched } = await round()
  expect(report).toMatchObject({ exitCode: 0, requests: asked.length })
  expect(asked.length).toBeGreaterThan(9)
  expect(asked.length).toBeLessThanOrEqual(MOST_REQUESTS)
  const posts = asked.filter((each) => !each.startsWith('GET '))
  expect(posts).toEqual([expect.stringMatching(/^POST .*\/token$/) as string])
  expect(asked.join(' ')).not.toMatch(/consents|authorize|register/)
  expect({ changes, unwatched }).toEqual({ changes: [], unwatched: [] })
  expect(report.summary.fail + report.summary.warn).toBe(0)
  expect(report.summary.pass).toBeGreaterThan(100)
  expect(problemOf(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')), 'report')).toBe(
    undefined,
  )
  expect(openMetrics(report)).toContain('assay_monitor_up{target="staging",part="keys"} 1')
})

test('data are read when they are due, and tokens that have ended are refreshed', async () => {
  const early = await round({ dataEvery: 3_600_000 })
  expect(early.data).toBe(false)
  expect(asked.join(' ')).not.toContain('/accounts')
  const [held] = kept.all()
  if (!held) throw new Error('nothing is kept')
  kept.hold(held.approval.facts.id, { ...held.tokens, expiresAt: 0 })
  asked.length = 0
  const { report } = await round()
  expect(report.monitor?.parts.find(({ part }) => part.startsWith('refresh'))?.up).toBe(true)
  expect(kept.all()[0]?.tokens.accessToken).not.toBe(held.tokens.accessToken)
  expect(asked.filter((each) => each.endsWith('/token'))).toHaveLength(2)
  expect(asked.join(' ')).toContain('/transactions')
})

test('what is kept is there for the next monitor, and readable by nobody else', () => {
  const [before] = kept.all()
  kept.close()
  kept = openKeptApprovals(file, target) as KeptApprovals
  expect(kept.all()).toEqual([before])
  expect(statSync(file).mode & 0o077).toBe(0)
})

test('an outage is told once, and its end with both times', async () => {
  otherwise = 'down'
  const began = await round()
  expect(texts(began)).toEqual([expect.stringMatching(/^away since /)])
  expect(began.changes[0]?.text).toMatch(
    /^away since \S+Z: configuration, products, token, GET \/accounts .*503/,
  )
  expect(began.report).toMatchObject({ exitCode: 3, verdict: 'incomplete' })
  expect(began.report.summary.fail).toBe(0)
  const still = await round()
  expect(still.changes).toEqual([])
  otherwise = 'nothing'
  const ended = await round()
  expect(kinds(ended)).toEqual(['outage ended'])
  expect(ended.changes[0]?.text).toMatch(/^served again since \S+Z: .*\(away since \S+Z, \d+ s\)$/)
  expect(ended.report.exitCode).toBe(0)
})

test('a limit of the bank is no outage', async () => {
  otherwise = 'limit'
  const { changes, report } = await round()
  expect(changes).toEqual([])
  expect(report.exitCode).toBe(0)
})

test('a rule that breaks, and that is kept again', async () => {
  otherwise = 'gbp'
  const broken = await round()
  expect(new Set(kinds(broken))).toEqual(new Set(['rule broken']))
  expect(broken.report.exitCode).toBe(1)
  const ids = broken.changes.flatMap((change) => change.ids)
  expect(ids).toContain('ACC-05/gbp')
  expect((await round()).changes).toEqual([])
  otherwise = 'nothing'
  const mended = await round()
  expect(mended.changes.flatMap((change) => change.ids).sort()).toEqual(ids.sort())
  expect(new Set(kinds(mended))).toEqual(new Set(['rule mended']))
})

test('another key set', async () => {
  otherwise = 'keys'
  const { changes } = await round()
  expect(changes.find(({ kind }) => kind === 'keys')?.text).toMatch(/: 1 new, 0 gone, \d+ now$/)
})

test('no secret is in what is written', () => {
  const secrets = [
    ...target.secrets,
    ...kept.all().flatMap(({ tokens }) => [tokens.accessToken, tokens.refreshToken ?? '']),
  ].filter((each) => each.length > 8)
  expect(secrets.length).toBeGreaterThan(3)
  for (const dir of [out, memory]) {
    for (const name of readdirSync(dir)) {
      const text = readFileSync(join(dir, name), 'latin1')
      for (const secret of secrets) expect(text.includes(secret), `${name}`).toBe(false)
    }
  }
})

test('a bank that is gone', async () => {
  await bank.close()
  const { report, changes } = await round()
  expect(report.exitCode).toBe(3)
  expect(
    changes.some(({ kind, text }) => kind === 'outage began' && /unreachable|closed/.test(text)),
  ).toBe(true)
})
