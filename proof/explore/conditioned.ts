import type { Context } from 'koa'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'
import { type Random, randomOf } from '../../engine/explore/random.ts'
import { consentNamed } from '../altering/consent-requests.ts'
import { ofEachBank } from '../run/each-bank.ts'

/** Events of one consent, as the bank sees them. */
const EVENTS = ['query', 'exchange', 'refresh', 'accounts', 'balances', 'transactions'] as const

type Event = (typeof EVENTS)[number]

const LATER = EVENTS.filter((event) => event !== 'exchange')

/** How the event goes wrong. `deleted in appearance`: a deletion is answered but not done, which later events show. */
const EFFECTS = ['refused', 'a row is missing', 'deleted in appearance'] as const

/** A fault that takes effect under a condition: after two events, for one client, at the n-th call. */
export interface Conditioned {
  after: readonly [Event, Event]
  client: 'first' | 'second'
  nth: number
  effect: (typeof EFFECTS)[number]
  /** The event that goes wrong; a deletion for `deleted in appearance`. */
  at: Event | 'delete'
}

/** This many of them, drawn from the pairs and triples of events. */
export function conditionedFaults(count: number, seed: number): (Alteration & Conditioned)[] {
  const random = randomOf(seed)
  return Array.from({ length: count }, () => faultOf(drawn(random)))
}

const one = <Item>(items: readonly Item[], random: Random) =>
  items[Math.floor(random() * items.length)] as Item

function drawn(random: Random): Conditioned {
  const effect = one(EFFECTS, random)
  // A missing row is only noticed if it was seen before. A code is exchanged before any reading, so it can only be
  // first.
  const first = effect === 'a row is missing' ? 'transactions' : one(EVENTS, random)
  const second = one(LATER, random)
  return {
    after: [first, second],
    client: random() < 0.5 ? 'first' : 'second',
    // A consent is deleted only once.
    nth: effect === 'deleted in appearance' ? 1 : 1 + Math.floor(random() * 2),
    effect,
    at:
      effect === 'deleted in appearance'
        ? 'delete'
        : effect === 'a row is missing'
          ? 'transactions'
          : one(LATER, random),
  }
}

function faultOf(condition: Conditioned): Alteration & Conditioned {
  const { after, client, nth, effect, at } = condition
  /** Consent → its progress through the events. */
  const progressOf = ofEachBank(() => new Map<string, { stage: number; calls: number }>())
  return {
    ...condition,
    id: `${effect}-${at}-${nth}-after-${after.join('-')}-${client}`.replaceAll(' ', '-'),
    story: `After ${after.join(' and then ')} a consent of the ${client} client is answered wrongly: ${effect}.`,
    async middleware(ctx, next) {
      const event = eventOf(ctx)
      const progress = progressOf()
      const before = consentNamed(ctx)?.id ?? tokenInfoOf(ctx)?.consent?.id ?? refreshed(ctx)
      const known = progress.get(before ?? '')
      const isDue = event === at && known?.stage === 2 && clientOf(ctx) === client
      if (isDue) known.calls += 1
      const shows = isDue && known?.calls === nth
      if (shows && effect === 'deleted in appearance') {
        ctx.status = 204
        ctx.state.fired()
        return
      }
      await next()
      if (ctx.status >= 300 || event === undefined) return
      const consent = before ?? consentOfTokens(ctx)
      if (consent === undefined) return
      const now = progress.get(consent) ?? { stage: 0, calls: 0 }
      progress.set(consent, now)
      if (event === after[now.stage] && !isDue) now.stage += 1
      if (shows) wrongly(ctx, effect)
    },
  }
}

function clientOf(ctx: Context): 'first' | 'second' | undefined {
  const own = tokenInfoOf(ctx)?.client
  if (own) return own
  const { records, directory } = stateOf(ctx).bank.services
  const id = new URLSearchParams(stateOf(ctx).body).get('client_id')
  const owner = id === null ? undefined : records.peek('Client', id)
  if (!owner) return undefined
  return owner.org_id === directory.clients.second.organisationId ? 'second' : 'first'
}

function eventOf(ctx: Context): Event | 'delete' | undefined {
  if (ctx.path.endsWith('/token') && ctx.method === 'POST') {
    const grant = new URLSearchParams(stateOf(ctx).body).get('grant_type')
    if (grant === 'refresh_token') return 'refresh'
    return grant === 'authorization_code' ? 'exchange' : undefined
  }
  if (/\/account-access-consents\/[^/]+$/.test(ctx.path)) {
    if (ctx.method === 'GET') return 'query'
    return ctx.method === 'DELETE' ? 'delete' : undefined
  }
  if (ctx.method !== 'GET') return undefined
  return (['accounts', 'balances', 'transactions'] as const).find((what) =>
    ctx.path.endsWith(`/aisp/${what}`),
  )
}

/** The consent of the refresh token in a request. */
function refreshed(ctx: Context): string | undefined {
  const { records, consents } = stateOf(ctx).bank.services
  const token = new URLSearchParams(stateOf(ctx).body).get('refresh_token')
  const grant = token === null ? undefined : records.peek('RefreshToken', token)?.grantId
  return grant ? consents.ofGrant(grant)?.id : undefined
}

/** The consent of the tokens in an answer of the token endpoint. */
function consentOfTokens(ctx: Context): string | undefined {
  const { records, consents } = stateOf(ctx).bank.services
  const { access_token: token } = { ...(ctx.body as { access_token?: string } | undefined) }
  const grant = token && records.peek('AccessToken', token)?.grantId
  return grant ? consents.ofGrant(grant)?.id : undefined
}

function wrongly(ctx: Context, effect: Conditioned['effect']): void {
  if (effect === 'refused') {
    ctx.status = 403
    ctx.body = {
      ...{ Code: '403 Forbidden', Id: 'c0ffee00-0000-4000-8000-000000000000' },
      ...{ Message: 'Refused.', Errors: [{ ErrorCode: 'UK.OBIE.Field.Invalid', Message: 'No.' }] },
    }
    ctx.state.fired()
    return
  }
  const { Transaction: rows = [] } = { ...(ctx.body as Body | undefined)?.Data }
  const booked = rows.findIndex(({ Status }) => Status === 'Booked')
  if (booked < 0) return
  rows.splice(booked, 1)
  ctx.state.fired()
}

interface Body {
  Data?: { Transaction?: { Status?: string }[] }
}
