import type { Context, Middleware } from 'koa'
import type { Consent, Status } from '../../../bank/consents.ts'
import { currentRequest } from '../../../bank/request-context.ts'
import { revokeGrants } from '../../../bank/services.ts'
import { stateOf } from '../../../bank/state.ts'
import { tokenInfoOf } from '../../../bank/token-info.ts'
import {
  dataPlace,
  foreignAccount,
  letsIn,
  outlives,
  PLACES,
  takesOtherToken,
} from '../../cells/access-cells.ts'
import { consentNamed, isAbout } from '../../consent-requests.ts'
import { endpointOf } from '../../data-requests.ts'
import { ofEachBank } from '../../each-bank.ts'
import { tokenForm } from '../../jwt-rewrites.ts'
import type { Fault } from '../../proof.ts'
import { jsonOf } from '../../rewriting.ts'

/** Who gets in where, one cell at a time. */
const fails = (...ids: string[]) => ({ fails: ids })
const warns = (...ids: string[]) => ({ fails: [], warns: ids })

const bySecond = (ctx: Context) => tokenInfoOf(ctx)?.client === 'second'
const byFirst = (ctx: Context) => tokenInfoOf(ctx)?.client === 'first'
const bearerOf = (ctx: Context) => ctx.get('authorization').replace(/^Bearer +/i, '')
const isAbsent = (ctx: Context) => ctx.get('x-fapi-customer-ip-address') === ''

function isOfSecond(ctx: Context, { clientId }: Consent): boolean {
  const { records, directory } = stateOf(ctx).bank.services
  return records.peek('Client', clientId)?.org_id === directory.clients.second.organisationId
}

/** A token of the client_credentials grant. */
function isClientToken(ctx: Context): boolean {
  const info = tokenInfoOf(ctx)
  return info !== undefined && info.consent === undefined
}

function scopeOf(ctx: Context): string {
  const { records } = stateOf(ctx).bank.services
  return String(records.peek('ClientCredentials', bearerOf(ctx))?.scope)
}

/** A consent of the second client, in the hands of the first. */
function ofTheSecond(
  id: string,
  story: string,
  kind: 'account-access' | 'funds-confirmation',
  method: string,
  said: ReturnType<typeof fails>,
): Fault {
  return {
    id,
    story,
    ...said,
    policies: (correct, { fired }) => ({
      ownsConsent(consent, clientId) {
        const ctx = currentRequest()
        const own = correct.ownsConsent(consent, clientId)
        if (own || !ctx || consent.kind !== kind || ctx.method !== method || !byFirst(ctx))
          return own
        fired()
        return true
      },
    }),
  }
}

/** Deletes the consent that the path names, whoever asks, where the request fits. */
function deletes(
  id: string,
  story: string,
  fits: (ctx: Context, consent: Consent) => boolean,
  said: Pick<Fault, 'fails' | 'warns'>,
  status: Status = 'Authorised',
): Fault {
  return {
    id,
    story,
    ...said,
    async middleware(ctx, next) {
      const consent = isAbout(ctx, 'account-access', 'DELETE') ? consentNamed(ctx) : undefined
      if (consent?.status !== status || !fits(ctx, consent)) return next()
      consent.deleted = Date.now()
      stateOf(ctx).fired()
      ctx.status = 204
    },
  }
}

/** An ended consent gives data to whoever refreshes a token of it. */
function revives(
  ended: (consent: Consent, ctx: Context) => boolean,
): Pick<Fault, 'policies' | 'middleware'> {
  /** Access tokens that came of it. */
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

/** What a deletion of an authorised consent of the second client by the first does, although it is refused. */
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

function isOfSecondCustomer(ctx: Context, consent: Consent | undefined): boolean {
  const [, second] = stateOf(ctx).bank.customers
  return second !== undefined && consent?.customerId === second.id
}

const faults: Fault[] = [
  letsIn('none', PLACES.fundsDeletion, fails('SEC-01/funds-deletion')),
  takesOtherToken(
    dataPlace('account-transactions'),
    (ctx) => isClientToken(ctx) && bySecond(ctx),
    () => 'data',
    'client-token-of-the-second',
    fails('TOK-24/other-tokens'),
  ),
  takesOtherToken(
    dataPlace('balances'),
    (ctx) => isClientToken(ctx) && scopeOf(ctx) === 'fundsconfirmations',
    () => 'data',
    'token-for-funds',
    fails('TOK-24/other-tokens'),
  ),
  takesOtherToken(
    dataPlace('account-transactions'),
    (ctx) => isClientToken(ctx) && isAbsent(ctx),
    () => 'data',
    'client-token-while-absent',
    fails('TOK-24/transactions'),
  ),
  takesOtherToken(
    dataPlace('transactions'),
    (ctx) => isClientToken(ctx) && ctx.querystring !== '',
    () => 'data',
    'client-token-with-a-filter',
    fails('TOK-24/transactions'),
  ),
  takesOtherToken(
    PLACES.fundsCreation,
    (ctx) => tokenInfoOf(ctx)?.consent !== undefined,
    () => 'fundsconfirmations',
    'data-token',
    warns('TOK-25/funds-confirmation'),
  ),
  takesOtherToken(
    PLACES.fundsCreation,
    (ctx) => isClientToken(ctx) && scopeOf(ctx) === 'accounts',
    () => 'fundsconfirmations',
    'token-for-accounts',
    warns('TOK-38/other-scope'),
  ),
  takesOtherToken(
    PLACES.query,
    (ctx) => isClientToken(ctx) && scopeOf(ctx) === 'fundsconfirmations',
    () => 'accounts',
    'token-for-funds',
    warns('TOK-38/other-scope'),
  ),
  foreignAccount(
    'account-balances',
    bySecond,
    'to-the-second-client',
    fails('SEC-07/second-client'),
  ),
  foreignAccount('account-transactions', isAbsent, 'while-absent', fails('SEC-07/transactions')),
  {
    id: 'account-ids-of-the-second-customer-change-with-a-refresh',
    story: 'Customers of the acquired portfolio have ids that are made of the session.',
    fails: ['ACC-04/after-refresh'],
    policies: (correct, { fired }) => ({
      accountIdFor(consentId, card, secret) {
        const ctx = currentRequest()
        const info = ctx && tokenInfoOf(ctx)
        const second = ctx && stateOf(ctx).bank.customers[1]?.id
        if (!info?.refreshed || info.consent?.customerId !== second) {
          return correct.accountIdFor(consentId, card, secret)
        }
        fired()
        return correct.accountIdFor(`${consentId} again`, card, secret)
      },
    }),
  },
  {
    id: 'first-client-has-any-consent-authorised',
    story:
      'The client of the bank’s own app may begin every approval, and the first TPP has its role.',
    fails: ['AUTHZ-14/other-direction'],
    policies: (correct, { fired }) => ({
      authorisable(consent, clientId, scopes, age) {
        const ctx = currentRequest()
        const right = correct.authorisable(consent, clientId, scopes, age)
        if (!ctx || !consent || consent.clientId === clientId || !isOfSecond(ctx, consent)) {
          return right
        }
        fired()
        return correct.authorisable(consent, consent.clientId, scopes, age)
      },
    }),
  },
  ofTheSecond(
    'first-client-queries-any-consent',
    'The client of the bank’s own app may look into every consent, and the first TPP has its role.',
    'account-access',
    'GET',
    fails('SEC-05/other-direction'),
  ),
  ofTheSecond(
    'first-client-deletes-any-consent',
    'The client of the bank’s own app may delete every consent, and the first TPP has its role.',
    'account-access',
    'DELETE',
    fails('CLC-08/other-direction'),
  ),
  ofTheSecond(
    'first-client-deletes-any-funds-consent',
    'The same role, in the service of funds confirmation.',
    'funds-confirmation',
    'DELETE',
    fails('FCC-14/other-direction'),
  ),
  outlives(
    'expiry-at-transactions',
    (_consent, age) => age.expired,
    (ctx) => endpointOf(ctx) === 'transactions',
    fails('CLC-16/every-endpoint'),
  ),
  outlives(
    'deletion-at-balances-while-absent',
    (consent) => consent.deleted !== undefined,
    (ctx) => endpointOf(ctx) === 'balances' && isAbsent(ctx),
    fails('CLC-04/data-refused'),
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
    story: 'Customers of the acquired portfolio have an archive, and queries look there as well.',
    fails: ['CLC-03/second-client'],
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        const ctx = currentRequest()
        if (ctx?.method !== 'GET' || !isOfSecondCustomer(ctx, consent) || !consent.deleted) {
          return correct.visibleToTpp(consent)
        }
        fired()
        return true
      },
    }),
  },
  {
    id: 'refresh-token-of-the-second-client-outlives-deletion',
    story: 'The refresh tokens of newer TPPs are kept elsewhere, and deletion ends the others.',
    fails: ['TOK-31/second-client-deletes'],
    ...revives((consent, ctx) => consent.deleted !== undefined && isOfSecond(ctx, consent)),
  },
  {
    id: 'first-client-ends-what-it-may-not-delete',
    story: 'The deletion of a TPP’s own app is queued before it is asked whose the consent is.',
    fails: ['CLC-08/second-client'],
    middleware: refusedYet((consent) => {
      consent.deleted = Date.now()
    }),
  },
  {
    id: 'first-client-ends-the-tokens-of-what-it-may-not-delete',
    story: 'Tokens are ended first, since that is what is urgent; then the consent is looked up.',
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
    story: 'The view of newer TPPs reads the copy of the status that approvals write.',
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
    story: 'The refresh tokens of newer TPPs are kept elsewhere, and revocation ends the others.',
    fails: ['TOK-31/second-client'],
    ...revives((consent, ctx) => consent.status === 'Revoked' && isOfSecond(ctx, consent)),
  },
  outlives(
    'revocation-with-a-filter',
    (consent) => consent.status === 'Revoked',
    (ctx) => ctx.querystring !== '',
    fails('CLC-11/data-refused'),
  ),
  deletes(
    'authorised-consent-deleted-without-token',
    'Where a customer has approved, the deletion is the customer’s wish, and nobody asks for a token.',
    (ctx) => ctx.get('authorization') === '',
    fails('CLC-07/authorised'),
  ),
  deletes(
    'authorised-consent-deleted-with-its-data-token',
    'The access token names its consent, and whoever has it may end it.',
    (ctx) => tokenInfoOf(ctx)?.consent !== undefined,
    warns('TOK-25/delete-authorised'),
  ),
  {
    id: 'second-client-deletes-with-200',
    story: 'The gateway of newer clients answers every success with 200.',
    fails: ['CLC-01/second-client'],
    async middleware(ctx, next) {
      const second = isAbout(ctx, 'account-access', 'DELETE') && bySecond(ctx)
      const consent = second ? consentNamed(ctx) : undefined
      await next()
      if (ctx.status !== 204 || consent?.customerId === undefined) return
      ctx.status = 200
      ctx.body = {}
      stateOf(ctx).fired()
    },
  },
  {
    id: 'refresh-token-outlives-a-re-confirmed-consent',
    story: 'Deletion revokes the latest grant of a consent; those of before go on.',
    fails: ['TOK-31/re-confirmed'],
    ...revives((consent) => consent.deleted !== undefined && consent.grants.size > 1),
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
  deletes(
    'consents-of-the-second-client-deleted-without-token',
    'The second client deletes by a callback that was agreed before tokens were asked for.',
    (ctx, consent) => ctx.get('authorization') === '' && isOfSecond(ctx, consent),
    fails('CLC-07/without-authorization'),
    'AwaitingAuthorisation',
  ),
  {
    id: 'waiting-consents-of-the-second-client-deleted-with-200',
    story: 'The gateway of newer clients answers with 200 where nothing was to be revoked.',
    fails: ['CLC-01/awaiting'],
    async middleware(ctx, next) {
      const second = isAbout(ctx, 'account-access', 'DELETE') && bySecond(ctx)
      const consent = second ? consentNamed(ctx) : undefined
      await next()
      if (ctx.status !== 204 || !consent || consent.customerId !== undefined) return
      ctx.status = 200
      ctx.body = {}
      stateOf(ctx).fired()
    },
  },
  {
    id: 'the-second-client-deletes-what-never-was',
    story: 'For newer clients a deletion is idempotent: what is not there was deleted before.',
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
    story: 'What a newer client deleted before anybody approved it is kept as a draft.',
    fails: ['CLC-03/query-refused'],
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        const ctx = currentRequest()
        const draft = consent.deleted && consent.customerId === undefined
        if (ctx?.method !== 'GET' || !draft || !isOfSecond(ctx, consent)) {
          return correct.visibleToTpp(consent)
        }
        fired()
        return true
      },
    }),
  },
  {
    id: 'first-client-queries-revoked-consents',
    story: 'What was revoked goes to an archive, which the bank’s own app may read.',
    fails: ['SEC-05/second-client'],
    policies: (correct, { fired }) => ({
      ownsConsent(consent, clientId) {
        const ctx = currentRequest()
        const own = correct.ownsConsent(consent, clientId)
        const archived = consent.status === 'Revoked' && ctx && isOfSecond(ctx, consent)
        if (own || !archived || ctx.method !== 'GET') return own
        fired()
        return true
      },
    }),
  },
  {
    id: 'funds-consents-of-the-second-client-deleted-without-token',
    story: 'The second client deletes by a callback that was agreed before tokens were asked for.',
    fails: ['FCC-13/without-authorization'],
    async middleware(ctx, next) {
      const asked = isAbout(ctx, 'funds-confirmation', 'DELETE') && !ctx.get('authorization')
      const consent = asked ? consentNamed(ctx) : undefined
      if (!consent || !isOfSecond(ctx, consent)) return next()
      consent.deleted = Date.now()
      stateOf(ctx).fired()
      ctx.status = 204
    },
  },
]
export default faults
