import type { Context } from 'koa'
import { currentRequest } from '../../../bank/current.ts'
import { stateOf } from '../../../bank/state.ts'
import { admit, tokenForm } from '../../laundering.ts'
import type { Fault } from '../../proof.ts'
import { elements, jsonOf, partOf, policy } from '../../rewriting.ts'

type Wrong = 'none' | 'untrusted' | 'expired'

/** What is wrong with the certificate of a connection; undefined when it is good. */
function wrongCertificate(ctx: Context): Wrong | undefined {
  const { authorized, thumbprint, error } = stateOf(ctx).transport
  if (authorized) return undefined
  if (thumbprint === undefined) return 'none'
  return error?.includes('EXPIRED') ? 'expired' : 'untrusted'
}

/** Lets connections with one kind of wrong certificate pass, on one part of the interface. */
function lets(wrong: Wrong, part: 'consents' | 'data'): Pick<Fault, 'settings' | 'middleware'> {
  return {
    settings: { tlsRefusal: 'status' },
    async middleware(ctx, next) {
      if (partOf(ctx) === part && wrongCertificate(ctx) === wrong) admit(ctx)
      await next()
    },
  }
}

/** Gives the bank's own first token of a scope to requests that fit. */
function lendsToken(fits: (ctx: Context) => boolean, scope = 'accounts'): Fault['middleware'] {
  const first = new WeakMap<object, string>()
  return async (ctx, next) => {
    const { bank, fired } = stateOf(ctx)
    const token = first.get(bank)
    if (token !== undefined && fits(ctx)) {
      ctx.req.headers.authorization = `Bearer ${token}`
      fired()
    }
    const form = tokenForm(ctx)
    await next()
    const access = jsonOf(ctx)?.access_token
    if (form?.get('grant_type') !== 'client_credentials' || typeof access !== 'string') return
    // Of the first client, and for one scope: what the gateway itself would use.
    const { records, directory } = bank.inside
    const record = records.peek('ClientCredentials', access)
    const owner = records.peek('Client', String(record?.clientId))?.org_id
    const scopes = String(record?.scope).split(' ')
    if (owner !== directory.clients.first.organisationId || !scopes.includes(scope)) return
    if (!first.has(bank)) first.set(bank, access)
  }
}

const isConsent = (ctx: Context, method: string) =>
  ctx.method === method && ctx.path.includes('/account-access-consents')

/** Does the request carry an access token that this bank did not issue? */
function isMadeUp(ctx: Context): boolean {
  const { records } = stateOf(ctx).bank.inside
  const bearer = /^Bearer (.+)$/.exec(ctx.get('authorization'))?.[1]
  if (bearer === undefined) return false
  return !records.peek('ClientCredentials', bearer) && !records.peek('AccessToken', bearer)
}

/** Opens one endpoint for accounts of other consents; their ids need only exist. */
function opens(suffix: string): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    accountRefusal(own, known) {
      const path = currentRequest()?.path ?? ''
      const here = /\/accounts\/[^/]+(.*)$/.exec(path)?.[1] === suffix
      if (!here || own || !known) return correct.accountRefusal(own, known)
      fired()
      return undefined
    },
  })
}

const faults: Fault[] = [
  {
    id: 'consents-without-certificate',
    story: 'The gateway asks for a certificate, and goes on without one.',
    fails: ['SEC-01/no-certificate'],
    ...lets('none', 'consents'),
  },
  {
    id: 'consents-over-any-certificate',
    story: 'The chain is verified by a service that was down on the day of the release.',
    fails: ['SEC-01/untrusted'],
    ...lets('untrusted', 'consents'),
  },
  {
    id: 'consents-over-expired-certificate',
    story: 'The validity of certificates is looked at when they are enrolled.',
    fails: ['SEC-01/expired'],
    ...lets('expired', 'consents'),
  },
  {
    id: 'data-without-certificate',
    story: 'Mutual TLS is enforced on the token host and not on the data host.',
    fails: ['SEC-02/no-certificate'],
    ...lets('none', 'data'),
  },
  {
    id: 'data-over-any-certificate',
    story: 'The data host accepts self-signed certificates, as in the tests.',
    fails: ['SEC-02/untrusted'],
    ...lets('untrusted', 'data'),
  },
  {
    id: 'data-over-expired-certificate',
    story: 'After an outage by a forgotten renewal the data host forgives.',
    fails: ['SEC-02/expired'],
    ...lets('expired', 'data'),
  },
  {
    id: 'create-without-token',
    story: 'Creating a consent was left out of the filter, as registration is.',
    fails: ['SEC-03/create-without'],
    middleware: lendsToken((ctx) => isConsent(ctx, 'POST') && ctx.get('authorization') === ''),
  },
  {
    id: 'query-without-token',
    story: 'The certificate identifies the client, so a query needs no token.',
    fails: ['SEC-03/query-without'],
    middleware: lendsToken((ctx) => isConsent(ctx, 'GET') && ctx.get('authorization') === ''),
  },
  {
    id: 'query-with-any-token',
    story: 'The gateway looks whether there is a bearer token, and leaves the rest to the service.',
    fails: ['SEC-03/unknown-token'],
    middleware: lendsToken((ctx) => isConsent(ctx, 'GET') && isMadeUp(ctx)),
  },
  {
    id: 'create-with-any-token',
    story:
      'Creation happens before there is anything to protect: a token is asked for, any will do.',
    fails: ['SEC-03/create-unknown-token'],
    middleware: lendsToken((ctx) => isConsent(ctx, 'POST') && isMadeUp(ctx)),
  },
  {
    id: 'funds-confirmation-without-token',
    story: 'The funds confirmation service knows its callers by their certificates.',
    fails: ['SEC-03/funds-confirmation'],
    middleware: lendsToken(
      (ctx) =>
        ctx.method === 'POST' &&
        ctx.path.endsWith('/funds-confirmation-consents') &&
        ctx.get('authorization') === '',
      'fundsconfirmations',
    ),
  },
  {
    id: 'consent-of-any-client-queried',
    story: 'A ConsentId is thought to be a secret.',
    fails: ['SEC-05/other-client'],
    policies: policy('ownsConsent', (correct) => (consent, clientId) => {
      const ctx = currentRequest()
      return (ctx && isConsent(ctx, 'GET')) || correct(consent, clientId)
    }),
  },
  {
    id: 'any-account',
    story: 'GET /accounts/{AccountId} looks the account up by its id.',
    fails: ['SEC-07/account'],
    policies: opens(''),
  },
  {
    id: 'balances-of-any-account',
    story: 'The balances of an account are looked up by its id.',
    fails: ['SEC-07/balances'],
    policies: opens('/balances'),
  },
  {
    id: 'transactions-of-any-account',
    story: 'The transactions of an account are looked up by its id.',
    fails: ['SEC-07/transactions'],
    policies: opens('/transactions'),
  },
  {
    id: 'card-number-in-address-line',
    story: 'A payment at the counter is booked with the number of the card as its address.',
    fails: [],
    warns: ['SEC-09/full-card-number'],
    middleware: elements('Transaction', (row) =>
      row.CreditDebitIndicator === 'Debit' && row.AddressLine !== undefined
        ? { ...row, AddressLine: '4929123456789015' }
        : row,
    ),
  },
]

export default faults
