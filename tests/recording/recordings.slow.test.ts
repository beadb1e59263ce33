import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asHar } from '../../bench/as-har.ts'
import { transitionsOf } from '../../engine/model/transitions.ts'
import { judgeRecording } from '../../engine/recording/judge-recording.ts'
import { openRecording } from '../../engine/recording/read-files.ts'
import { recordingTarget } from '../../engine/recording/recording-target.ts'
import { openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { loadFaults, loadVariants } from '../../proof/run/load.ts'
import type { Variant } from '../../proof/run/proof.ts'
import { openDirectory } from '../directory.ts'
import { recorded } from '../report/recorded.ts'
import { brokenIn, judgedText, recordedBank } from './recorded-bank.ts'
import { BANK } from './small-bank.ts'

/** Milliseconds: a whole bank is judged. */
const PATIENCE = 600_000

const folder = mkdtempSync(join(tmpdir(), 'assay-recordings-'))
afterAll(() => rmSync(folder, { recursive: true }))

let context: ProofContext
beforeAll(async () => {
  context = await openProofContext(openDirectory())
})

/** Rules that look at codes, tokens and ID tokens, or at names: of those exchanges.jsonl has pseudonyms alone. */
const OF_SECRETS = [
  ...['AUTHZ-03/code', 'AUTHZ-03/id-token', 'AUTHZ-04/on-success', 'AUTHZ-18/ps256'],
  ...['AUTHZ-18/signature', 'AUTHZ-19/claims', 'AUTHZ-20/c-hash', 'AUTHZ-20/nonce'],
  ...['AUTHZ-20/s-hash', 'AUTHZ-34/none-sent', 'AUTHZ-35/same-consent', 'AUTHZ-36/no-access-token'],
  ...['AUTHZ-04/in-fragment', 'AUTHZ-40/auth-time', 'AUTHZ-41/kid', 'AUTHZ-42/same-subject'],
  ...['AUTHZ-03/names', 'AUTHZ-38/no-error', 'AUTHZ-40/this-login', 'AUTHZ-47/sub'],
  ...['AUTHZ-43/no-key', 'AUTHZ-44/as-asked', 'AUTHZ-46/base64url', 'AUTHZ-47/types'],
  'REG-13/as-registered',
  ...['DISC-13/kept', 'DISC-16/for-ps256', 'FCC-09/name-strings', 'FCC-26/not-exchanged'],
  ...['REG-14/space-separated', 'REG-34/own-token', 'SEC-15/not-guessable', 'TOK-15/access-token'],
  ...['TOK-19/string', 'TOK-20/signed', 'TOK-20/string', 'TOK-37/claims', 'TOK-42/b64token'],
  ...['TXN-43/nowhere-else', 'SEC-09/in-tokens'],
]

/**
 * Faults whose checks are rules. Not among them are those that no recording shows: a key that may have been published
 * since, a redirect without state and nonce.
 */
const BY_RULES = [
  ...['product-errors-without-words', 'last-updated-is-valid-until', 'account-empty'],
  ...['no-start-of-the-period-is-the-creation', 'booking-times-that-no-clock-reads'],
  ...['hundredfold-balances-refreshed-and-single', 'identification-masked', 'no-c-hash'],
  ...['a-server-keeps-time-of-its-own', 'card-number-in-a-refusal', 'data-tokens-die-young'],
  ...['registered-scopes-with-commas', 'auth-methods-as-text', 'next-page-of-a-long-list'],
  ...['absent-addresses-are-null', 'limit-counts-the-present-too'],
]

test.each(['correct', 'faulty'] as const)(
  'the recording of a run gives the outcomes of its rules, exactly: the %s bank',
  async (name) => {
    const { dir, report: run, exchanges } = await recorded(name)
    const out = join(folder, name)
    mkdirSync(out)
    const { catalogue, suites } = context
    const report = await judgeRecording({
      ...{ files: [openRecording(dir)], catalogue, suites, out, version: '0' },
      target: recordingTarget(BANK),
      described: { name: 'staging', configurationDigest: '' },
    })
    const judged = new Map(report.checks.map(({ id, outcome }) => [id, outcome]))
    const rules = run.checks.filter(({ kind, blockedBy }) => kind === 'rule' && !blockedBy)
    const others = rules.filter(({ id, outcome }) => judged.get(id) !== outcome)
    expect(rules.length).toBeGreaterThan(200)
    expect(others.map(({ id }) => id).filter((id) => !OF_SECRETS.includes(id))).toEqual([])
    for (const { id } of others) expect(judged.get(id), id).toBe('blocked')
    expect(report.states).toEqual(transitionsOf(exchanges))
  },
  PATIENCE,
)

test(
  'what is a fault by rules alone is found in a HAR file of the same requests',
  async () => {
    const checks = new Set(context.suites.checks.map(({ id }) => id))
    const group = (await loadFaults()).filter(({ id }) => BY_RULES.includes(id))
    const ids = group.flatMap(({ fails, warns = [] }) => [...fails, ...warns])
    expect(ids.filter((id) => checks.has(id))).toEqual([])
    expect(group).toHaveLength(BY_RULES.length)
    const { run, document, exchanges } = await recordedBank(context, group)
    const found = [...run.results.values()].filter(
      ({ kind, outcome }) => kind === 'rule' && ['fail', 'warn'].includes(outcome),
    )
    const report = await judgedText(context, document, 'a.har', asHar(exchanges))
    expect(brokenIn(report).sort()).toEqual(found.map(({ id }) => id).sort())
    expect(report.exitCode).toBe(1)
  },
  PATIENCE,
)

/** Of a theme each; what all of them together show is tried before a release. */
const LAWFUL = ['keys-replaced-during-the-run', 'rows-of-1899-and-of-a-leap-second']

test.each(['the correct bank', ...LAWFUL])(
  'the recording of a lawful bank raises nothing: %s',
  async (id) => {
    const variants = (await loadVariants()).filter((variant: Variant) => variant.id === id)
    expect(variants).toHaveLength(id.startsWith('the ') ? 0 : 1)
    const { document, exchanges } = await recordedBank(context, variants)
    const report = await judgedText(context, document, 'a.har', asHar(exchanges))
    expect(brokenIn(report)).toEqual([])
    expect(report).toMatchObject({ verdict: 'incomplete', exitCode: 0 })
    expect(report.recording?.musts.exercised).toBeGreaterThan(120)
  },
  PATIENCE,
)
