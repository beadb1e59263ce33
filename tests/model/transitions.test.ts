import { expect, test } from 'vitest'
import { transitionsOf } from '../../engine/model/transitions.ts'
import type { ExchangeRecord } from '../../engine/record/exchange-record.ts'

const CALLBACK = 'https://tpp.example/callback'

interface Sketch {
  endpoint: string
  client?: string
  subject?: string
  status?: number
  data?: unknown
  body?: string
  location?: string
  visit?: true
}

function record({ endpoint, client = 'first', status, data, ...more }: Sketch): ExchangeRecord {
  return {
    ...{ id: 'x1', endpoint, startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1, hash: '' },
    about: {
      ...{ client, subject: more.subject },
      ...(endpoint === 'accounts' && { consent: { id: more.subject } }),
      ...(more.visit && { visit: { redirectUri: CALLBACK } }),
    },
    request: { method: 'GET', url: 'https://bank.example/', headers: [], body: more.body ?? '' },
    ...(status !== undefined && {
      response: {
        ...{ status, bytes: 0, body: data === undefined ? '' : JSON.stringify({ Data: data }) },
        headers: more.location === undefined ? [] : [['Location', more.location]],
      },
    }),
    connection: { identity: 'first' },
  }
}

const CREATED: Sketch = {
  ...{ endpoint: 'create-account-access-consent', status: 201, data: { ConsentId: 'c' } },
}
const visit = (fragment: string): Sketch => ({
  ...{ endpoint: 'elsewhere', subject: 'c', visit: true, status: 302 },
  location: `${CALLBACK}#${fragment}`,
})
const query = (Status: string, client = 'first'): Sketch => ({
  ...{ endpoint: 'query-account-access-consent', subject: 'c', client },
  ...(client === 'first' ? { status: 200, data: { Status } } : { status: 403 }),
})

const rowsOf = (sketches: Sketch[]) =>
  transitionsOf(sketches.map(record)).transitions.map(
    ({ from = '', event, to = '', counts }) =>
      `${from} | ${event} | ${to} | ${counts.given}/${counts.refused}/${counts.unknown}`,
  )

test('the life of a consent, as the records of its exchanges show it', () => {
  expect(
    rowsOf([
      CREATED,
      query('AwaitingAuthorisation'),
      { ...visit(''), location: '/login' },
      visit('code=<code:1>&state=s'),
      {
        endpoint: 'token',
        subject: 'c',
        status: 200,
        body: 'grant_type=authorization_code&code=x',
      },
      { endpoint: 'accounts', subject: 'c', status: 200 },
      { endpoint: 'accounts', subject: 'c', status: 429 },
      { endpoint: 'accounts', subject: 'c' },
      query('', 'second'),
      query('Revoked'),
      { endpoint: 'accounts', subject: 'c', status: 403 },
      { endpoint: 'delete-account-access-consent', subject: 'c', status: 204 },
      { ...query('Revoked'), status: 400 },
    ]),
  ).toEqual([
    ' | create | waiting | 1/0/0',
    'waiting | query | waiting | 1/0/0',
    'waiting | approve | approved | 1/0/0',
    'approved | exchange | in use | 1/0/0',
    'in use | read | in use | 1/0/2',
    'in use | query by another client | in use | 0/1/0',
    'in use | customer-revokes | revoked | 1/0/0',
    'revoked | query | revoked | 1/0/0',
    'revoked | read | revoked | 0/1/0',
    'revoked | delete | deleted | 1/0/0',
    'deleted | query | deleted | 0/1/0',
  ])
})

test('a visit whose host knows no consent names it by its ID token; nobody tells who sent it', () => {
  const claims = Buffer.from(JSON.stringify({ openbanking_intent_id: 'c' })).toString('base64url')
  const end = { ...visit(`code=1&id_token=e30.${claims}.x`), subject: undefined, visit: undefined }
  const sent = [CREATED, { ...end, client: undefined }].map((each) => record(each as Sketch))
  for (const each of sent.slice(1)) each.about = {}
  expect(transitionsOf(sent).transitions.map(({ event, to }) => `${event} ${to}`)).toEqual([
    'create waiting',
    'approve approved',
  ])
})

test('a denial, and a visit that ends without a code, leave the consent waiting', () => {
  expect(rowsOf([CREATED, visit('error=access_denied'), visit('error=invalid_request')])).toEqual([
    ' | create | waiting | 1/0/0',
    'waiting | deny | waiting | 0/1/0',
    'waiting | approve | waiting | 0/1/0',
  ])
})

test('what belongs to no consent that was created among the records is left out', () => {
  expect(rowsOf([query('Authorised'), { ...CREATED, status: 400 }])).toEqual([])
})

test('kinds of events, pairs and triples are counted for each consent by itself', () => {
  const { consents, figures } = transitionsOf(
    [CREATED, query('AwaitingAuthorisation'), query('AwaitingAuthorisation')].map(record),
  )
  expect({ consents, figures }).toEqual({ consents: 1, figures: [2, 2, 1] })
})
