import { describe, expect, test } from 'vitest'
import { createLedger, type Event, toldBy } from '../../engine/client-session/ledger/events.ts'
import {
  endedByItself,
  mayBeReplaced,
  mayShowItsEnd,
  newerCodeWaits,
  newerGiven,
  newerToken,
  type Older,
} from '../../engine/client-session/ledger/newer-approvals.ts'
import { isOutdated, type Why, why } from '../../engine/client-session/ledger/why.ts'
import type { About, Exchange } from '../../engine/wire/exchange.ts'

/*
 * The first client and the first customer, unless a line says otherwise. “old” is the approval of the consent c-old,
 * with the token t-old; “new” is one that comes after it. Times are seconds since the beginning.
 */

const time = (second: number) => Date.parse('2026-03-28T10:00:00Z') + second * 1000

type Facts<K extends Event['kind']> = Partial<Extract<Event, { kind: K }>>

const approved = (second: number, name: string, facts: Facts<'approved'> = {}): Event => ({
  ...{ kind: 'approved', at: time(second), code: `k-${name}`, consentId: `c-${name}` },
  ...{ customer: 'first', clientId: 'id-1' },
  ...facts,
})
const given = (second: number, name: string, facts: Facts<'given'> = {}): Event => ({
  ...{ kind: 'given', at: time(second), name, consentId: `c-${name}` },
  ...{ client: 'first', customer: 'first' },
  ...facts,
})
/** By the code of an approval. */
const issued = (second: number, name: string, facts: Facts<'issued'> = {}): Event => ({
  ...{ kind: 'issued', at: time(second), token: `t-${name}`, code: `k-${name}` },
  ...{ client: 'first', clientId: 'id-1', customer: 'first' },
  ...{ grant: 'authorization_code', expiresIn: 300 },
  ...facts,
})
/** By a client_credentials grant, or a refresh. */
const granted = (second: number, token: string, facts: Facts<'issued'> = {}): Event => ({
  ...{ kind: 'issued', at: time(second), token, code: '', client: 'first', clientId: 'id-1' },
  ...{ grant: 'client_credentials', expiresIn: 300 },
  ...facts,
})
const used = (second: number, name: string, accessToken = `t-${name}`, refreshToken?: string) => {
  const tokens = { accessToken, refreshToken, expiresAt: Number.POSITIVE_INFINITY }
  return { kind: 'in use', at: time(second), key: `c-${name}`, tokens } satisfies Event
}
const of = (second: number, kind: 'read' | 'refused' | 'ended', name: string): Event => ({
  ...{ kind, at: time(second), consentId: `c-${name}` },
})
const expired = (second: number, token: string): Event => ({
  ...{ kind: 'expired', at: time(second), token },
})
const codeRefused = (second: number, name: string): Event => ({
  ...{ kind: 'code refused', at: time(second), code: `k-${name}` },
})

/** All that comes with an approval. */
const whole = (second: number, name: string) => [
  approved(second, name),
  issued(second + 1, name),
  used(second + 1, name),
  given(second + 2, name),
]

const SETTLING = 10
const older: Older = {
  ...{ kind: 'given', at: time(2), name: 'old', consentId: 'c-old', client: 'first' },
  ...{ clientId: 'id-1', customer: 'first', settlingTime: SETTLING * 1000 },
}

const answered = (status: number, about: About = {}) =>
  ({ about, response: { status, headers: [], body: '', bytes: 0 } }) satisfies Partial<Exchange>
const WRONG = { deviation: 'something is wrong' }

type Line = [
  freedom: string,
  events: Event[],
  status: number,
  why: Why,
  about?: About,
  now?: number,
]

describe('a token of a client for consents is refused', () => {
  const old = granted(0, 't-old')
  test.each<Line>([
    ['nobody gave it to us', [], 401, 'the request'],
    ['nothing ended it', [old], 401, 'too early'],
    ['by another status than 401 (AMB-41)', [old], 403, 'no right'],
    ['by a redirect to a page (AMB-41)', [old], 302, 'no right'],
    ['by a limit', [old], 429, 'no right'],
    ['the request is wrong, and 401 says that', [old], 401, 'the request', WRONG],
    ['its time is not over but for a margin', [old], 401, 'too early', {}, 294.999],
    ['its time is over but for a margin', [old], 401, 'expired', {}, 295],
    ['no lifetime was promised', [granted(0, 't-old', { expiresIn: 0 })], 401, 'expired'],
    ['a hook made it expire', [old, expired(1, 't-old')], 401, 'expired'],
    ['a hook made another one expire', [old, expired(1, 't')], 401, 'too early'],
    ['a newer one replaced it (AMB-43)', [old, granted(1, 't-new')], 401, 'superseded'],
    ['the same, by whatever status', [old, granted(1, 't-new')], 403, 'superseded'],
    ['the same, by a wrong request', [old, granted(1, 't-new')], 401, 'superseded', WRONG],
    ['a wrong request, by whatever status', [old, granted(1, 't')], 403, 'the request', WRONG],
    ['a newer one came, and its time is over', [old, granted(1, 't')], 401, 'expired', {}, 295],
    ['it was issued anew', [old, granted(90, 't-old')], 401, 'too early', {}, 384],
    ['another client got one', [old, granted(1, 't', { client: 'second' })], 401, 'too early'],
    ['a code gave its client one', [old, issued(1, 'new')], 401, 'too early'],
  ])('%s', (_, events, status, expected, about = {}, now = 100) => {
    expect(why(events, 't-old', answered(status, about), undefined, time(now))).toBe(expected)
  })

  test('a client is known to keep the newest alone once an older one was refused', () => {
    const superseded: Event = { kind: 'superseded', at: time(2), client: 'first' }
    const events = [old, granted(1, 't-new')]
    expect(isOutdated(events, 'first', 't-old')).toBe(false)
    expect(isOutdated([...events, superseded], 'first', 't-old')).toBe(true)
    expect(isOutdated([...events, superseded], 'first', 't-new')).toBe(false)
    expect(isOutdated([...events, superseded], 'second', 't-old')).toBe(false)
  })
})

describe('a token of an approval for data is refused', () => {
  const old = whole(0, 'old')
  const ofSecondCustomer = { customer: 'second' } as const
  const ofSecondClient = { client: 'second', clientId: 'id-2' }
  test.each<Line>([
    ['nobody gave it to us', [], 401, 'the request'],
    ['nothing ended it', old, 401, 'too early'],
    ['for want of a right', old, 403, 'no right'],
    ['by a limit', old, 429, 'no right'],
    ['the request is wrong', old, 401, 'the request', WRONG],
    ['the run ended its consent', [...old, of(50, 'ended', 'old')], 401, 'consent ended'],
    ['the same, by whatever status', [...old, of(50, 'ended', 'old')], 403, 'consent ended'],
    ['the run ended another consent', [...old, of(50, 'ended', 'new')], 401, 'too early'],
    ['its time is over', old, 401, 'expired', {}, 297],
    ['a hook made it expire', [...old, expired(50, 't-old')], 401, 'expired'],
    ['a refresh replaced it', [...old, used(50, 'old', 't-next')], 401, 'refreshed'],
    ['another one than what a refresh gave', [...old, used(50, 'old', 't')], 403, 'no right'],
    ['its client got one for consents', [...old, granted(50, 't')], 401, 'too early'],
    ['a newer approval (AMB-43)', [...old, ...whole(50, 'new')], 401, 'superseded'],
    ['the same, by whatever status', [...old, ...whole(50, 'new')], 403, 'superseded'],
    [
      'a newer approval, and the time of the token is over',
      [...old, ...whole(50, 'new')],
      401,
      'expired',
      {},
      297,
    ],
    [
      'a newer approval, by a check alone',
      [...old, approved(50, 'new'), issued(51, 'new')],
      403,
      'superseded',
    ],
    [
      'a newer approval, of a run that was interrupted',
      [...old, used(50, 'new'), given(50, 'new')],
      403,
      'superseded',
    ],
    ['a newer approval whose code is kept', [...old, approved(50, 'new')], 403, 'superseded'],
    [
      'the same, and the refused code',
      [...old, approved(50, 'new'), codeRefused(51, 'new')],
      403,
      'superseded',
    ],
    [
      'a newer approval whose end takes effect late: it read within the settling time',
      [...old, ...whole(50, 'new'), of(60, 'read', 'old')],
      403,
      'superseded',
    ],
    [
      'it read beside the newer approval after the settling time',
      [...old, ...whole(50, 'new'), of(62, 'read', 'old')],
      403,
      'no right',
    ],
    [
      'it ended before the newer approval: by itself',
      [...old, of(3, 'read', 'old'), of(40, 'refused', 'old'), ...whole(50, 'new')],
      403,
      'no right',
    ],
    [
      'it was refused after the newer approval',
      [...old, of(3, 'read', 'old'), ...whole(50, 'new'), of(55, 'refused', 'old')],
      403,
      'superseded',
    ],
    [
      'it read again after it was refused once',
      [
        ...old,
        of(3, 'read', 'old'),
        of(40, 'refused', 'old'),
        of(41, 'read', 'old'),
        ...whole(50, 'new'),
      ],
      403,
      'superseded',
    ],
    [
      'another customer approved',
      [
        ...old,
        approved(50, 'new', ofSecondCustomer),
        issued(51, 'new', ofSecondCustomer),
        used(51, 'new'),
        given(52, 'new', ofSecondCustomer),
      ],
      403,
      'no right',
    ],
    [
      'the customer approved for another client',
      [
        ...old,
        approved(50, 'new', { clientId: 'id-2' }),
        issued(51, 'new', ofSecondClient),
        used(51, 'new'),
        given(52, 'new', { client: 'second' }),
      ],
      403,
      'no right',
    ],
    [
      'the customer approved for a client of a check’s own',
      [...old, approved(50, 'new', { clientId: 'id-3' }), issued(51, 'new', { clientId: 'id-3' })],
      401,
      'too early',
    ],
    ['an approval before it', [...whole(-50, 'new'), ...old], 403, 'no right'],
  ])('%s', (_, events, status, expected, about = {}, now = 100) => {
    expect(why(events, 't-old', answered(status, about), older, time(now))).toBe(expected)
  })
})

describe('an approval that a newer one may have replaced', () => {
  const old = whole(0, 'old')
  const both = [...old, ...whole(50, 'new')]
  const read = (second: number) => of(second, 'read', 'old')

  test.each<[string, Event[], boolean]>([
    ['nothing newer', old, false],
    ['a newer one was approved', both, true],
    ['it read within the settling time', [...both, read(59)], true],
    ['it read after the settling time', [...both, read(60)], false],
    ['its own consent was confirmed again', [...both, approved(70, 'old')], false],
    ['it ended by itself', [...old, read(3), of(40, 'refused', 'old'), ...whole(50, 'new')], false],
  ])('its query may show its end: %s, %s', (_, events, expected) => {
    expect(mayShowItsEnd(events, older)).toBe(expected)
  })

  test.each<[string, Event[], boolean | undefined]>([
    ['nothing newer', old, undefined],
    ['a newer one', both, false],
    ['one without tokens', [...old, given(50, 'new')], undefined],
    ['one that the run ended', [...both, of(60, 'ended', 'new')], true],
    ['one whose only token expired', [...both, expired(60, 't-new')], true],
    [
      'one that can be refreshed',
      [...both, used(55, 'new', 't-new', 'r'), expired(60, 't-new')],
      false,
    ],
  ])('the newer one that checks use is gone: %s, %s', (_, events, gone) => {
    expect(newerGiven(events, older)?.gone).toBe(gone)
  })

  const alone = [...old, approved(50, 'new'), issued(51, 'new')]
  test.each<[string, Event[], boolean | undefined]>([
    ['nothing newer', old.slice(0, -1).concat(given(2, 'old')), undefined],
    ['a newer one', alone, false],
    ['it read since', [...alone, read(61)], undefined],
    ['one that expired', [...alone, expired(60, 't-new')], true],
    ['one whose consent the run ended', [...alone, of(60, 'ended', 'new')], true],
    ['one whose code was sent twice', [...alone, codeRefused(60, 'new')], true],
    [
      'one whose code was refused at first',
      [...old, approved(50, 'new'), codeRefused(51, 'new'), issued(52, 'new')],
      false,
    ],
  ])('the newer token is gone: %s, %s', (_, events, gone) => {
    expect(newerToken(events, older)?.gone).toBe(gone)
  })

  test.each<[string, Event[], boolean]>([
    ['nothing newer', old, false],
    ['a code that nobody sent', [...old, approved(50, 'new')], true],
    ['a code that came before', [...old, approved(50, 'new', { code: 'k-old' })], true],
    ['of another customer', [...old, approved(50, 'new', { customer: 'second' })], false],
    ['of another client', [...old, approved(50, 'new', { clientId: 'id-2' })], false],
    ['a code that was refused', [...old, approved(50, 'new'), codeRefused(51, 'new')], true],
    ['a code that gave a token', alone, false],
    ['it read since', [...old, approved(50, 'new'), read(60)], false],
    ['its own consent', [...old, approved(50, 'old', { code: 'k-again' })], false],
  ])('a newer code waits: %s, %s', (_, events, expected) => {
    expect(newerCodeWaits(events, older)).toBe(expected)
  })

  const late = [...old, read(20), of(40, 'refused', 'old')]
  test.each<[string, Event[], boolean]>([
    ['it was never refused', [...old, read(20)], false],
    ['it never read', [...old, of(40, 'refused', 'old')], false],
    ['nothing newer', late, true],
    ['a newer one after it was refused', [...late, approved(41, 'new')], true],
    ['a newer one that it outlived', [...old, approved(9, 'new'), ...late.slice(4)], true],
    ['a newer one just before it read', [...old, approved(10, 'new'), ...late.slice(4)], false],
    ['a newer one before it was refused', [...late, approved(40, 'new')], false],
    ['its own consent', [...late, approved(40, 'old')], true],
  ])('it ended by itself: %s, %s', (_, events, expected) => {
    expect(endedByItself(events, older)).toBe(expected)
    if (expected) expect(mayBeReplaced(events, older)).toBe(false)
  })
})

describe('the ledger', () => {
  const exchange = (endpoint: Exchange['endpoint'], about: About, status: number, more = {}) =>
    ({
      ...{ id: 'x1', endpoint, about, startedAt: new Date(time(7)).toISOString(), durationMs: 1 },
      request: { method: 'POST', url: '', headers: [], ...more },
      response: { ...answered(status).response, ...more },
      connection: { identity: 'none' },
    }) as unknown as Exchange
  const consent = { id: 'c-old', permissions: [] }
  const own = { approval: 'old', consent }
  const form = (body: string, json: unknown = {}) => ({ body, json })
  const token = { access_token: 't-old', expires_in: '300' }

  test.each<[string, Exchange, unknown[]]>([
    ['data', exchange('accounts', own, 200), [{ kind: 'read', consentId: 'c-old' }]],
    ['refused data', exchange('accounts', own, 403), []],
    ['data by a wrong request', exchange('accounts', { ...own, ...WRONG }, 200), []],
    ['data of a token that a check sends', exchange('accounts', { consent }, 200), []],
    [
      'a deletion, by whatever request',
      exchange('delete-account-access-consent', { subject: 'c-old', ...WRONG }, 204),
      [{ kind: 'ended', consentId: 'c-old' }],
    ],
    [
      'a refused deletion',
      exchange('delete-account-access-consent', { subject: 'c-old' }, 400),
      [],
    ],
    [
      'a token of a client',
      exchange('token', {}, 200, form('grant_type=client_credentials', token)),
      [
        {
          ...{ kind: 'issued', token: 't-old', client: 'first', clientId: undefined, code: '' },
          ...{ grant: 'client_credentials', customer: undefined, expiresIn: 300 },
        },
      ],
    ],
    [
      'a token by the code of an approval',
      exchange(
        'token',
        { client: 'second', registered: { clientId: 'id-2' } },
        200,
        form('grant_type=authorization_code&code=k-old', { access_token: 't' }),
      ),
      [
        {
          ...{ kind: 'issued', token: 't', client: 'second', clientId: 'id-2', code: 'k-old' },
          ...{ grant: 'authorization_code', customer: 'first', expiresIn: 0 },
        },
      ],
    ],
    [
      'the code of an approval, refused',
      exchange('token', {}, 400, form('grant_type=authorization_code&code=k-old')),
      [{ kind: 'code refused', code: 'k-old' }],
    ],
    [
      'a code that no approval gave, refused',
      exchange('token', {}, 400, form('grant_type=authorization_code&code=k')),
      [],
    ],
  ])('an exchange tells of %s', (_, sent, told) => {
    expect(toldBy(sent, [approved(0, 'old')])).toEqual(told)
  })

  test('keeps what exchanges and hooks tell, in order and with their times', () => {
    const ledger = createLedger()
    ledger.note(exchange('accounts', own, 200))
    ledger.noteHook('token-expired', { accessToken: 't-old' })
    ledger.noteHook('customer-revokes', { consentId: 'c-old' })
    ledger.noteHook('consent-expired', { accessToken: 't-old' })
    expect(ledger.events).toEqual([
      { kind: 'read', consentId: 'c-old', at: time(7) },
      { kind: 'expired', token: 't-old', at: expect.any(Number) },
      { kind: 'ended', consentId: 'c-old', at: expect.any(Number) },
    ])
  })
})
