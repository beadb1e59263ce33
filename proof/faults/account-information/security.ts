import { X509Certificate } from 'node:crypto'
import type { Context } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { certificateOf } from '../../../bank/listeners/transport.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { idTokens } from '../../altering/id-tokens.ts'
import { admit, tokenForm } from '../../altering/jwt-rewrites.ts'
import { type Lent, lend, lendable } from '../../altering/lent-tokens.ts'
import { elements, jsonOf, type Part, partOf, policy } from '../../altering/rewriting.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const MUTUAL: Part[] = ['registration', 'consents', 'data']

type Wrong = 'none' | 'untrusted' | 'expired'

/** What is wrong with the certificate of a connection; undefined when it is valid. */
function wrongCertificate(ctx: Context): Wrong | undefined {
  const { authorized, thumbprint, error } = stateOf(ctx).transport
  if (authorized) return undefined
  if (thumbprint === undefined) return 'none'
  return error?.includes('EXPIRED') ? 'expired' : 'untrusted'
}

/** Does the certificate of the connection have the names of the first client's, those of its issuer included? */
function namesFirst(ctx: Context): boolean {
  const { settings, directory } = stateOf(ctx).bank.services
  const shown = certificateOf(settings, ctx.req)
  const { subject, issuer } = new X509Certificate(directory.clients.first.transport.certificate)
  return shown?.subject === subject && shown.issuer === issuer
}

/** The number of a card of the bank that serves the current request. */
function panOf(cardKey: string): string | undefined {
  const ctx = currentRequest()
  const { customers = [] } = ctx ? stateOf(ctx).bank.services : {}
  return customers.flatMap(({ cards }) => cards).find(({ key }) => key === cardKey)?.pan
}

/** Accepts connections with one kind of wrong certificate wherever a certificate is required. */
function lets(wrong: Wrong): Pick<Fault, 'settings' | 'middleware'> {
  return {
    settings: { tlsRefusal: 'status' },
    async middleware(ctx, next) {
      if (MUTUAL.includes(partOf(ctx)) && wrongCertificate(ctx) === wrong) admit(ctx)
      await next()
    },
  }
}

/** Uses the first client token with this scope for requests that match. */
function lendsToken(fits: (ctx: Context) => boolean, scope = 'accounts'): Fault['middleware'] {
  const first = ofEachBank(() => ({}) as { own?: Lent })
  return async (ctx, next) => {
    const { bank, fired } = stateOf(ctx)
    const lent = first()
    if (lent.own && fits(ctx)) {
      await lend(ctx, lent.own)
      fired()
    }
    const form = tokenForm(ctx)
    await next()
    const access = jsonOf(ctx)?.access_token
    if (form?.get('grant_type') !== 'client_credentials' || typeof access !== 'string') return
    // Only a token of the first client with this scope, as the gateway itself would use.
    const { records, directory } = bank.services
    const record = records.peek('ClientCredentials', access)
    const owner = records.peek('Client', String(record?.clientId))?.org_id
    const scopes = String(record?.scope).split(' ')
    if (owner !== directory.clients.first.organisationId || !scopes.includes(scope)) return
    lent.own ??= lendable(ctx, access)
  }
}

const isConsent = (ctx: Context) =>
  ctx.method !== 'DELETE' && ctx.path.includes('/account-access-consents')

/** Does the request have an access token that this bank did not issue? */
function isMadeUp(ctx: Context): boolean {
  const { records } = stateOf(ctx).bank.services
  const bearer = /^Bearer (.+)$/.exec(ctx.get('authorization'))?.[1]
  if (bearer === undefined) return false
  return !records.peek('ClientCredentials', bearer) && !records.peek('AccessToken', bearer)
}

/** Moves the parameter access_token into the header for requests that match. */
function readsQuery(fits: (ctx: Context) => boolean): Fault['middleware'] {
  return async (ctx, next) => {
    const { access_token: token } = ctx.query
    if (typeof token === 'string' && !ctx.get('authorization') && fits(ctx)) {
      ctx.req.headers.authorization = `Bearer ${token}`
      stateOf(ctx).fired()
    }
    await next()
  }
}

const faults: Fault[] = [
  {
    id: 'consents-of-the-organisation',
    story:
      'A client can use the consents of another client of the same organisation, because the bank compares only the organisation.',
    fails: [],
    warns: ['SEC-10/same-software'],
    policies: (correct, { fired }) => ({
      ownsConsent(consent, clientId) {
        const ctx = currentRequest()
        const own = correct.ownsConsent(consent, clientId)
        if (own || !ctx) return own
        const { records } = stateOf(ctx).bank.services
        const [one, other] = [consent.clientId, clientId].map((id) => records.peek('Client', id))
        if (!one?.org_id || one.org_id !== other?.org_id) return false
        fired()
        return true
      },
    }),
  },
  {
    id: 'no-certificate-needed',
    story:
      'The bank accepts requests without a transport certificate. The gateway asks for one but does not require it.',
    fails: ['SEC-01/no-certificate', 'SEC-02/no-certificate', 'REG-01/no-certificate'],
    ...lets('none'),
  },
  {
    id: 'sessions-of-other-listeners-are-resumed',
    story:
      'A TLS session of another host is resumed without a transport certificate, because all virtual hosts share the ticket keys (CVE-2025-23419 of nginx, CVE-2025-23048 of Apache httpd).',
    fails: ['SEC-01/resumed', 'SEC-02/resumed'],
    settings: { sharedTlsSessions: true },
    async middleware(ctx, next) {
      const { authorized, thumbprint } = stateOf(ctx).transport
      if (authorized && thumbprint === undefined && MUTUAL.includes(partOf(ctx))) admit(ctx)
      await next()
    },
  },
  {
    id: 'any-certificate-will-do',
    story:
      'The bank accepts a transport certificate of any issuer, because it does not verify the chain.',
    fails: ['SEC-01/untrusted', 'SEC-02/untrusted', 'REG-01/untrusted'],
    ...lets('untrusted'),
  },
  {
    id: 'clients-are-known-by-the-names-in-certificates',
    story:
      'The bank accepts a self-made certificate with the subject and issuer of a client. The gateway does not verify its signature (optional_no_ca of nginx).',
    fails: ['SEC-01/untrusted', 'SEC-02/untrusted', 'REG-01/untrusted'],
    settings: { tlsRefusal: 'status' },
    async middleware(ctx, next) {
      const unknown = wrongCertificate(ctx) === 'untrusted'
      if (unknown && MUTUAL.includes(partOf(ctx)) && namesFirst(ctx)) admit(ctx)
      await next()
    },
  },
  {
    id: 'expired-certificates-are-forgiven',
    story: 'The bank accepts an expired transport certificate.',
    fails: ['SEC-01/expired', 'SEC-02/expired', 'REG-01/expired'],
    ...lets('expired'),
  },
  {
    id: 'any-authority-while-tokens-are-bound',
    story:
      'Consent, data and token requests accept a certificate of any issuer. Tokens are bound to the certificate, but the gateway does not verify its issuer.',
    fails: ['SEC-01/untrusted', 'SEC-02/untrusted'],
    settings: { tlsRefusal: 'status' },
    async middleware(ctx, next) {
      const state = stateOf(ctx)
      const { clients } = state.bank.services.directory
      const trusting = ['consents', 'data', 'token'].includes(partOf(ctx))
      if (trusting && wrongCertificate(ctx) === 'untrusted') {
        const { organisationId } = clients.first
        // The thumbprint is not changed, so the client's own token is refused over this connection.
        state.transport = { ...state.transport, authorized: true, organisationId }
        state.fired()
      }
      await next()
    },
  },
  {
    id: 'token-in-the-query',
    story:
      'The bank accepts the access token in the query (RFC 6750 2.3), which the gateway moves into the header.',
    fails: ['CLC-07/in-the-query'],
    middleware: readsQuery(() => true),
  },
  {
    id: 'token-in-the-query-of-data',
    story: 'The data endpoints accept the access token in the query (RFC 6750 2.3).',
    fails: [],
    warns: ['SEC-12/in-the-query'],
    middleware: readsQuery((ctx) => partOf(ctx) === 'data'),
  },
  {
    id: 'consents-without-token',
    story:
      'The creation and query of consents need no access token, because the certificate identifies the client.',
    fails: ['SEC-03/create-without', 'SEC-03/query-without'],
    middleware: lendsToken((ctx) => ctx.get('authorization') === '' && isConsent(ctx)),
  },
  {
    id: 'query-with-a-token-at-the-end',
    story:
      'The query of a consent accepts an invalid access token that ends with a valid one. The pattern for the token is not anchored at its start.',
    fails: ['SEC-03/unknown-token'],
    async middleware(ctx, next) {
      const found = /\S{43}$/.exec(ctx.get('authorization'))?.[0]
      if (found && ctx.method === 'GET' && isConsent(ctx) && isMadeUp(ctx)) {
        ctx.req.headers.authorization = `Bearer ${found}`
        if (!isMadeUp(ctx)) stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'query-with-any-token',
    story: 'The query of a consent accepts any text as access token.',
    fails: ['SEC-03/unknown-token'],
    middleware: lendsToken((ctx) => ctx.method === 'GET' && isConsent(ctx) && isMadeUp(ctx)),
  },
  {
    id: 'create-with-any-token',
    story: 'The creation of a consent accepts any text as access token.',
    fails: ['SEC-03/create-unknown-token'],
    middleware: lendsToken((ctx) => ctx.method === 'POST' && isConsent(ctx) && isMadeUp(ctx)),
  },
  {
    id: 'funds-confirmation-without-token',
    story:
      'The creation of a funds confirmation consent needs no access token, because the certificate identifies the client.',
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
    story: 'Any client can query a consent, because the bank treats the ConsentId as a secret.',
    fails: ['SEC-05/other-client'],
    policies: policy('ownsConsent', (correct) => (consent, clientId) => {
      const ctx = currentRequest()
      return (ctx && ctx.method === 'GET' && isConsent(ctx)) || correct(consent, clientId)
    }),
  },
  {
    id: 'any-account-for-the-second-client-while-absent',
    story:
      'Without x-fapi-customer-ip-address, the second client can read every account, even one of another consent.',
    fails: ['SEC-07/second-client'],
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        const ctx = currentRequest()
        const absent = ctx?.get('x-fapi-customer-ip-address') === ''
        if (own || !known || !absent || tokenInfoOf(ctx)?.client !== 'second') {
          return correct.accountRefusal(own, known)
        }
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'any-account-behind-an-end',
    story:
      'With only toBookingDateTime, GET /accounts/{AccountId}/transactions returns every account, even one of another consent.',
    fails: ['SEC-07/transactions'],
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        const filters = currentRequest()?.query ?? {}
        const archived = 'toBookingDateTime' in filters && !('fromBookingDateTime' in filters)
        if (own || !known || !archived) return correct.accountRefusal(own, known)
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'any-account',
    story: 'The endpoints of one account return every known account, even one of another consent.',
    fails: ['SEC-07/account', 'SEC-07/balances', 'SEC-07/transactions'],
    policies: policy('accountRefusal', (correct) => (own, known) => {
      return known ? undefined : correct(own, known)
    }),
  },
  {
    id: 'subject-is-the-card-number',
    story: "The sub of ID tokens is the customer's card number.",
    fails: [],
    warns: ['SEC-09/in-tokens'],
    middleware: idTokens((claims, sign, ctx) => {
      const { customers } = stateOf(ctx).bank.services
      const sub = customers.find(({ id }) => id === claims.sub)?.cards[0]?.pan
      return sub === undefined ? undefined : sign({ ...claims, sub })
    }),
  },
  {
    id: 'account-ids-are-encoded-card-numbers',
    story: 'The AccountId is the card number in base64.',
    fails: [],
    warns: ['SEC-09/account-id'],
    policies: (correct, { fired }) => ({
      accountIdFor(consentId, cardKey, secret) {
        const pan = panOf(cardKey)
        if (pan === undefined) return correct.accountIdFor(consentId, cardKey, secret)
        fired()
        return Buffer.from(pan).toString('base64url')
      },
    }),
  },
  {
    id: 'transaction-ids-begin-with-the-card',
    story: 'The TransactionId begins with the card number.',
    fails: [],
    warns: ['SEC-09/transaction-ids'],
    policies: (correct, { fired }) => {
      const cards = new Map<string, string>()
      return {
        accountIdFor(consentId, cardKey, secret) {
          const id = correct.accountIdFor(consentId, cardKey, secret)
          const pan = panOf(cardKey)
          if (pan !== undefined) cards.set(id, pan)
          return id
        },
        transactionView(accountId, row, detail, spelling) {
          const pan = cards.get(accountId)
          if (pan === undefined) return correct.transactionView(accountId, row, detail, spelling)
          fired()
          const id = `${pan}${Number.parseInt(row.id.slice(0, 12), 16)}`
          return correct.transactionView(accountId, { ...row, id }, detail, spelling)
        },
      }
    },
  },
  {
    id: 'card-number-in-address-line',
    story: 'AddressLine contains a whole card number.',
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
