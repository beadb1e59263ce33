import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { signRun } from '../../engine/report/evidence/sign-run.ts'
import type { Report } from '../../engine/report/report.ts'
import { loadPolicy, reasonsAgainst } from '../../engine/run/policy.ts'
import { copied, recorded } from '../report/recorded.ts'

/** `verify --policy`: whether a run counts, and why not. */

const run = copied(await recorded('every'))
const folder = mkdtempSync(join(tmpdir(), 'assay-policy-'))
const path = (name: string) => join(folder, name)
const DAY = 86_400_000
const ENDED = Date.parse(run.report.finishedAt)
const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** A run that is conformant, whatever the recorded one is. */
const sound: Report = {
  ...run.report,
  verdict: 'conformant',
  exitCode: 0,
  scope: { ...run.report.scope, profile: 'full', only: [] },
  musts: { ...run.report.musts, failed: 0, blocked: 0, known: 0, notRun: 0, error: 0, excused: 0 },
  summary: { ...run.report.summary, warn: 0 },
}
delete sound.partial

function written(report: Report): void {
  writeFileSync(path('report.json'), JSON.stringify(report))
}

function policy(text: string) {
  writeFileSync(path('policy.yaml'), text)
  return loadPolicy(path('policy.yaml'))
}

const reasons = (text: string, days = 1) => reasonsAgainst(folder, policy(text), ENDED + days * DAY)

beforeEach(() => {
  for (const name of ['statement.jws', 'policy.yaml']) rmSync(path(name), { force: true })
  written(sound)
  writeFileSync(
    path('exchanges.jsonl'),
    run.exchanges.map((each) => `${JSON.stringify(each)}\n`).join(''),
  )
  writeFileSync(path('own.pem'), spki(own.publicKey))
  writeFileSync(path('other.pem'), spki(other.publicKey))
})

afterAll(() => rmSync(folder, { recursive: true }))

test('a run that is all that is asked for', async () => {
  const { name } = sound.target
  const all = `{target: ${name}, profile: quick, maxAgeDays: 7, suite: 0.0.1, mustsJudged: 1, warnings: 0, knownDeviations: 0, mustsWithoutVerdict: 0}`
  expect(await reasons(all)).toEqual([])
})

test.each<[string, string, Partial<Report>, string]>([
  ['a verdict', '{}', { verdict: 'nonconformant', exitCode: 1 }, 'its verdict is nonconformant'],
  ['an exit code', '{}', { exitCode: 1 }, 'its verdict is conformant'],
  ['a selection', '{}', { scope: { ...sound.scope, only: ['TXN-17'] } }, 'it judged a part alone'],
  ['a part', '{}', { partial: 'interrupted' }, 'it judged a part alone'],
  ['another target', '{target: production}', {}, `it judged ${sound.target.name}, not production`],
  [
    'a lesser profile',
    '{profile: exhaustive}',
    {},
    'its profile is full, and exhaustive is asked for',
  ],
  ['age', '{maxAgeDays: 0.5}', {}, 'it is 1 days old, and may be 0.5'],
  [
    'an older suite',
    '{suite: 99.0.0}',
    {},
    `Assay ${sound.assay.version} made it, and 99.0.0 is asked for`,
  ],
  [
    'few musts',
    '{mustsJudged: 9999}',
    {},
    `${sound.musts.passed} musts came to a judgement, and 9999 are asked for`,
  ],
  [
    'musts without a verdict',
    '{mustsWithoutVerdict: 1}',
    { musts: { ...sound.musts, blocked: 1, notRun: 2 } },
    '3 musts without a verdict, and 1 may be',
  ],
  [
    'known deviations',
    '{knownDeviations: 0}',
    { musts: { ...sound.musts, known: 1 } },
    '1 must broken as known, and 0 may be',
  ],
  [
    'warnings',
    '{warnings: 1}',
    { summary: { ...sound.summary, warn: 2 } },
    '2 warnings, and 1 may be',
  ],
])('not for %s', async (_, text, change, reason) => {
  written({ ...sound, ...change })
  expect(await reasons(text)).toContain(reason)
})

test('not from the future', async () => {
  expect(await reasons('{maxAgeDays: 7}', -2)).toEqual(['it ended in the future'])
})

test('signed by one of the keys', async () => {
  const asked = '{signedBy: [other.pem, own.pem]}'
  expect(await reasons(asked)).toEqual(['it is not signed'])
  await signRun(folder, pem(own.privateKey))
  expect(await reasons(asked)).toEqual([])
  expect(await reasons('{signedBy: [other.pem]}')).toEqual(['none of other.pem signed it'])
})

test('not where it was changed since it was signed', async () => {
  await signRun(folder, pem(own.privateKey))
  written({ ...sound, requests: sound.requests + 1 })
  expect(await reasons('{signedBy: [own.pem]}')).toEqual([
    expect.stringMatching(/^it was changed or cannot be verified: report\.json was changed/),
  ])
})

test.each([
  ['{profil: full}', /policy\.yaml:1:2: .*profil/],
  ['{maxAgeDays: -1}', /policy\.yaml:1:14: /],
  ['[]', /policy\.yaml:1:1: /],
  ['{', /policy\.yaml:\d+:\d+: /],
  ['{signedBy: [nowhere.pem]}', /nowhere\.pem can't be read/],
])('a policy with a mistake: %s', (text, words) => {
  expect(() => policy(text)).toThrow(words)
})
