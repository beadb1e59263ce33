import type { Context, Middleware } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { Consent } from '../../../bank/state/consents.ts'
import { ageOf, revokeGrants } from '../../../bank/state/services.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { consentNamed, isAbout } from '../../altering/consent-requests.ts'
import { endpointOf } from '../../altering/data-requests.ts'
import { tokenForm } from '../../altering/jwt-rewrites.ts'
import { jsonOf } from '../../altering/rewriting.ts'
import { outlives } from '../../cells/access-cells.ts'
import {
  bearerOf,
  byFirst,
  bySecond,
  isAbsent,
  isOfSecond,
  isOfSecondCustomer,
} from '../../cells/parties.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** What remains possible after the end of a consent, one cell at a time. */
const fails = (...ids: string[]) => ({ fails: ids })

type Revives = Required<Pick<Fault, 'policies' | 'middleware'>>

/** An ended consent gives data after one of its tokens is refreshed. */
function revives(ended: (consent: Consent, ctx: Context) => boolean): Revives {
  /** Access tokens from such a refresh. */
  const late = ofEachBank(() => new Set<string>())
  const isEnded = (consent: Consent | undefined, ctx: Context | undefined): ctx is Context =>
    consent !== undefined && ctx !== undefined && ended(consent, ctx)
  return {
    policies: (correct, { fired }) => ({
      tokensDie: () => false,
      refreshable(consent, age) {
        const right = correct.refreshable(consent, age)
        if (right || !isEnded(consent, currentRequest())) return right
        fired()
        return true
      },
      consentUsable(consent, age) {
        const ctx = currentRequest()
        const known = ctx && late().has(bearerOf(ctx))
        return known ? undefined : correct.consentUsable(consent, age)
      },
    }),
    async middleware(ctx, next) {
      await next()
      const token = jsonOf(ctx)?.access_token
      if (tokenForm(ctx)?.get('grant_type') !== 'refresh_token' || !token) return
      const { records, consents } = stateOf(ctx).bank.services
      const { grantId } = records.peek('AccessToken', String(token)) ?? {}
      if (isEnded(consents.ofGrant(String(grantId)), ctx)) late().add(String(token))
    },
  }
}

/** The first client deletes an authorised consent of the second: the bank refuses, but `harm` is done anyway. */
function refusedYet(harm: (consent: Consent, ctx: Context) => void): Middleware {
  return async (ctx, next) => {
    const asked = isAbout(ctx, 'account-access', 'DELETE') && byFirst(ctx)
    const consent = asked ? consentNamed(ctx) : undefined
    await next()
    if (consent?.status !== 'Authorised' || !isOfSecond(ctx, consent)) return
    harm(consent, ctx)
    stateOf(ctx).fired()
  }
}

/** Deleted consents of some kind can still be queried. */
function queried(kept: (ctx: Context, consent: Consent) => boolean): Pick<Fault, 'policies'> {
  return {
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        const ctx = currentRequest()
        if (ctx?.method !== 'GET' || !consent.deleted || !kept(ctx, consent)) {
          return correct.visibleToTpp(consent)
        }
        fired()
        return true
      },
    }),
  }
}

/** The second client's deletions of some consents are answered with 200 instead of 204. */
function deletedWith200(of: (consent: Consent) => boolean): Middleware {
  return async (ctx, next) => {
    const second = isAbout(ctx, 'account-access', 'DELETE') && bySecond(ctx)
    const consent = second ? consentNamed(ctx) : undefined
    await next()
    if (ctx.status !== 204 || !consent || !of(consent)) return
    ctx.status = 200
    ctx.body = {}
    stateOf(ctx).fired()
  }
}

const isAbsentAtBalances = (ctx: Context) => endpointOf(ctx) === 'balances' && isAbsent(ctx)

/** How many times balances of a deleted consent were served. */
const served = ofEachBank(() => ({ times: 0 }))

/** A client that repeats its request until the end is visible gets 429, and may take it for the end. */
const twiceOfWhatWasDeleted: Middleware = async (ctx, next) => {
  const deleted = isAbsentAtBalances(ctx) && tokenInfoOf(ctx)?.consent?.deleted !== undefined
  if (deleted && served().times === 2) {
    ctx.status = 429
    return
  }
  await next()
  if (deleted && ctx.status === 200) served().times += 1
}

/** The end of one consent also ends consents that the same customer approved for another client. */
function takesOthers(ended: (other: Consent, ctx: Context) => boolean): Pick<Fault, 'policies'> {
  const taken = (consent: Consent) => {
    const ctx = currentRequest()
    if (!ctx || consent.customerId === undefined || consent.status !== 'Authorised') return false
    const { consents } = stateOf(ctx).bank.services
    return consents
      .ofCustomer(consent.customerId)
      .some((other) => other.clientId !== consent.clientId && ended(other, ctx))
  }
  return {
    policies: (correct, { fired }) => ({
      consentUsable(consent, age) {
        if (!taken(consent)) return correct.consentUsable(consent, age)
        fired()
        return correct.consentUsable({ ...consent, status: 'Revoked' }, age)
      },
    }),
  }
}

/**
 * Refreshes revive re-confirmed consents, once these were queried after their deletion: a refresh beside the deletion is
 * another fault.
 */
function revivesReconfirmed(): Revives {
  const asked = ofEachBank(() => new Set<Consent>())
  const { policies, middleware } = revives(
    (consent) => asked().has(consent) && consent.grants.size > 1,
  )
  return {
    policies,
    async middleware(ctx, next) {
      const named = isAbout(ctx, 'account-access', 'GET') ? consentNamed(ctx) : undefined
      if (named?.deleted !== undefined) asked().add(named)
      await middleware(ctx, next)
    },
  }
}

const faults: Fault[] = [
  {
    id: 'revocation-takes-what-another-client-has',
    story:
      "When a customer revokes a consent of the first client, the customer's consents for the second client end too.",
    fails: [],
    warns: ['CLC-19/not-by-revocation'],
    ...takesOthers((other, ctx) => other.status === 'Revoked' && !isOfSecond(ctx, other)),
  },
  {
    id: 'revocation-with-the-second-client-takes-what-the-first-has',
    story:
      "When a customer revokes a consent of the second client, the customer's consents for the first client end too.",
    fails: [],
    warns: ['CLC-19/second-client'],
    ...takesOthers((other, ctx) => other.status === 'Revoked' && isOfSecond(ctx, other)),
  },
  {
    id: 'expiry-takes-what-another-client-has',
    story: "When a consent expires, the customer's consents for the other client end too.",
    fails: [],
    warns: ['CLC-19/not-by-expiry'],
    ...takesOthers((other, ctx) => ageOf(stateOf(ctx).bank.services, other).expired),
  },
  outlives(
    'expiry-at-transactions',
    (_consent, age) => age.expired,
    (ctx) => endpointOf(ctx) === 'transactions',
    fails('CLC-16/every-endpoint'),
  ),
  outlives(
    'deletion-at-balances-while-absent',
    (consent) => consent.deleted !== undefined,
    isAbsentAtBalances,
    fails('CLC-04/data-refused'),
  ),
  {
    ...outlives(
      'deletion-while-absent-until-a-limit',
      (consent) => consent.deleted !== undefined,
      isAbsentAtBalances,
      fails('CLC-04/data-refused'),
    ),
    middleware: twiceOfWhatWasDeleted,
  },
  outlives(
    'deletion-with-an-end-alone',
    (consent) => consent.deleted !== undefined,
    ({ query }) => 'toBookingDateTime' in query && !('fromBookingDateTime' in query),
    fails('CLC-04/data-refused'),
  ),
  outlives(
    'revocation-with-both-filters',
    (consent) => consent.status === 'Revoked',
    ({ query }) => 'toBookingDateTime' in query && 'fromBookingDateTime' in query,
    fails('CLC-11/data-refused'),
  ),
  outlives(
    'revocation-at-single-transactions-while-absent',
    (consent) => consent.status === 'Revoked',
    (ctx) => endpointOf(ctx) === 'account-transactions' && isAbsent(ctx),
    fails('CLC-11/data-refused'),
  ),
  outlives(
    'deletion-of-what-was-re-confirmed',
    (consent) => consent.deleted !== undefined && consent.grants.size > 1,
    () => true,
    fails('CLC-04/re-confirmed'),
  ),
  outlives(
    'deletion-by-the-second-client',
    (consent) => consent.deleted !== undefined,
    bySecond,
    fails('CLC-04/second-client'),
  ),
  outlives(
    'deletion-by-the-second-customer',
    (consent) => consent.deleted !== undefined,
    (ctx) => isOfSecondCustomer(ctx, tokenInfoOf(ctx)?.consent),
    fails('CLC-04/second-client'),
  ),
  {
    id: 'deleted-consents-of-the-second-customer-can-be-queried',
    story:
      'Deleted consents of some customers can still be queried, because they are also in an archive.',
    fails: ['CLC-03/second-client'],
    ...queried(isOfSecondCustomer),
  },
  {
    id: 'refresh-token-of-the-second-client-outlives-deletion',
    story:
      "After the second client's consent was deleted, a refresh gives an access token that reads data.",
    fails: ['TOK-31/second-client-deletes'],
    ...revives((consent, ctx) => consent.deleted !== undefined && isOfSecond(ctx, consent)),
  },
  {
    id: 'first-client-ends-what-it-may-not-delete',
    story:
      'When the first client deletes a consent of the second client, it is refused, but the consent is deleted.',
    fails: ['CLC-08/second-client'],
    middleware: refusedYet((consent) => {
      consent.deleted = Date.now()
    }),
  },
  {
    id: 'first-client-ends-the-tokens-of-what-it-may-not-delete',
    story:
      'When the first client deletes a consent of the second client, it is refused, but the tokens of the consent are revoked.',
    fails: ['CLC-08/second-client'],
    middleware: refusedYet((consent, ctx) => revokeGrants(stateOf(ctx).bank.services, consent)),
  },
  outlives(
    'deletion-with-the-first-token',
    (consent) => consent.deleted !== undefined,
    (ctx) => tokenInfoOf(ctx)?.refreshed === false && byFirst(ctx),
    fails('CLC-04/data-refused'),
  ),
  outlives(
    'revocation-of-the-second-client',
    (consent) => consent.status === 'Revoked',
    bySecond,
    fails('CLC-11/second-client'),
  ),
  {
    id: 'revocation-not-shown-to-the-second-client',
    story: 'A revoked consent of the second client shows Authorised.',
    fails: ['CLC-10/second-client'],
    policies: (correct, { fired }) => ({
      consentView(consent, spelling) {
        const ctx = currentRequest()
        if (!ctx || !bySecond(ctx) || consent.status !== 'Revoked') {
          return correct.consentView(consent, spelling)
        }
        fired()
        return correct.consentView({ ...consent, status: 'Authorised' }, spelling)
      },
    }),
  },
  {
    id: 'refresh-token-of-the-second-client-outlives-revocation',
    story:
      "After the second client's consent was revoked, a refresh gives an access token that reads data.",
    fails: ['TOK-31/second-client'],
    ...revives((consent, ctx) => consent.status === 'Revoked' && isOfSecond(ctx, consent)),
  },
  outlives(
    'revocation-with-a-filter',
    (consent) => consent.status === 'Revoked',
    (ctx) => ctx.querystring !== '',
    fails('CLC-11/data-refused'),
  ),
  {
    id: 'second-client-deletes-with-200',
    story: 'When the second client deletes an approved consent, it gets status 200 instead of 204.',
    fails: ['CLC-01/second-client'],
    middleware: deletedWith200(({ customerId }) => customerId !== undefined),
  },
  {
    id: 'refresh-token-outlives-a-re-confirmed-consent',
    story:
      'After a re-confirmed consent was deleted, a refresh gives an access token that reads data.',
    fails: ['TOK-31/re-confirmed'],
    ...revivesReconfirmed(),
  },
  {
    id: 'rotated-refresh-token-outlives-a-re-confirmed-consent',
    story:
      'After a re-confirmed consent was deleted, a refresh gives an access token that reads data. Each refresh token can be used once.',
    fails: ['TOK-31/re-confirmed'],
    settings: { refreshTokens: 'rotated' },
    ...revivesReconfirmed(),
  },
  outlives(
    'deletion-by-the-second-client-with-a-filter',
    (consent) => consent.deleted !== undefined,
    (ctx) => bySecond(ctx) && ctx.querystring !== '',
    fails('CLC-04/second-client'),
  ),
  outlives(
    'deletion-by-the-second-client-while-absent',
    (consent) => consent.deleted !== undefined,
    (ctx) => bySecond(ctx) && isAbsent(ctx),
    fails('CLC-04/second-client'),
  ),
  outlives(
    'deletion-of-what-was-re-confirmed-with-a-filter',
    (consent) => consent.deleted !== undefined && consent.grants.size > 1,
    (ctx) => byFirst(ctx) && ctx.querystring !== '',
    fails('CLC-04/re-confirmed'),
  ),
  outlives(
    'revocation-of-what-was-re-confirmed-with-a-filter',
    (consent) => consent.status === 'Revoked' && consent.grants.size > 1,
    (ctx) => ctx.querystring !== '',
    fails('CLC-11/re-confirmed'),
  ),
  {
    id: 'waiting-consents-of-the-second-client-deleted-with-200',
    story:
      'When the second client deletes a consent in AwaitingAuthorisation, it gets status 200 instead of 204.',
    fails: ['CLC-01/awaiting'],
    middleware: deletedWith200(({ customerId }) => customerId === undefined),
  },
  {
    id: 'the-second-client-deletes-what-never-was',
    story: 'When the second client deletes an unknown ConsentId, it gets 204 instead of an error.',
    fails: ['CLC-09/invalid-id'],
    async middleware(ctx, next) {
      await next()
      const asked = isAbout(ctx, 'account-access', 'DELETE') && bySecond(ctx)
      if (!asked || consentNamed(ctx) || ctx.status < 400) return
      ctx.status = 204
      stateOf(ctx).fired()
    },
  },
  {
    id: 'deleted-consents-of-the-second-client-can-be-queried',
    story:
      'A consent of the second client that was deleted before its approval can still be queried.',
    fails: ['CLC-03/query-refused'],
    ...queried((ctx, consent) => consent.customerId === undefined && isOfSecond(ctx, consent)),
  },
]
export default faults
