import { expect, test } from 'vitest'
import { causesOf } from '../../engine/report/causes.ts'
import { createEvidence } from '../../engine/report/evidence-index.ts'
import type { CheckResult, ExchangeRecord, Whose } from '../../engine/report/report.ts'
import { BANK_MEND, blameFor, ROWS, type Situation, SUITE_MEND } from '../../engine/report/whose.ts'

const trace = { id: 'x1', where: 'GET /accounts', identity: 'first' }

/** One situation for each row of the table, in its order. */
const SITUATIONS: { situation: Situation; title: RegExp; whose: Whose }[] = [
  {
    situation: { kind: 'recording', what: 'the client certificate', message: '' },
    title: /^not judgeable here: needs the client certificate$/,
    whose: 'nobody',
  },
  {
    situation: { kind: 'freedom', what: 'an answer in which TsandCs is not empty', message: '' },
    title: /^needs an answer in which TsandCs is not empty, which did not occur in this run$/,
    whose: 'nobody',
  },
  {
    situation: {
      kind: 'target',
      what: 'a limit that 30 requests reach (rateLimitBurst)',
      message: '',
    },
    title: /^the target file lacks a limit that 30 requests reach/,
    whose: 'configuration',
  },
  {
    situation: { kind: 'data', what: 'two accounts', message: 'needs two accounts' },
    title: /^the customers’ data have nothing to judge this by: needs two accounts$/,
    whose: 'configuration',
  },
  {
    situation: {
      kind: 'environment',
      what: 'GET accounts answered 502 three times',
      message: '',
      trace: { ...trace, status: 502, said: 'Bad Gateway' },
    },
    title: /^a gateway of the bank answers 502/,
    whose: 'gateway',
  },
  {
    situation: {
      kind: 'environment',
      what: 'GET accounts answered 500 three times',
      message: '',
      trace: { ...trace, status: 500 },
    },
    title: /^correct requests are answered 500$/,
    whose: 'bank',
  },
  {
    situation: {
      kind: 'environment',
      what: 'a check took longer than its share: TXN-17/to-alone',
      message: '',
    },
    title: /^a check took longer than its share: TXN-17/,
    whose: 'suite',
  },
  {
    situation: {
      kind: 'environment',
      what: 'hook customer-revokes',
      message: 'hook customer-revokes failed: the program revoke.sh ended with 1',
    },
    title: /^hook customer-revokes failed: the program revoke.sh ended with 1$/,
    whose: 'configuration',
  },
  {
    situation: {
      kind: 'environment',
      what: 'hook customer-revokes',
      message: 'hook customer-revokes: it answered 500',
    },
    title: /it answered 500$/,
    whose: 'bank',
  },
  {
    situation: {
      kind: 'environment',
      what: 'hook customer-revokes',
      message: 'hook customer-revokes: ECONNREFUSED',
    },
    title: /ECONNREFUSED$/,
    whose: 'network',
  },
  {
    situation: {
      kind: 'environment',
      what: 'the pages of the bank lead to https://10.0.0.7: it does not speak TLS: wrong version',
      message: '',
    },
    title: /^the pages of the bank lead to https:/,
    whose: 'bank',
  },
  {
    situation: {
      kind: 'environment',
      what: 'https://bank.example: closed: the connection was cut',
      message: '',
    },
    title: /^https:\/\/bank\.example: closed/,
    whose: 'network',
  },
  {
    situation: {
      kind: 'environment',
      what: 'the bank did not accept the credentials of customers.first: its page says “Wrong password”',
      message: '',
    },
    title: /Wrong password/,
    whose: 'configuration',
  },
  {
    situation: {
      kind: 'environment',
      what: 'the target’s description of the bank’s pages does not fit: no form; the page has a field pin',
      message: '',
    },
    title: /does not fit/,
    whose: 'configuration',
  },
  {
    situation: {
      kind: 'environment',
      what: 'the target describes no denial: no form has deny',
      message: '',
    },
    title: /^the target describes no denial/,
    whose: 'configuration',
  },
]

test('the first row that fits says whose it is', () => {
  expect(SITUATIONS).toHaveLength(ROWS.length)
  for (const [place, { situation, title, whose }] of SITUATIONS.entries()) {
    expect(ROWS.findIndex(({ fits }) => fits(situation))).toBe(place)
    expect(blameFor(situation)).toMatchObject({ whose, title: expect.stringMatching(title) })
  }
})

const result = (over: Partial<CheckResult>): CheckResult => ({
  id: 'TXN-24/one-response',
  requirement: 'TXN-24',
  level: 'must',
  kind: 'check',
  title: '',
  outcome: 'blocked',
  message: '',
  exchanges: [],
  durationMs: 0,
  ...over,
})

const exchange = (over: Partial<ExchangeRecord>): ExchangeRecord =>
  ({
    id: 'x1',
    endpoint: 'transactions',
    about: {},
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 1,
    request: { method: 'GET', url: 'https://bank.example/transactions', headers: [] },
    response: { status: 200, headers: [], body: '{}', bytes: 2 },
    connection: { identity: 'first' },
    ...over,
  }) as ExchangeRecord

const NEEDS = { blockedBy: 'data: two booked transactions', message: 'needs two' }

test('what a broken must of the same chapter hides stands under it', () => {
  const checks = [
    result({ id: 'TXN-23/all-accounts', outcome: 'fail', message: 'no row', exchanges: ['x1'] }),
    result(NEEDS),
  ]
  const evidence = createEvidence()
  evidence.note(exchange({}))
  expect(causesOf(checks, evidence)).toMatchObject([
    { whose: 'bank', findings: ['TXN-23/all-accounts'], blocks: ['TXN-24/one-response'] },
  ])
})

test('what nothing hides is lacking at the customers', () => {
  const checks = [
    result({ id: 'PROD-01/answers-200', outcome: 'fail', message: 'no list' }),
    result({ id: 'TXN-28/kept', outcome: 'warn', message: 'a row is gone' }),
    result(NEEDS),
  ]
  // A should that blocks nothing is less than what keeps a must from being judged.
  expect(causesOf(checks, createEvidence()).map(({ whose }) => whose)).toEqual([
    'bank',
    'configuration',
    'bank',
  ])
})

test('a gateway is one cause, wherever it answers and whatever its page says', () => {
  const evidence = createEvidence()
  const gone = (id: string, said: string) =>
    exchange({
      id,
      response: { status: 502, headers: [], body: JSON.stringify({ error: said }), bytes: 1 },
    })
  for (const [id, said] of [
    ['x1', 'one'],
    ['x2', 'two'],
    ['x3', 'three'],
  ] as const)
    evidence.note(gone(id, said))
  const checks = [
    result({ id: 'ACC-01/answers-200', outcome: 'fail', exchanges: ['x1'], message: '502' }),
    result({ id: 'BAL-01/answers-200', outcome: 'fail', exchanges: ['x2'], message: '502' }),
    result({ blockedBy: 'environment: GET transactions answered 502', exchanges: ['x3'] }),
  ]
  expect(causesOf(checks, evidence)).toMatchObject([
    {
      whose: 'gateway',
      findings: ['ACC-01/answers-200', 'BAL-01/answers-200'],
      blocks: ['TXN-24/one-response'],
    },
  ])
})

test('an address that discovery has otherwise is the bank’s where that of the target file answers', () => {
  const evidence = createEvidence()
  const message =
    'authorization_endpoint is https://login.bank.example/authorize, but addresses.auth_url gives https://old.bank.example/authorize'
  const finding = result({
    ...{ id: 'DISC-04/addresses', outcome: 'warn', exchanges: ['x1'], message },
    ...{ expected: 'https://old.bank.example/authorize', place: '/authorization_endpoint' },
  })
  const whose = () => causesOf([finding], evidence)[0]?.whose
  evidence.note(exchange({ id: 'x1', endpoint: 'discovery' }))
  expect(whose()).toBe('network')
  const request = { method: 'GET', url: 'https://old.bank.example/authorize', headers: [] }
  const failure = { kind: 'unreachable', code: 'ECONNREFUSED', message: 'nothing listens there' }
  evidence.note(exchange({ id: 'x2', request, response: undefined, failure } as never))
  expect(causesOf([finding], evidence)).toMatchObject([
    {
      title: message,
      whose: 'network',
      mend: expect.stringMatching(/^First compare addresses\.auth_url with what the bank gave you/),
    },
  ])
  evidence.note(exchange({ id: 'x3', request } as never))
  expect(whose()).toBe('bank')
})

test('what the refused requests have in common is said', () => {
  const evidence = createEvidence()
  const created = (id: string, Data: object, status: number) =>
    evidence.note(
      exchange({
        id,
        endpoint: 'create-account-access-consent',
        request: {
          method: 'POST',
          url: 'https://bank.example/account-access-consents',
          headers: [],
          body: JSON.stringify({ Data, Risk: {} }),
        },
        response: { status, headers: [], body: '{}', bytes: 2 },
      }),
    )
  const Permissions = ['ReadBalances']
  created('x1', { Permissions, ExpirationDateTime: '2030-01-01T00:00:00Z' }, 400)
  created('x2', { Permissions }, 201)
  const checks = [result({ outcome: 'fail', exchanges: ['x1'], message: 'answered 400' })]
  const words = 'every request with ExpirationDateTime is refused, and others succeed'
  expect(causesOf(checks, evidence)).toMatchObject([{ evidence: words }])

  created('x3', { Permissions, ExpirationDateTime: '2030-01-01T00:00:00Z' }, 201)
  expect(causesOf(checks, evidence)[0]?.evidence).toBeUndefined()
})

test('every cause says what to do next', () => {
  const checks = [
    result({ id: 'PROD-01/answers-200', outcome: 'fail', message: 'no list' }),
    result({ id: 'PROD-02/whole', outcome: 'error', message: 'undefined is no function' }),
    result({ ...NEEDS, blockedBy: 'environment: https://bank.example: unreachable: nobody' }),
  ]
  expect(causesOf(checks, createEvidence())).toMatchObject([
    { whose: 'suite', mend: SUITE_MEND },
    { whose: 'bank', mend: BANK_MEND },
    {
      whose: 'network',
      title: 'https://bank.example: nobody',
      mend: expect.stringMatching(/^First compare the address/),
    },
  ])
})
