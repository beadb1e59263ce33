import { describe, expect, test } from 'vitest'
import type { Event } from '../../engine/client-session/ledger/events.ts'
import { patientWithNewcomers } from '../../engine/client-session/newcomers.ts'
import type { About, Exchange } from '../../engine/wire/exchange.ts'
import type { Wire, WireMessage } from '../../engine/wire/wire.ts'

const SETTLING = 250

const made = (at = Date.now()): Event[] => [
  { kind: 'created', consentId: 'c-1', at },
  { kind: 'registered', clientId: 'id-1', at },
  { kind: 'approved', code: 'k-1', customer: 'first', consentId: 'c-1', at },
]

const query = (about: About = {}, present = true): WireMessage => ({
  ...{ endpoint: 'query-account-access-consent', identity: 'first', method: 'GET' },
  url: 'https://bank.example/account-access-consents/c-1',
  headers: [
    ['Authorization', 'Bearer t-1'],
    ...(present ? [['x-fapi-customer-ip-address', '203.0.113.7'] as [string, string]] : []),
  ],
  about: { subject: 'c-1', ...about },
})

const grant = (type: string): WireMessage => ({
  ...{ endpoint: 'token', identity: 'first', method: 'POST', url: 'https://bank.example/token' },
  ...{ headers: [], body: `grant_type=${type}`, about: { registered: { clientId: 'id-1' } } },
})

/** A wire to a bank that gives these statuses one after the other, and the last one from then on. */
function wireTo(statuses: number[], events = made(), error = 'invalid_grant') {
  const sent: WireMessage[] = []
  const send = async (message: WireMessage) => {
    const status = statuses[Math.min(sent.push(message), statuses.length) - 1]
    const { endpoint, about } = message
    const response = { status, json: { error } }
    return { endpoint, about, id: `x${sent.length}`, response } as unknown as Exchange
  }
  return { sent, ...patientWithNewcomers({ send } as Wire, events, SETTLING) }
}

const statusOf = ({ response }: Exchange) => response?.status

describe('what names a new consent, client or token', () => {
  test('is repeated until it is accepted, and rules are told so', async () => {
    const { send, sent } = wireTo([404, 200])
    expect(statusOf(await send(query()))).toBe(200)
    expect(sent.map(({ about }) => about?.soon?.of)).toEqual([undefined, 'x1'])
  })

  test('is repeated with a body of its own', async () => {
    const { send, sent } = wireTo([401, 200])
    const renewed = () => 'grant_type=client_credentials&again'
    expect(statusOf(await send({ ...grant('client_credentials'), renewed }))).toBe(200)
    expect(sent[1]?.body).toBe(renewed())
  })

  test('is repeated for a code that is not known, and not for one that may be used up', async () => {
    const { send, sent } = wireTo([400, 200])
    expect(statusOf(await send(grant('authorization_code&code=k-1')))).toBe(200)
    expect(sent).toHaveLength(2)
    const other = wireTo([400, 200], made(), 'invalid_request')
    expect(statusOf(await other.send(grant('authorization_code&code=k-1')))).toBe(400)
  })

  test('that was known late is named for the first time after the settling time, once', async () => {
    const events = made()
    const { send, sent } = wireTo([404, 200, 404, 404, 200], events)
    await send(query())
    const next = (id: string): WireMessage => {
      events.push({ kind: 'created', consentId: id, at: Date.now() })
      return { ...query(), about: { subject: id } }
    }
    const began = Date.now()
    expect(statusOf(await send(next('c-2')))).toBe(404)
    expect(Date.now() - began).toBeGreaterThanOrEqual(SETTLING - 10)
    expect(sent).toHaveLength(3)
    expect(statusOf(await send(next('c-3')))).toBe(200)
  })

  test('that is refused for the whole settling time is refused, and there no other is repeated', async () => {
    const events = made()
    const { send, sent } = wireTo([403], events)
    const countOf = async (message: WireMessage) => {
      const before = sent.length
      expect(statusOf(await send(message))).toBe(403)
      return sent.length - before
    }
    expect(await countOf(query())).toBeGreaterThan(2)
    events.push(...made())
    expect(await countOf(query())).toBe(1)
    expect(await countOf(grant('client_credentials'))).toBeGreaterThan(2)
  })
})

describe('one request is sent for', () => {
  const once = async (message: WireMessage, events?: Event[], statuses = [404, 200]) => {
    const { send, sent } = wireTo(statuses, events)
    expect(statusOf(await send(message))).toBe(statuses[0])
    expect(sent).toHaveLength(1)
  }

  test('what deviates', () => once(query({ deviation: 'without a token' })))
  test('a read without the customer', () => once(query({}, false)))
  test('a code that no approval gave', () => once(grant('authorization_code&code=k-2')))
  test('a consent that is no longer new', () => once(query(), made(Date.now() - SETTLING)))
  test('a consent of another run', () => once(query(), []))
  test('a server in trouble', () => once(query(), made(), [500, 200]))
  test('a consent that the run has ended', () =>
    once(query(), [...made(), { kind: 'ended', consentId: 'c-1', at: Date.now() }]))

  test('a consent that was accepted before', async () => {
    const { send, sent } = wireTo([200, 404])
    await send(query())
    expect(statusOf(await send(query({}, true)))).toBe(404)
    expect(sent).toHaveLength(2)
  })
})
