import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Next } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import {
  type Consent,
  type ConsentKind,
  supportedPermissions,
} from '../../../bank/state/consents.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { DAY } from '../../../engine/record/durations.ts'
import {
  answered,
  answeredWith,
  consentNamed,
  isAbout,
  queriedFunds,
  requested,
} from '../../altering/consent-requests.ts'
import { asAccounts } from '../../altering/funds-as-accounts.ts'
import { type Json, jsonOf, policy } from '../../altering/rewriting.ts'
import { inOneField, requestBody } from '../../altering/shared-fields.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const KIND = 'funds-confirmation'

/** The id of the first of several simultaneous creations. */
const sequence = ofEachBank(() => ({}) as { begun?: string | undefined })

/** Creates a consent although its DebtorAccount is incomplete, as a default value would do. */
const completed = (change: (account: Json | undefined) => Json | undefined) =>
  requested(KIND, (data, body) => {
    if (body.Data === undefined) return undefined
    const account = change(data.DebtorAccount as Json | undefined)
    return account && { ...data, DebtorAccount: account }
  })

/** The same for requests of the second client only. */
const completedForSecond = (change: (account: Json | undefined) => Json | undefined) => {
  const complete = completed(change)
  return (ctx: Context, next: Next) =>
    tokenInfoOf(ctx)?.client === 'second' ? complete(ctx, next) : next()
}

/** The body of a creation; empty when it is not JSON. */
function bodyOf(ctx: Context): Json {
  try {
    return (JSON.parse(stateOf(ctx).body) as Json | null) ?? {}
  } catch {
    return {}
  }
}

const RIGHT = { SchemeName: 'UK.OBIE.PAN', Identification: '0000' }

/** Deleting a consent of one kind also deletes others of the same client. */
function deletionTakes(kind: ConsentKind, takes: (other: Consent, named: Consent) => boolean) {
  return async (ctx: Context, next: Next) => {
    const named = isAbout(ctx, kind, 'DELETE') ? consentNamed(ctx) : undefined
    await next()
    if (!named || ctx.status !== 204) return
    for (const other of stateOf(ctx).bank.services.consents.all()) {
      if (other.clientId !== named.clientId || other.deleted || !takes(other, named)) continue
      other.deleted = Date.now()
      stateOf(ctx).fired()
    }
  }
}

/** Access tokens by their first characters. */
const byBeginning = ofEachBank(() => new Map<string, string>())

const faults: Fault[] = [
  {
    id: 'funds-consents-open-accounts',
    story:
      'Both kinds of consent are rows of one table, and one without permissions is taken for an old one, which had none.',
    fails: ['FCC-29/no-account-data'],
    policies: asAccounts,
    async middleware(ctx: Context, next: Next) {
      const consent = tokenInfoOf(ctx)?.consent
      if (consent?.kind !== KIND) return next()
      const { permissions } = consent
      Object.assign(consent, { kind: 'account-access', permissions: supportedPermissions })
      stateOf(ctx).fired()
      await next()
      Object.assign(consent, { kind: KIND, permissions })
    },
  },
  {
    id: 'funds-expiry-beyond-ninety-days-refused',
    story: 'What customers re-confirm every ninety days is thought to live no longer.',
    fails: [],
    warns: ['FCC-27/year-ahead'],
    async middleware(ctx, next) {
      const { Data } = isAbout(ctx, KIND, 'POST') ? bodyOf(ctx) : {}
      const expires = Date.parse(String((Data as Json | undefined)?.ExpirationDateTime))
      if (!(expires > Date.now() + 90 * DAY)) return next()
      ctx.status = 400
      ctx.body = { Message: 'ExpirationDateTime is too late' }
      stateOf(ctx).fired()
    },
  },
  {
    id: 'funds-consents-were-updated-tomorrow',
    story: 'The batch of the night takes them over, and the time of it is written ahead.',
    fails: [],
    warns: ['CONS-29/not-in-future'],
    middleware: answered(KIND, 'POST', (data) => {
      const tomorrow = Date.parse(String(data.StatusUpdateDateTime)) + DAY
      return { ...data, StatusUpdateDateTime: new Date(tomorrow).toISOString() }
    }),
  },
  {
    id: 'funds-creations-at-once-are-the-last',
    story: 'The body that is mapped to a consent is a field of a service that all requests share.',
    fails: [],
    warns: ['FCC-24/as-requested'],
    middleware: inOneField({
      ...requestBody,
      fits: (ctx) => isAbout(ctx, 'funds-confirmation', 'POST'),
    }),
  },
  {
    id: 'funds-consents-of-one-moment-share-an-id',
    story:
      'The ConsentId is read from a sequence before it is raised, and another one reads it too.',
    fails: ['FCC-20/at-once', 'FCC-20/never-again'],
    async middleware(ctx, next) {
      await next()
      if (!isAbout(ctx, 'funds-confirmation', 'POST') || ctx.status !== 201) return
      const shared = sequence()
      const body = jsonOf(ctx) as { Data: { ConsentId: string } }
      const own = body.Data.ConsentId
      shared.begun ??= own
      const { begun } = shared
      await wait(10)
      shared.begun = undefined
      if (begun === own) return
      ctx.body = JSON.parse(JSON.stringify(body).replaceAll(own, begun))
      stateOf(ctx).fired()
    },
  },
  {
    id: 'later-clients-need-no-scheme',
    story: 'The contract of newer clients has one scheme, which they need not name.',
    fails: ['FCC-02/second-client'],
    middleware: completedForSecond((account) =>
      account?.Identification !== undefined && account.SchemeName === undefined
        ? { ...account, ...RIGHT }
        : undefined,
    ),
  },
  {
    id: 'later-clients-need-no-card',
    story: 'For newer clients the customer chooses the card on the page.',
    fails: ['FCC-03/second-client'],
    middleware: completedForSecond((account) =>
      account && account.Identification === undefined
        ? { ...account, Identification: RIGHT.Identification }
        : undefined,
    ),
  },
  {
    id: 'scheme-null-means-the-usual-one',
    story: 'A member that is there has passed the check of required ones, also when it is null.',
    fails: ['FCC-02/missing-scheme'],
    middleware: completed((account) =>
      account?.SchemeName === null ? { ...account, SchemeName: RIGHT.SchemeName } : undefined,
    ),
  },
  {
    id: 'named-account-needs-no-scheme',
    story: 'Whoever names the account has told enough of it.',
    fails: ['FCC-02/missing-scheme'],
    middleware: completed((account) =>
      account?.Name !== undefined && account.SchemeName === undefined
        ? { ...account, SchemeName: RIGHT.SchemeName }
        : undefined,
    ),
  },
  {
    id: 'empty-debtor-account-taken',
    story: 'DebtorAccount is required, and what is in it is validated when there is something.',
    fails: ['FCC-18/missing-debtor-account'],
    middleware: completed((account) =>
      account && Object.keys(account).length === 0 ? RIGHT : undefined,
    ),
  },
  {
    id: 'debtor-account-null-taken',
    story: 'A member that is there has passed the check of required ones, also when it is null.',
    fails: ['FCC-18/missing-debtor-account'],
    middleware: completed((account) => (account === null ? RIGHT : undefined)),
  },
  {
    id: 'one-name-needs-the-other',
    story: 'Name and SecondaryIdentification are one block of the message: both or neither.',
    fails: ['FCC-05/accepted'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      const half = (account.Name === undefined) !== (account.SecondaryIdentification === undefined)
      return half ? ['field-missing', 'Name'] : correct(account, scheme)
    }),
  },
  {
    id: 'name-fills-both-names',
    story: 'The mapper of the answer has one line twice, and the second was not adapted.',
    fails: [],
    warns: ['FCC-26/not-exchanged'],
    middleware: answered(KIND, 'POST', (data) => {
      const account = data.DebtorAccount as Json
      if (!account.Name || !account.SecondaryIdentification) return undefined
      const DebtorAccount = { ...account, SecondaryIdentification: account.Name }
      return { ...data, DebtorAccount }
    }),
  },
  {
    id: 'identification-of-less-than-a-thousand-refused',
    story: 'The last digits are read as a number, which has to have four digits.',
    fails: ['FCC-09/leading-zero'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      const refusal = correct(account, scheme)
      return refusal ?? (/^0/.test(account.Identification) ? ['field-invalid', '4'] : undefined)
    }),
  },
  {
    id: 'identification-is-a-number',
    story: 'The last digits are kept as a number, and 0036 comes back as 36.',
    fails: ['FCC-09/leading-zero'],
    middleware: answered(KIND, 'POST', (data) => {
      const account = data.DebtorAccount as Json
      const Identification = String(Number(account.Identification))
      if (Identification === account.Identification) return undefined
      return { ...data, DebtorAccount: { ...account, Identification } }
    }),
  },
  {
    id: 'funds-deletion-by-the-beginning-of-a-token',
    story: 'The cache of introspected tokens is keyed by the first sixteen characters.',
    fails: ['FCC-13/invalid-token'],
    async middleware(ctx: Context, next: Next) {
      const known = byBeginning()
      const bearer = /^Bearer (.+)$/.exec(ctx.get('authorization'))?.[1] ?? ''
      const good = known.get(bearer.slice(0, 16))
      if (isAbout(ctx, KIND, 'DELETE') && good && !tokenInfoOf(ctx)) {
        ctx.req.headers.authorization = `Bearer ${good}`
        stateOf(ctx).fired()
      }
      await next()
      if (isAbout(ctx, KIND, 'POST') && ctx.status === 201) known.set(bearer.slice(0, 16), bearer)
    },
  },
  {
    id: 'funds-ids-cut-to-their-column',
    story: 'The key is a column of thirty-six characters; what follows them is cut off on the way.',
    fails: ['FCC-15/invalid-id'],
    async middleware(ctx: Context, next: Next) {
      const cut = ctx.path.replace(/(\/[0-9a-f-]{36})[^/]+$/, '$1')
      if (isAbout(ctx, KIND, 'DELETE') && cut !== ctx.path) {
        ctx.path = cut
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'debtor-account-has-defaults',
    story: 'There is one scheme, and the card is chosen by the customer anyway, as in a payment.',
    fails: [
      'FCC-02/missing-scheme',
      'FCC-03/missing-identification',
      'FCC-18/missing-debtor-account',
    ],
    middleware: completed((account) =>
      account?.SchemeName !== undefined && account.Identification !== undefined
        ? undefined
        : { SchemeName: 'UK.OBIE.PAN', Identification: '0000', ...account },
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
    id: 'empty-scheme-means-the-usual-one',
    story: 'An empty SchemeName is there, and stands for the one that is supported.',
    fails: ['FCC-02/other-scheme'],
    middleware: completed((account) =>
      account?.SchemeName === '' ? { ...account, SchemeName: 'UK.OBIE.PAN' } : undefined,
    ),
  },
  {
    id: 'scheme-in-small-letters',
    story: 'Names of schemes are brought into capitals before they are looked up.',
    fails: ['FCC-02/other-scheme'],
    middleware: completed((account) =>
      account?.SchemeName === 'uk.obie.pan' ? { ...account, SchemeName: 'UK.OBIE.PAN' } : undefined,
    ),
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
    id: 'secondary-identification-refused',
    story: 'The body is validated against the schema of payments, in which a card has one name.',
    fails: ['FCC-05/accepted'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      return account.SecondaryIdentification === undefined
        ? correct(account, scheme)
        : ['field-unexpected', 'SecondaryIdentification']
    }),
  },
  {
    id: 'names-of-letters-alone',
    story: 'The firewall takes an apostrophe for the beginning of an attack on the database.',
    fails: [],
    warns: ['FCC-31/any-letters'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      return /['&]/.test(account.Name ?? '') ? ['field-invalid', 'Name'] : correct(account, scheme)
    }),
  },
  {
    id: 'names-in-windows-1252',
    story: 'The body is read as UTF-8, and the name goes through a table in windows-1252.',
    fails: [],
    warns: ['FCC-31/any-letters'],
    middleware: answered(KIND, 'POST', (data) => {
      const account = data.DebtorAccount as Json
      const Name = Buffer.from(String(account.Name ?? '')).toString('latin1')
      if (account.Name === undefined || Name === account.Name) return undefined
      return { ...data, DebtorAccount: { ...account, Name } }
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
    id: 'funds-consents-that-expire-are-not-deleted',
    story: 'What ends by itself need not be ended: the deletion is for consents without an expiry.',
    fails: ['FCC-12/optional-members'],
    async middleware(ctx, next) {
      if (!isAbout(ctx, KIND, 'DELETE') || consentNamed(ctx)?.expires === undefined) return next()
      ctx.status = 403
      stateOf(ctx).fired()
    },
  },
  {
    id: 'funds-deletion-not-built',
    story: 'Deletion of funds confirmation consents was left for the next release.',
    fails: ['FCC-12/answers-204'],
    middleware: answeredWith(KIND, 'DELETE', () => 405),
  },
  {
    id: 'funds-deletion-takes-the-card',
    story:
      'DELETE has the card in its WHERE clause: whatever the client was given for it goes too.',
    fails: ['FCC-12/one-alone'],
    middleware: deletionTakes(
      KIND,
      (other, { debtorAccount }) =>
        other.kind === KIND &&
        other.debtorAccount?.Identification === debtorAccount?.Identification,
    ),
  },
  {
    id: 'funds-deletion-takes-waiting-consents',
    story: 'Whoever withdraws one consent is taken to want none: what still waits is cleared away.',
    fails: [],
    warns: ['CLC-19/not-by-funds'],
    middleware: deletionTakes(
      KIND,
      ({ kind, status }) => kind === 'account-access' && status === 'AwaitingAuthorisation',
    ),
  },
  {
    id: 'account-deletion-takes-funds-consents',
    story:
      'Consents for funds are kept as children of those for accounts, and go with any of them.',
    fails: [],
    warns: ['CLC-19/funds-untouched'],
    middleware: deletionTakes('account-access', ({ kind }) => kind === KIND),
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
    id: 'funds-consents-shown-after-their-deletion',
    story:
      'A query was built for support, and the deletion answers before its row is marked; nothing ever marks it.',
    fails: ['FCC-12/gone'],
    middleware: queriedFunds((_consent, isOwn) => isOwn),
  },
  {
    id: 'funds-consents-shown-to-any-client',
    story: 'The query of the specification was built as well, and looks for the consent alone.',
    fails: ['FCC-14/not-shown'],
    middleware: queriedFunds(({ deleted }) => deleted === undefined),
  },
  {
    id: 'funds-deletion-by-an-older-address',
    story:
      'The address of the first release goes on, beside that of today, which alone asks whose the consent is.',
    fails: ['FCC-14/other-addresses'],
    async middleware(ctx, next) {
      const isOlder = ctx.path.includes('/aisp/funds-confirmation-consents/')
      const consent = isOlder && ctx.method === 'DELETE' ? consentNamed(ctx) : undefined
      if (consent?.kind !== KIND || consent.deleted !== undefined) return next()
      consent.deleted = Date.now()
      ctx.status = 204
      return stateOf(ctx).fired()
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
  {
    id: 'second-client-cannot-end-its-funds-consents',
    story: 'Consents of the second client last for ever, so that none has an end that is sent.',
    fails: ['FCC-06/accepted'],
    async middleware(ctx: Context, next: Next) {
      const state = stateOf(ctx)
      const dated = isAbout(ctx, KIND, 'POST') && state.body.includes('ExpirationDateTime')
      if (!dated || tokenInfoOf(ctx)?.client !== 'second') return next()
      state.fired()
      ctx.status = 400
      ctx.body = { Message: 'ExpirationDateTime is not supported' }
    },
  },
  {
    id: 'funds-consents-begin-revoked',
    story: 'A consent without an approval counts as none, and is shown as one that was withdrawn.',
    fails: [],
    warns: ['FCC-28/not-revoked'],
    middleware: answered('funds-confirmation', 'POST', (data) => ({ ...data, Status: 'Revoked' })),
  },
]
export default faults
