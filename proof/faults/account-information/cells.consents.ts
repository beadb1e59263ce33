import type { Context, Middleware, Next } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { bodyTakenAs, consentNamed, isAbout, requested } from '../../altering/consent-requests.ts'
import type { Json } from '../../altering/rewriting.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** Consents of both kinds, wrong in one cell: for one client, with one other member, or in one state. */

const CARD = { SchemeName: 'UK.OBIE.PAN', Identification: '0000' }

const ofSecond =
  (change: Middleware) =>
  (ctx: Context, next: Next): Promise<unknown> =>
    tokenInfoOf(ctx)?.client === 'second' ? change(ctx, next) : next()

/** Changes the DebtorAccount in requests for funds confirmation consents when `change` applies. */
const account = (change: (account: Json, data: Json) => Json | undefined) =>
  requested('funds-confirmation', (data) => {
    const { DebtorAccount } = data
    const given = typeof DebtorAccount === 'object' && DebtorAccount !== null
    const changed = given && change(DebtorAccount as Json, data)
    return changed ? { ...data, DebtorAccount: changed } : undefined
  })

const isDate = (value: unknown) =>
  value === undefined || (typeof value === 'string' && !Number.isNaN(Date.parse(value)))

/** Removes dates that cannot be read. */
function withoutWrongDates(data: Json): Json | undefined {
  const entries = Object.entries(data)
  const read = entries.filter(([name, value]) => !name.endsWith('DateTime') || isDate(value))
  return read.length < entries.length ? Object.fromEntries(read) : undefined
}

/** The Status in a request appears in the answers to queries, but not in the answer to the creation. */
const storedAsSent: Middleware = async (ctx: Context, next: Next) => {
  const { body, fired } = stateOf(ctx)
  await next()
  const answer = ctx.body as { Data?: Json } | undefined
  const id = answer?.Data?.ConsentId
  const sent = /"Status":"([^"]+)"/.exec(body)?.[1]
  if (sent && isAbout(ctx, 'account-access', 'POST')) statusSent().set(id, sent)
  const Status = isAbout(ctx, 'account-access', 'GET') ? statusSent().get(id) : undefined
  if (!Status) return
  ctx.body = { ...answer, Data: { ...answer?.Data, Status } }
  fired()
}

const statusSent = ofEachBank(() => new Map<unknown, string>())

const faults: Fault[] = [
  {
    id: 'null-is-a-default-consent',
    story: 'The bank accepts a consent request whose body is null and creates a default consent.',
    fails: [],
    warns: ['CONS-20/malformed-json'],
    middleware: bodyTakenAs('account-access', 'null', {
      Data: { Permissions: ['ReadAccountsBasic'] },
      Risk: {},
    }),
  },
  {
    id: 'funds-consent-without-a-body-is-for-the-card-on-file',
    story:
      'The bank accepts a funds confirmation consent request with an empty body and uses a default card.',
    fails: [],
    warns: ['CONS-20/funds'],
    middleware: bodyTakenAs('funds-confirmation', '', { Data: { DebtorAccount: CARD }, Risk: {} }),
  },
  {
    id: 'funds-consents-take-their-status-from-the-request',
    story: 'The bank uses a Status that the request for a funds confirmation consent contains.',
    fails: [],
    warns: ['CONS-19/funds'],
    async middleware(ctx, next) {
      const sent = isAbout(ctx, 'funds-confirmation', 'POST') ? stateOf(ctx).body : ''
      await next()
      if (!sent.includes('"Status":"Authorised"') || ctx.status !== 201) return
      const body = ctx.body as { Data: Json }
      ctx.body = { ...body, Data: { ...body.Data, Status: 'Authorised' } }
      stateOf(ctx).fired()
    },
  },
  {
    id: 'stored-status-of-the-request',
    story:
      'The bank stores a Status that the request contains. The creation shows the right Status, the query shows the requested one.',
    fails: [],
    warns: ['CONS-19/not-adopted'],
    middleware: storedAsSent,
  },
  {
    id: 'funds-consents-expire-when-they-can-be-read',
    story:
      'The bank ignores a date in a request for a funds confirmation consent that it cannot parse.',
    fails: [],
    warns: ['CONS-15/funds'],
    middleware: requested('funds-confirmation', withoutWrongDates),
  },
  {
    id: 'dates-of-the-second-client-are-read-when-they-can-be',
    story:
      'For the second client, the bank ignores a date in a consent request that it cannot parse.',
    fails: [],
    warns: ['CONS-15/malformed'],
    middleware: ofSecond(requested('account-access', withoutWrongDates)),
  },
  {
    id: 'named-account-needs-no-card',
    story: 'The bank accepts a funds confirmation consent without Identification if it has a Name.',
    fails: ['FCC-03/missing-identification'],
    middleware: account((given) => {
      const { Name, Identification } = given
      return Name && Identification === undefined ? { ...CARD, ...given } : undefined
    }),
  },
  {
    id: 'named-account-of-any-scheme',
    story: 'The bank accepts a funds confirmation consent with any SchemeName if it has a Name.',
    fails: ['FCC-02/other-scheme'],
    middleware: account(({ Name, SchemeName, ...others }) =>
      Name && SchemeName && SchemeName !== CARD.SchemeName
        ? { ...others, Name, SchemeName: CARD.SchemeName }
        : undefined,
    ),
  },
  {
    id: 'consents-that-expire-take-the-card-on-file',
    story:
      'The bank accepts a funds confirmation consent without SchemeName or Identification if it has an ExpirationDateTime, and uses a default card.',
    fails: ['FCC-02/missing-scheme', 'FCC-03/missing-identification'],
    middleware: account((given, { ExpirationDateTime }) => {
      const whole = given.SchemeName !== undefined && given.Identification !== undefined
      return ExpirationDateTime && !whole ? { ...CARD, ...given } : undefined
    }),
  },
  {
    id: 'funds-consents-are-deleted-before-the-token-is-looked-up',
    story:
      'The delete of a funds confirmation consent with an expired token gets 401, but the consent is deleted.',
    fails: ['FCC-13/expired-deletes-nothing'],
    async middleware(ctx: Context, next: Next) {
      const consent = isAbout(ctx, 'funds-confirmation', 'DELETE') ? consentNamed(ctx) : undefined
      const token = ctx.get('authorization').startsWith('Bearer ') && tokenInfoOf(ctx)
      await next()
      if (!consent || consent.deleted || !token || token.consent || ctx.status !== 401) return
      consent.deleted = Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'revoked-consent-deleted-by-any-client',
    story:
      'Any client can delete a revoked consent, because the revocation removes the grant that stores the owner.',
    fails: ['CLC-08/revoked'],
    policies: (correct, { fired }) => ({
      ownsConsent(consent, clientId) {
        const own = correct.ownsConsent(consent, clientId)
        const deleting = currentRequest()?.method === 'DELETE'
        if (own || consent.status !== 'Revoked' || !deleting) return own
        fired()
        return true
      },
    }),
  },
]
export default faults
