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

test('payments are beyond the documents, parties below the prefix of accounts are not in them', async () => {
  const engine = conductEngine(await tppSuites())
  const asked = (path: string) => {
    const url = `https://bank.example/open-banking/v3.1/${path}`
    return engine.judge(exchange({ endpoint: 'elsewhere', about: { seen: BASE } }, 'GET', url))
  }
  expect(asked('pisp/domestic-payment-consents/1')).not.toContain('TGEN-06/documented')
  expect(asked('aisp/party')).toContain('TGEN-06/documented')
})

test('an AccountId may have come long ago', async () => {
  const engine = conductEngine(await tppSuites(), { most: 3 })
  const consent = {
    consent: { id: '1', permissions: [] } as unknown as NonNullable<Seen['consent']>,
  }
  const seen = { ...BASE, ...consent }
  const json = { Data: { Account: [{ AccountId: '22289' }] } }
  const list = exchange({ about: { seen } })
  list.response = { status: 200, headers: [], body: '', bytes: 1, json }
  engine.judge(list)
  const single = (id: string) =>
    engine.judge(
      exchange({ endpoint: 'account', about: { seen } }, 'GET', `${AISP}/accounts/${id}`),
    )
  for (let count = 0; count < 1100; count += 1) single('22289')
  expect(single('22289')).not.toContain('TDAT-05/account-ids')
  expect(single('22290')).toContain('TDAT-05/account-ids')
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

/** A JWT, whose signature nobody looks at. */
const jwtOf = (claims: object) =>
  [{ alg: 'PS256' }, claims, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')

test('a registration is compared with the configuration that was recorded, and not where there is none', async () => {
  const engine = conductEngine(await tppSuites())
  const expected = {
    issuer: 'https://bank.example',
    tokenEndpoint: 'https://bank.example/token',
    registrationEndpoint: 'https://bank.example/register',
  }
  const registered = (claims: object, seen: Partial<Seen>, status = 201) => {
    const asked = exchange({ endpoint: 'registration' }, 'POST', 'https://bank.example/register')
    asked.about = { seen: { ...BASE, ...seen } }
    asked.request.body = jwtOf({ aud: 'https://bank.example', ...claims })
    asked.response = { status, headers: [], body: '', bytes: 0 }
    return engine.judge(asked)
  }
  const claims = {
    grant_types: ['authorization_code', 'implicit'],
    token_endpoint_auth_method: 'tls_client_auth',
    scope: 'openid account-information',
  }
  expect(registered(claims, {})).not.toContain('TREG-04/advertised')
  expect(registered(claims, { expected })).toContain('TREG-04/advertised')
  const json = {
    grant_types_supported: ['authorization_code', 'implicit'],
    token_endpoint_auth_methods_supported: ['tls_client_auth', 'private_key_jwt'],
    scopes_supported: ['openid', 'account-information'],
  }
  const discovery = exchange({ endpoint: 'discovery', about: { seen: BASE } })
  discovery.response = { status: 200, headers: [], body: '', bytes: 1, json }
  engine.judge(discovery)
  expect(registered(claims, { expected })).not.toContain('TREG-04/advertised')
  expect(registered({ scope: 'payments' }, { expected })).toContain('TREG-04/advertised')
  expect(registered({ aud: '0015800000jfQ9aAAE' }, { expected })).not.toContain('TREG-07/audience')
  expect(registered({ aud: 'other' }, { expected }, 400)).toContain('TREG-07/audience')
})

test('an intent may be asked for by another claim where a bank is only watched', async () => {
  const engine = conductEngine(await tppSuites())
  const visited = (seen: Partial<Seen>, idToken: object) => {
    const request = jwtOf({ client_id: 'tally', claims: { id_token: idToken } })
    const url = `https://login.bank.example/auth?${new URLSearchParams({ request })}`
    const about = { seen: { ...BASE, ...seen } }
    return engine.judge(exchange({ endpoint: 'authorisation', about }, 'GET', url))
  }
  const intent = { intent: { value: '1' }, acr: { value: 'urn:openbanking:psd2:sca' } }
  expect(visited({}, intent)).not.toContain('TAUT-15/in-the-object')
  expect(visited({ scenario: 'TGEN-01/reads-everything' }, intent)).toContain(
    'TAUT-15/in-the-object',
  )
  expect(visited({}, { acr: { value: '1' } })).toContain('TAUT-15/in-the-object')
})
