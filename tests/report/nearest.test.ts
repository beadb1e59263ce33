import { expect, test } from 'vitest'
import { wordsAdded } from '../../engine/record/page-words.ts'
import { nearestTo, roleOfControl } from '../../engine/report/nearest.ts'
import type { CheckResult, ExchangeRecord } from '../../engine/report/report.ts'

/** Requests of which one was answered otherwise than the others, and what is said of it. */

interface Sent {
  status: number
  query?: string
  body?: unknown
  about?: Record<string, unknown>
  headers?: [string, string][]
  endpoint?: string
}

function exchange(id: string, sent: Sent): ExchangeRecord {
  const { status, query = '', body, about = {}, headers = [], endpoint = 'transactions' } = sent
  return {
    id,
    endpoint,
    about: { client: 'first', ...about },
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 1,
    request: {
      method: body === undefined ? 'GET' : 'POST',
      url: `https://bank.example/${endpoint}${query}`,
      headers: [
        ['Authorization', `Bearer <access_token:${Buffer.from(id).toString('hex')}>`],
        ...headers,
      ],
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
    response: { status, headers: [], body: '', bytes: 0 },
    connection: { identity: 'first' },
    hash: '',
  }
}

/** The last of these exchanges is the one that was judged. */
function said(exchanges: Record<string, Sent>, check: Partial<CheckResult> = {}): string[] {
  const records = Object.entries(exchanges).map(([id, sent]) => exchange(id, sent))
  const judged = { exchanges: [records.at(-1)?.id ?? ''], ...check } as CheckResult
  return nearestTo(judged, { exchanges: new Map(records.map((each) => [each.id, each])) })
}

test('one filter alone, where none and both are served', () => {
  expect(
    said({
      none: { status: 200 },
      both: { status: 200, query: '?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z' },
      to: { status: 400, query: '?to=2026-02-02T00:00:00Z' },
    }),
  ).toEqual([
    'the refused request has parameter to (2026-02-02T00:00:00Z), unlike none  GET /transactions → 200',
    'the refused request lacks parameter from, unlike both  GET /transactions?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z → 200',
  ])
})

test('a body that is no object is named as such', () => {
  expect(
    said({
      right: { status: 201, body: { Risk: {} }, endpoint: 'consents' },
      array: { status: 400, body: [], endpoint: 'consents' },
    }),
  ).toEqual([
    'the refused request has a body that is no object, unlike right  POST /consents → 201',
  ])
})

test('a member of a body, and a value of one', () => {
  expect(
    said({
      right: { status: 201, body: { Data: { Permissions: ['A'], Until: '2026-01-01T00:00:00Z' } } },
      wrong: {
        status: 400,
        body: { Data: { Permissions: ['A'], Until: '2027-11-11T10:00:00+00' } },
      },
    }),
  ).toEqual([
    'the refused request has Data.Until 0000-00-00T00:00:00+00 and not 0000-00-00T00:00:00Z, unlike right  POST /transactions → 201',
  ])
})

test('the client, where the same deviation is refused of another', () => {
  const deviation = 'no permission'
  expect(
    said({
      refused: { status: 403, about: { deviation } },
      other: { status: 403, about: { deviation: 'something else', client: 'second' } },
      served: { status: 200, about: { deviation, client: 'second' } },
    }),
  ).toEqual([
    'the served request has client second and not first, unlike refused  GET /transactions → 403',
  ])
})

test.each<[string, Record<string, Sent>, Partial<CheckResult>?]>([
  ['the same request', { before: { status: 200 }, after: { status: 401 } }],
  [
    'another endpoint',
    { a: { status: 200, endpoint: 'accounts' }, b: { status: 400, query: '?x=1' } },
  ],
  ['a redirect', { a: { status: 200 }, b: { status: 302, query: '?x=1' } }],
  [
    'a place in the body',
    { a: { status: 200 }, b: { status: 400, query: '?x=1' } },
    { place: '/a' },
  ],
  ['four differences', { a: { status: 200 }, b: { status: 400, query: '?w=1&x=1&y=1&z=1' } }],
  ['no exchange', { a: { status: 200 }, b: { status: 400, query: '?x=1' } }, { exchanges: [] }],
])('nothing is compared where it would say nothing: %s', (_, exchanges, check) => {
  expect(said(exchanges, check)).toEqual([])
})

test('a body that is nested without end is not compared, and nothing is said', () => {
  const record = exchange('deep', { status: 400, query: '?x=1' })
  record.request.body = `${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`
  const known = [exchange('flat', { status: 200 }), record]
  const exchanges = new Map(known.map((each) => [each.id, each]))
  expect(nearestTo({ exchanges: ['deep'] } as CheckResult, { exchanges })).toEqual([])
})

test('the claims of a registration are not compared, so nothing is said of what sets it apart', () => {
  const register = (id: string, status: number, client: string) => ({
    ...exchange(id, { status, about: { client }, endpoint: 'register' }),
    request: {
      ...{ method: 'POST', url: 'https://bank.example/register', headers: [] },
      body: '<jwt:aaaaaa of a registration>',
    },
  })
  const known = [register('other', 400, 'second'), register('judged', 201, 'first')]
  const records = known.map((each) => ({ ...each, about: { ...each.about, deviation: 'none' } }))
  const exchanges = new Map(records.map((each) => [each.id, each as ExchangeRecord]))
  expect(nearestTo({ exchanges: ['judged'] } as CheckResult, { exchanges })).toEqual([])
})

test('a control is named for what it is', () => {
  const records = [
    exchange('x1', { status: 200 }),
    exchange('x2', { status: 200 }),
    exchange('x3', { status: 200, endpoint: 'token' }),
  ]
  const exchanges = new Map(records.map((each) => [each.id, each]))
  const role = (control: string) => {
    const check = { exchanges: ['x1'], control: { exchange: control, summary: '' } } as CheckResult
    return roleOfControl(check, { exchanges })
  }
  expect(role('x2')).toBe('without the deviation')
  expect(role('x3')).toBe('the bank served this client before')
})

test.each([
  ['Log in User Password', 'Log in Wrong password. User Password', 'Wrong password.'],
  ['Log in User', 'Log in User', ''],
  ['Log in User', 'Log in User Try again', 'Try again'],
  ['', 'Log in', 'Log in'],
  ['Log in User Password', 'Log in Wrong password. User anna Password', 'Wrong password.'],
  ['Log in User Password Next', 'Log in User anna Password Next Not right.', 'Not right.'],
])('what a page says anew: %s, then %s', (before, after, added) => {
  expect(wordsAdded(before, after)).toBe(added)
})
