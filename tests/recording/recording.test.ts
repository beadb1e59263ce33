import { beforeAll, expect, test } from 'vitest'
import type { Report } from '../../engine/report/report.ts'
import { openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'
import { brokenIn, judgedText } from './recorded-bank.ts'
import { ACCOUNTS, AISP, BANK, entry, har } from './small-bank.ts'

let context: ProofContext
beforeAll(async () => {
  context = await openProofContext(openDirectory())
})

const judged = (...entries: unknown[]) => judgedText(context, BANK, 'a.har', har(...entries))

const outcome = (report: Report, id: string) => report.checks.find((check) => check.id === id)

test('an exchange is judged by rules and schemas, and the report says that it is none of a run', async () => {
  const report = await judged(entry({ headers: { 'Content-Type': 'text/plain' } }))
  expect(brokenIn(report)).toContain('GEN-15/media-type')
  expect(outcome(report, 'ACC-01/answers-200')?.outcome).toBe('pass')
  expect(report).toMatchObject({ requests: 1, recording: { exchanges: 1, operations: 1 } })
  expect(report.recording?.musts.of).toBe(219)
  expect(report.verdict).not.toBe('conformant')
})

test('a recording in which nothing is broken ends with 0, and is never conformant', async () => {
  const report = await judged(
    entry({
      method: 'GET',
      url: 'https://login.bank.example/.well-known/openid-configuration',
      body: '{',
      status: 404,
    }),
  )
  expect(brokenIn(report)).toEqual([])
  expect(report).toMatchObject({ verdict: 'incomplete', exitCode: 0 })
})

test('a recording without an operation judges nothing', async () => {
  const report = await judged(
    entry({ url: 'https://other.example/open-banking/v3.1/aisp/accounts' }),
    entry({ url: 'https://bank.example/health/4711' }),
    entry({ url: 'data:text/plain,hello' }),
  )
  expect(report).toMatchObject({ exitCode: 4, requests: 0 })
  expect(report.recording).toMatchObject({
    exchanges: 2,
    elsewhere: [
      { name: 'other hosts', exchanges: 1 },
      { name: 'GET /health/{…} at bank.example', exchanges: 1 },
    ],
    files: [{ unsent: 1 }],
  })
})

const NOT_WHOLE = {
  'without its text': { content: { size: 300, mimeType: 'application/json' } },
  'with an empty text of unknown size': { content: { size: -1, text: '' } },
  'cut by whoever wrote it': {
    content: { size: 4000, text: JSON.stringify(ACCOUNTS).slice(0, 100) },
  },
  'replaced as a whole': { content: { size: 10, text: '[REDACTED]' } },
  'of a request for a range': {
    status: 206,
    requestHeaders: { Range: 'bytes=0-9' },
    content: { size: 10, text: '{"Data":{"' },
  },
}

test.each(Object.entries(NOT_WHOLE))('a body %s is no fault of the bank', async (_, part) => {
  const report = await judged(entry(part))
  expect(brokenIn(report)).toEqual([])
  expect(outcome(report, 'GEN-01/json')).toMatchObject({
    outcome: 'blocked',
    blockedBy: 'recording: the whole body of the response',
  })
})

test('a whole body that is no JSON is one', async () => {
  const report = await judged(entry({ body: 'oops' }))
  expect(brokenIn(report)).toContain('GEN-01/json')
})

test('redacted values are judged by no rule that reads them, the others by all', async () => {
  const [account] = ACCOUNTS.Data.Account
  const changed = (change: object) => ({
    ...ACCOUNTS,
    Data: { Account: [{ ...account, ...change }] },
  })
  const hidden = await judged(entry({ body: changed({ Currency: '***' }) }))
  expect(brokenIn(hidden)).not.toContain('ACC-05/gbp')
  expect(outcome(hidden, 'ACC-05/gbp')?.outcome).toBe('blocked')
  const shown = await judged(entry({ body: changed({ Currency: 'EUR', Nickname: '[REDACTED]' }) }))
  expect(brokenIn(shown)).toContain('ACC-05/gbp')
})

test('what a cache answered was not asked of the bank', async () => {
  const report = await judged(entry(), entry({ body: 'oops', extra: { _fromCache: 'disk' } }))
  expect(brokenIn(report)).not.toContain('GEN-01/json')
  expect(report.recording?.files[0]).toMatchObject({ exchanges: 1, unsent: 1 })
})

test('a clock of the recorder that is wrong blames nobody', async () => {
  const sent = JSON.stringify({ Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} })
  const creation = (date: string | undefined) =>
    entry({
      method: 'POST',
      url: `${AISP}/account-access-consents`,
      status: 201,
      ...{ sent, headers: { 'Content-Type': 'application/json', ...(date && { Date: date }) } },
      body: {
        Data: {
          ConsentId: 'c-1',
          Permissions: ['ReadAccountsBasic'],
          CreationDateTime: '2026-11-28T13:00:00Z',
        },
      },
    })
  const wrong = await judged(creation('Sat, 28 Nov 2026 13:00:00 GMT'))
  expect(outcome(wrong, 'CONS-06/at-creation')?.outcome).toBe('blocked')
  const right = await judged(creation('Sat, 28 Nov 2026 11:00:00 GMT'))
  expect(brokenIn(right)).toContain('CONS-06/at-creation')
})

const withRows = (...ids: string[]) => {
  const [account] = ACCOUNTS.Data.Account
  return { ...ACCOUNTS, Data: { Account: ids.map((AccountId) => ({ ...account, AccountId })) } }
}

test('answers under one access token are compared, in the order of their requests', async () => {
  const first = entry({ body: withRows('a-1', 'a-2'), at: '2026-11-28T11:00:00.000Z' })
  const later = entry({ body: withRows('a-1', 'b-2'), at: '2026-11-28T11:00:05.000Z' })
  expect(brokenIn(await judged(later, first))).toContain('ACC-04/kept')
  const other = { Authorization: 'Bearer token-of-another-customer' }
  const ofAnother = entry({
    body: withRows('b-1'),
    at: '2026-11-28T11:00:05.000Z',
    requestHeaders: other,
  })
  expect(brokenIn(await judged(first, ofAnother))).not.toContain('ACC-04/kept')
})

test('answers to requests at the same time, or hours apart, are not compared', async () => {
  const first = entry({ body: withRows('a-1', 'a-2'), time: 500 })
  const meanwhile = entry({ body: withRows('a-1', 'b-2'), at: '2026-11-28T11:00:00.200Z' })
  expect(brokenIn(await judged(first, meanwhile))).not.toContain('ACC-04/kept')
  const tonight = entry({ body: withRows('a-1', 'b-2'), at: '2026-11-28T14:00:00.000Z' })
  expect(brokenIn(await judged(first, tonight))).not.toContain('ACC-04/kept')
})

test('requests without their credential are not joined', async () => {
  const parts = [
    {},
    { Authorization: 'Bearer REDACTED' },
    { Authorization: '<access_token:12ab34>' },
  ]
  for (const requestHeaders of parts as Record<string, string>[]) {
    const first = entry({
      body: withRows('a-1'),
      requestHeaders: { Host: 'bank.example', ...requestHeaders },
    })
    const later = { ...first, startedDateTime: '2026-11-28T11:00:05.000Z' }
    const report = await judged(first, later)
    expect(outcome(report, 'ACC-04/kept')?.outcome).toBe('blocked')
  }
})

test('a gateway in trouble, and a limit, speak of the moment', async () => {
  const trouble = [502, 503, 504].map((status) => entry({ status, body: '<h1>later</h1>' }))
  expect(brokenIn(await judged(...trouble))).toEqual([])
  expect(brokenIn(await judged(entry({ status: 500, body: '{}' })))).toEqual(['ERR-01/no-5xx'])
})

test('entries that cannot be read are named, and the others are judged', async () => {
  const report = await judged(
    ...[{ no: 'request' }, entry(), entry({ at: 'yesterday' })],
    ...[entry({ at: '2026-11-28T11:00:00' }), entry({ time: 1e300 })],
  )
  expect(report.requests).toBe(1)
  const zoneless = 'has a startedDateTime that is not a date-time with Z or an offset'
  expect(report.problems).toEqual([
    'a.har entry 1 has no request',
    `a.har entry 3 ${zoneless}`,
    `a.har entry 4 ${zoneless}`,
    'a.har entry 5 has a duration of more than a day: it may be in another unit',
  ])
})

test('a creation that two files tell is one', async () => {
  const creation = entry({
    method: 'POST',
    url: `${AISP}/account-access-consents`,
    status: 201,
    sent: JSON.stringify({ Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} }),
    body: { Data: { ConsentId: 'c-1', Permissions: ['ReadAccountsBasic'] } },
  })
  const report = await judgedText(context, BANK, 'a.har', har(creation), har(creation))
  expect(brokenIn(report)).not.toContain('CONS-03/never-again')
  const other = { ...creation, startedDateTime: '2026-11-28T11:00:05.000Z' }
  other.response = {
    ...other.response,
    content: {
      size: 88,
      mimeType: '',
      text: JSON.stringify({
        Data: {
          ConsentId: 'c-1',
          Permissions: ['ReadAccountsBasic'],
          Status: 'AwaitingAuthorisation',
        },
      }),
    },
  }
  expect(brokenIn(await judged(creation, other))).toContain('CONS-03/never-again')
})
