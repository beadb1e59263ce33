import type { Context } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { Consent, Status } from '../../../bank/state/consents.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { consentNamed, isAbout } from '../../altering/consent-requests.ts'
import {
  dataPlace,
  foreignAccount,
  letsIn,
  PLACES,
  takesOtherToken,
} from '../../cells/access-cells.ts'
import { bearerOf, byFirst, bySecond, isAbsent, isOfSecond } from '../../cells/parties.ts'
import type { Fault } from '../../run/proof.ts'

/** Access control, one cell at a time. */
const fails = (...ids: string[]) => ({ fails: ids })
const warns = (...ids: string[]) => ({ fails: [], warns: ids })

/** A token of the client_credentials grant. */
function isClientToken(ctx: Context): boolean {
  const info = tokenInfoOf(ctx)
  return info !== undefined && info.consent === undefined
}

function scopeOf(ctx: Context): string {
  const { records } = stateOf(ctx).bank.services
  return String(records.peek('ClientCredentials', bearerOf(ctx))?.scope)
}

/** The first client can use a consent of the second. */
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

/** Deletes the consent in the path for any client when the request matches. */
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
    story:
      'The AccountIds of some customers change after a refresh, because they are computed from the session.',
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
    story: 'The first client can have consents of the second client authorised.',
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
    'The first client can query consents of the second client.',
    'account-access',
    'GET',
    fails('SEC-05/other-direction'),
  ),
  ofTheSecond(
    'first-client-deletes-any-consent',
    'The first client can delete consents of the second client.',
    'account-access',
    'DELETE',
    fails('CLC-08/other-direction'),
  ),
  ofTheSecond(
    'first-client-deletes-any-funds-consent',
    'The first client can delete funds confirmation consents of the second client.',
    'funds-confirmation',
    'DELETE',
    fails('FCC-14/other-direction'),
  ),
  deletes(
    'authorised-consent-deleted-without-token',
    'The delete of an authorised consent needs no access token.',
    (ctx) => ctx.get('authorization') === '',
    fails('CLC-07/authorised'),
  ),
  deletes(
    'authorised-consent-deleted-with-its-data-token',
    'An access token of the authorization_code grant can delete its authorised consent.',
    (ctx) => tokenInfoOf(ctx)?.consent !== undefined,
    warns('TOK-25/delete-authorised'),
  ),
  deletes(
    'consents-of-the-second-client-deleted-without-token',
    "The delete of a second client's consent in AwaitingAuthorisation needs no access token.",
    (ctx, consent) => ctx.get('authorization') === '' && isOfSecond(ctx, consent),
    fails('CLC-07/without-authorization'),
    'AwaitingAuthorisation',
  ),
  {
    id: 'first-client-queries-revoked-consents',
    story: 'The first client can query revoked consents of the second client.',
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
    story: "The delete of a second client's funds confirmation consent needs no access token.",
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
