import { expect, test } from 'vitest'
import { createDoubts } from '../../engine/certification/doubts.ts'
import { createKnown } from '../../engine/certification/known.ts'
import { conductEngine } from '../../engine/certification/suite.ts'
import { recordingTarget } from '../../engine/recording/recording-target.ts'
import type { Exchange, Seen } from '../../engine/wire/exchange.ts'
import { AISP, BANK } from '../recording/small-bank.ts'
import { tppSuites } from './opened.ts'

/** What somebody between a TPP and its bank knows, and what rules make of what he does not know. */

const exchange = (part: Partial<Exchange>, method = 'GET', url = `${AISP}/accounts`): Exchange => ({
  ...{ id: 'x1', endpoint: 'accounts', about: {}, startedAt: '2026-11-28T11:00:00.000Z' },
  ...{ durationMs: 1, connection: { identity: 'first' } },
  request: { method, url, headers: [['Authorization', 'Bearer a-token']] },
  response: { status: 200, headers: [], body: '{}', bytes: 2, json: {} },
  ...part,
})

const BASE: Seen = {
  ...{ scenario: 'watch', goal: 'watch', present: true, fired: [], certificate: 'valid' },
}

test('a token that nobody saw issued is unknown, one that passed is known for what it is', () => {
  const known = createKnown(recordingTarget(BANK))
  expect(known.of(exchange({})).unknown).toEqual(
    expect.arrayContaining(['expected', 'token', 'otherCredential', 'consent']),
  )
  const form = 'grant_type=client_credentials&client_id=tally'
  const json = { access_token: 'a-token', expires_in: 300, refresh_token: 'another' }
  const issued = exchange({ endpoint: 'token' }, 'POST', 'https://bank.example/token')
  issued.request.body = form
  issued.response = { status: 200, headers: [], body: '', bytes: 1, json }
  known.learn(issued)
  const { facts, unknown } = known.of(exchange({}))
  expect(facts.token).toMatchObject({ kind: 'client', live: true, clientId: 'tally' })
  expect(unknown).toEqual(['expected'])
  const refresh = exchange({})
  refresh.request.headers = [['Authorization', 'Bearer another']]
  expect(known.of(refresh).facts.otherCredential).toBe('a refresh token')
})

test('a client of the target file is known by its client_id alone', () => {
  const known = createKnown(recordingTarget(BANK))
  const token = exchange({ endpoint: 'token' }, 'POST', 'https://bank.example/token')
  token.request.body = 'grant_type=client_credentials&client_id=tally'
  expect(known.of(token).facts.client).toEqual({ client_id: 'tally' })
  token.request.body = 'grant_type=client_credentials&client_id=other'
  expect(known.of(token)).toMatchObject({
    facts: { clientId: 'other' },
    unknown: expect.arrayContaining(['client']),
  })
})

test('a judgement that rests on what is unknown does not count; without a word of the bank nothing passes by it', () => {
  const doubts = createDoubts()
  const seen: Seen = { ...BASE }
  doubts.hide(seen, ['client'])
  const finding = { message: 'a', expected: 'b', actual: 'c' }
  const reading = (findings: (typeof finding)[]) => () => {
    void seen.client
    return findings
  }
  expect(doubts.weighed(() => [finding])).toEqual([finding])
  expect(doubts.weighed(reading([finding]))).toBeUndefined()
  expect(doubts.weighed(reading([]))).toBeUndefined()
  const refused: Seen = { ...BASE }
  doubts.hideRefusal(refused)
  const asking = (findings: (typeof finding)[]) => () => {
    void refused.refusal
    return findings
  }
  expect(doubts.weighed(asking([finding]))).toEqual([finding])
  expect(doubts.weighed(asking([]))).toBeUndefined()
  // Who writes it down reads nothing of it.
  expect(JSON.stringify({ ...seen })).toBe(JSON.stringify(BASE))
})

test('an operation at an address of its own is documented where the target file has it there', async () => {
  const engine = conductEngine(await tppSuites())
  const asked = (seen: Partial<Seen>) =>
    engine.judge(
      exchange(
        { about: { seen: { ...BASE, ...seen } } },
        'GET',
        'https://bank.example/ais/accounts',
      ),
    )
  expect(asked({})).toContain('TGEN-06/documented')
  expect(asked({ addressed: true })).not.toContain('TGEN-06/documented')
})

test('two clients that are watched at once may count alike, one may not', async () => {
  const engine = conductEngine(await tppSuites())
  const visited = (client: string, at: string) => {
    const query = new URLSearchParams({ client_id: client, nonce: '1', redirect_uri: at })
    const url = `https://login.bank.example/auth?${query}`
    const about = { seen: BASE }
    return engine.judge(exchange({ endpoint: 'authorisation', about }, 'GET', url))
  }
  expect(visited('tally', 'https://tally.example/1')).not.toContain('TAUT-07/nonce')
  expect(visited('other', 'https://other.example/1')).not.toContain('TAUT-07/nonce')
  expect(visited('tally', 'https://tally.example/2')).toContain('TAUT-07/nonce')
})
