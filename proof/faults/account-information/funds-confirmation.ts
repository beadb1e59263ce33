import type { Context, Next } from 'koa'
import { stateOf } from '../../../bank/state.ts'
import {
  answered,
  answeredWith,
  consentNamed,
  isAbout,
  repeated,
  requested,
  serving,
} from '../../consent-requests.ts'
import type { Fault } from '../../proof.ts'
import { type Json, policy } from '../../rewriting.ts'

const KIND = 'funds-confirmation'
const DAY = 86_400_000

/** Creates a consent although its DebtorAccount lacks something: what a default would do. */
const completed = (change: (account: Json | undefined) => Json | undefined) =>
  requested(KIND, (data, body) => {
    if (body.Data === undefined) return undefined
    const account = change(data.DebtorAccount as Json | undefined)
    return account && { ...data, DebtorAccount: account }
  })

const faults: Fault[] = [
  {
    id: 'funds-creation-answers-200',
    story: 'The older of the two consent services answers 200 to a creation.',
    fails: ['FCC-01/answers-201'],
    middleware: answeredWith(KIND, 'POST', (ctx) => (ctx.status === 201 ? 200 : undefined)),
  },
  {
    id: 'repeated-funds-request-is-the-same-consent',
    story: 'A second consent for the same card is the first one.',
    fails: ['FCC-20/unique'],
    middleware: repeated(KIND),
  },
  {
    id: 'funds-dates-are-local-time',
    story: 'Summer time is written with a Z behind it.',
    fails: ['FCC-22/at-creation'],
    middleware: answered(KIND, 'POST', (data) => {
      const at = new Date(Date.parse(String(data.CreationDateTime)) + DAY / 24).toISOString()
      return { ...data, CreationDateTime: at, StatusUpdateDateTime: at }
    }),
  },
  {
    id: 'funds-consent-authorised-at-once',
    story: 'A balance is no personal data, so nobody asks the customer.',
    fails: [],
    warns: ['FCC-08/awaiting-authorisation'],
    middleware: answered(KIND, 'POST', (data) => ({ ...data, Status: 'Authorised' })),
  },
  {
    id: 'scheme-has-a-default',
    story: 'There is one scheme, so a missing one is that.',
    fails: ['FCC-02/missing-scheme'],
    middleware: completed((account) =>
      account && account.SchemeName === undefined
        ? { ...account, SchemeName: 'UK.OBIE.PAN' }
        : undefined,
    ),
  },
  {
    id: 'scheme-known-to-the-specification',
    story: 'Every scheme of the specification passes, not the one that is supported.',
    fails: ['FCC-02/other-scheme'],
    middleware: completed((account) =>
      account?.SchemeName === 'UK.OBIE.SortCodeAccountNumber'
        ? { ...account, SchemeName: 'UK.OBIE.PAN' }
        : undefined,
    ),
  },
  {
    id: 'identification-optional',
    story: 'The card is chosen by the customer anyway.',
    fails: ['FCC-03/missing-identification'],
    middleware: completed((account) =>
      account && account.Identification === undefined
        ? { ...account, Identification: '0000' }
        : undefined,
    ),
  },
  {
    id: 'debtor-account-optional',
    story: 'As in a payment, where no DebtorAccount means that the customer chooses.',
    fails: ['FCC-18/missing-debtor-account'],
    middleware: completed((account) =>
      account ? undefined : { SchemeName: 'UK.OBIE.PAN', Identification: '0000' },
    ),
  },
  {
    id: 'identification-of-any-length',
    story: 'Whatever ends the card number will do, the whole of it too.',
    fails: [],
    warns: ['FCC-04/not-four-digits'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      const digits = /^\d+$/.test(account.Identification)
      return correct(digits ? { ...account, Identification: '0000' } : account, scheme)
    }),
  },
  {
    id: 'account-name-refused',
    story: 'The body is validated against a schema that allows the required members only.',
    fails: ['FCC-05/accepted'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      return account.Name === undefined ? correct(account, scheme) : ['field-unexpected', 'Name']
    }),
  },
  {
    id: 'funds-expiry-with-zero-offset-refused',
    story: 'UTC is taken to be the letter Z.',
    fails: ['FCC-06/accepted'],
    policies: policy('consentDateTime', (correct) => (text) => {
      return serving(KIND, 'POST') && String(text).endsWith('+00:00') ? undefined : correct(text)
    }),
  },
  {
    id: 'funds-expiry-forgotten',
    story: 'The table of these consents has no column for an expiry.',
    fails: [],
    warns: ['FCC-21/optional-members'],
    middleware: answered(KIND, 'POST', ({ ExpirationDateTime, ...data }) =>
      ExpirationDateTime === undefined ? undefined : data,
    ),
  },
  {
    id: 'funds-expiry-without-end-of-day',
    story: 'The expiry is stored as a date, and shown at the start of it.',
    fails: ['FCC-06/as-requested'],
    middleware: answered(KIND, 'POST', (data) => {
      const at = data.ExpirationDateTime
      return typeof at === 'string'
        ? { ...data, ExpirationDateTime: `${at.slice(0, 10)}T00:00:00Z` }
        : undefined
    }),
  },
  {
    id: 'identification-masked',
    story: 'Whatever looks like a card number is masked on its way out.',
    fails: ['FCC-09/as-requested'],
    middleware: answered(KIND, 'POST', (data) => {
      const account = data.DebtorAccount as Json
      const Identification = `**${String(account.Identification).slice(2)}`
      return { ...data, DebtorAccount: { ...account, Identification } }
    }),
  },
  {
    id: 'funds-deletion-answers-200',
    story: 'The framework answers 200 to whatever has no body.',
    fails: ['FCC-12/answers-204'],
    middleware: answeredWith(KIND, 'DELETE', (ctx) => (ctx.status === 204 ? 200 : undefined)),
  },
  {
    id: 'funds-deletion-not-built',
    story: 'Deletion of funds confirmation consents was left for the next release.',
    fails: ['FCC-12/answers-204'],
    middleware: answeredWith(KIND, 'DELETE', () => 405),
  },
  {
    id: 'funds-deletion-without-token-is-forbidden',
    story: 'The gateway says 403 to whatever lacks a token.',
    fails: ['FCC-13/without-authorization'],
    middleware: answeredWith(KIND, 'DELETE', (ctx) =>
      ctx.status === 401 && !ctx.get('authorization') ? 403 : undefined,
    ),
  },
  {
    id: 'funds-deletion-with-unknown-token-is-wrong',
    story: 'A token that cannot be parsed is a wrong request.',
    fails: ['FCC-13/invalid-token'],
    middleware: answeredWith(KIND, 'DELETE', (ctx) =>
      ctx.status === 401 && ctx.get('authorization') ? 400 : undefined,
    ),
  },
  {
    id: 'funds-deletion-with-expired-token',
    story: 'Introspection says that a token is known; nobody asks whether it is active.',
    fails: ['FCC-13/expired-token'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        const now = Math.floor(Date.now() / 1000)
        const stale = model === 'ClientCredentials' && seen?.exp !== undefined && seen.exp < now
        if (!stale || !serving(KIND, 'DELETE')) return seen
        fired()
        return { ...seen, exp: now + 60 }
      },
    }),
  },
  {
    id: 'refused-funds-deletion-deletes',
    story: 'The row is marked before the token is checked, and nobody rolls back.',
    fails: ['FCC-13/nothing-deleted'],
    async middleware(ctx, next) {
      await next()
      const consent = isAbout(ctx, KIND, 'DELETE') ? consentNamed(ctx) : undefined
      if (ctx.status !== 401 || !consent) return
      consent.deleted ??= Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'anybody-deletes-a-funds-consent',
    story: 'Deletion checks that there is such a consent, not whose it is.',
    fails: ['FCC-14/refused'],
    policies: policy('ownsConsent', (correct) => (consent, clientId) => {
      return serving(KIND, 'DELETE') || correct(consent, clientId)
    }),
  },
  {
    id: 'foreign-funds-deletion-deletes',
    story: 'The owner is compared after the row is gone.',
    fails: ['FCC-14/survives'],
    async middleware(ctx: Context, next: Next) {
      await next()
      const refused = isAbout(ctx, KIND, 'DELETE') && ctx.status === 403
      const consent = refused ? consentNamed(ctx) : undefined
      if (consent?.kind !== KIND || consent.deleted) return
      consent.deleted = Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'foreign-funds-consent-is-wrong',
    story: 'What is not the client’s is an invalid id.',
    fails: [],
    warns: ['FCC-23/with-403'],
    middleware: answeredWith(KIND, 'DELETE', (ctx) =>
      ctx.status === 403 && consentNamed(ctx)?.kind === KIND ? 400 : undefined,
    ),
  },
  {
    id: 'unknown-funds-deletion-answers-204',
    story: 'Deletion is idempotent: afterwards there is no such consent.',
    fails: ['FCC-15/invalid-id'],
    middleware: answeredWith(KIND, 'DELETE', (ctx) =>
      ctx.status === 403 && !consentNamed(ctx) ? 204 : undefined,
    ),
  },
  {
    id: 'funds-consent-shown-as-accounts',
    story: 'Both kinds are rows of one table, and the query takes the id alone.',
    fails: [],
    warns: ['FCC-17/not-as-accounts'],
    async middleware(ctx, next) {
      const consent = isAbout(ctx, 'account-access', 'GET') ? consentNamed(ctx) : undefined
      if (consent?.kind !== KIND) return next()
      consent.kind = 'account-access'
      await next()
      consent.kind = KIND
      stateOf(ctx).fired()
    },
  },
  {
    id: 'funds-path-deletes-any-consent',
    story: 'Both kinds are rows of one table, and deletion takes the id alone.',
    fails: [],
    warns: ['FCC-17/kinds-apart'],
    async middleware(ctx: Context, next: Next) {
      await next()
      const refused = isAbout(ctx, KIND, 'DELETE') && ctx.status === 403
      const consent = refused ? consentNamed(ctx) : undefined
      if (consent?.kind !== 'account-access') return
      consent.deleted = Date.now()
      ctx.status = 204
      stateOf(ctx).fired()
    },
  },
]
export default faults
