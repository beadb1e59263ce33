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
      'The access token of a funds confirmation consent reads account data. Both kinds of consent are in one table, and one without permissions may read everything.',
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
    story:
      'The bank refuses a funds confirmation consent whose ExpirationDateTime is more than 90 days ahead.',
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
    story: 'StatusUpdateDateTime of a new funds confirmation consent is one day in the future.',
    fails: [],
    warns: ['CONS-29/not-in-future'],
    middleware: answered(KIND, 'POST', (data) => {
      const tomorrow = Date.parse(String(data.StatusUpdateDateTime)) + DAY
      return { ...data, StatusUpdateDateTime: new Date(tomorrow).toISOString() }
    }),
  },
  {
    id: 'funds-creations-at-once-are-the-last',
    story:
      'Two funds confirmation consents created at the same time: one gets the content of the other, because requests share the body in a field.',
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
      'Two funds confirmation consents created at the same time get the same ConsentId, because both read the same value of a sequence.',
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
    story:
      'The bank accepts a funds confirmation consent without SchemeName from the second client.',
    fails: ['FCC-02/second-client'],
    middleware: completedForSecond((account) =>
      account?.Identification !== undefined && account.SchemeName === undefined
        ? { ...account, ...RIGHT }
        : undefined,
    ),
  },
  {
    id: 'later-clients-need-no-card',
    story:
      'The bank accepts a funds confirmation consent without Identification from the second client.',
    fails: ['FCC-03/second-client'],
    middleware: completedForSecond((account) =>
      account && account.Identification === undefined
        ? { ...account, Identification: RIGHT.Identification }
        : undefined,
    ),
  },
  {
    id: 'scheme-null-means-the-usual-one',
    story: 'The bank accepts a funds confirmation consent whose SchemeName is null.',
    fails: ['FCC-02/missing-scheme'],
    middleware: completed((account) =>
      account?.SchemeName === null ? { ...account, SchemeName: RIGHT.SchemeName } : undefined,
    ),
  },
  {
    id: 'named-account-needs-no-scheme',
    story: 'The bank accepts a funds confirmation consent without SchemeName if it has a Name.',
    fails: ['FCC-02/missing-scheme'],
    middleware: completed((account) =>
      account?.Name !== undefined && account.SchemeName === undefined
        ? { ...account, SchemeName: RIGHT.SchemeName }
        : undefined,
    ),
  },
  {
    id: 'empty-debtor-account-taken',
    story: 'The bank accepts a funds confirmation consent with an empty DebtorAccount.',
    fails: ['FCC-18/missing-debtor-account'],
    middleware: completed((account) =>
      account && Object.keys(account).length === 0 ? RIGHT : undefined,
    ),
  },
  {
    id: 'debtor-account-null-taken',
    story: 'The bank accepts a funds confirmation consent whose DebtorAccount is null.',
    fails: ['FCC-18/missing-debtor-account'],
    middleware: completed((account) => (account === null ? RIGHT : undefined)),
  },
  {
    id: 'one-name-needs-the-other',
    story:
      'The bank refuses a funds confirmation consent with only one of Name and SecondaryIdentification.',
    fails: ['FCC-05/accepted'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      const half = (account.Name === undefined) !== (account.SecondaryIdentification === undefined)
      return half ? ['field-missing', 'Name'] : correct(account, scheme)
    }),
  },
  {
    id: 'name-fills-both-names',
    story:
      'The response to a new funds confirmation consent shows Name also as SecondaryIdentification.',
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
    story:
      'The bank refuses an Identification that begins with 0, because it reads it as a number.',
    fails: ['FCC-09/leading-zero'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      const refusal = correct(account, scheme)
      return refusal ?? (/^0/.test(account.Identification) ? ['field-invalid', '4'] : undefined)
    }),
  },
  {
    id: 'identification-is-a-number',
    story:
      'The bank loses leading zeros of Identification (0036 becomes 36), because it stores a number.',
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
    story:
      'The delete of a funds confirmation consent accepts an invalid token whose first 16 characters are those of a valid one. This is the key of a cache.',
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
    story:
      'The delete of a funds confirmation consent accepts a ConsentId with extra characters at its end, because the bank cuts it to 36 characters.',
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
    story:
      'The bank accepts a funds confirmation consent without DebtorAccount, SchemeName or Identification and uses default values.',
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
    story:
      'The bank accepts the SchemeName of sort code and account number, which is in the specification but not supported.',
    fails: ['FCC-02/other-scheme'],
    middleware: completed((account) =>
      account?.SchemeName === 'UK.OBIE.SortCodeAccountNumber'
        ? { ...account, SchemeName: 'UK.OBIE.PAN' }
        : undefined,
    ),
  },
  {
    id: 'empty-scheme-means-the-usual-one',
    story: 'The bank accepts an empty SchemeName as the supported one.',
    fails: ['FCC-02/other-scheme'],
    middleware: completed((account) =>
      account?.SchemeName === '' ? { ...account, SchemeName: 'UK.OBIE.PAN' } : undefined,
    ),
  },
  {
    id: 'scheme-in-small-letters',
    story: 'The bank accepts the SchemeName in lower case.',
    fails: ['FCC-02/other-scheme'],
    middleware: completed((account) =>
      account?.SchemeName === 'uk.obie.pan' ? { ...account, SchemeName: 'UK.OBIE.PAN' } : undefined,
    ),
  },
  {
    id: 'account-name-refused',
    story: 'The bank refuses a funds confirmation consent that has the optional field Name.',
    fails: ['FCC-05/accepted'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      return account.Name === undefined ? correct(account, scheme) : ['field-unexpected', 'Name']
    }),
  },
  {
    id: 'secondary-identification-refused',
    story:
      'The bank refuses a funds confirmation consent that has the optional field SecondaryIdentification.',
    fails: ['FCC-05/accepted'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      return account.SecondaryIdentification === undefined
        ? correct(account, scheme)
        : ['field-unexpected', 'SecondaryIdentification']
    }),
  },
  {
    id: 'names-of-letters-alone',
    story:
      'The bank refuses a Name with an apostrophe or &. The firewall treats it as an attack on the database.',
    fails: [],
    warns: ['FCC-31/any-letters'],
    policies: policy('debtorAccountRefusal', (correct) => (account, scheme) => {
      return /['&]/.test(account.Name ?? '') ? ['field-invalid', 'Name'] : correct(account, scheme)
    }),
  },
  {
    id: 'names-in-windows-1252',
    story:
      'The bank returns a Name with wrong characters, because UTF-8 text is read in a single-byte encoding.',
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
    story:
      'The response masks two digits of Identification (**36), because it looks like a card number.',
    fails: ['FCC-09/as-requested'],
    middleware: answered(KIND, 'POST', (data) => {
      const account = data.DebtorAccount as Json
      const Identification = `**${String(account.Identification).slice(2)}`
      return { ...data, DebtorAccount: { ...account, Identification } }
    }),
  },
  {
    id: 'funds-consents-that-expire-are-not-deleted',
    story:
      'The bank refuses the delete of a funds confirmation consent that has an ExpirationDateTime.',
    fails: ['FCC-12/optional-members'],
    async middleware(ctx, next) {
      if (!isAbout(ctx, KIND, 'DELETE') || consentNamed(ctx)?.expires === undefined) return next()
      ctx.status = 403
      stateOf(ctx).fired()
    },
  },
  {
    id: 'funds-deletion-not-built',
    story: 'The delete of funds confirmation consents is not supported (405).',
    fails: ['FCC-12/answers-204'],
    middleware: answeredWith(KIND, 'DELETE', () => 405),
  },
  {
    id: 'funds-deletion-takes-the-card',
    story:
      "The delete of a funds confirmation consent also deletes the client's other ones with the same Identification.",
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
    story:
      "The delete of a funds confirmation consent also deletes the client's account access consents in AwaitingAuthorisation.",
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
      "The delete of an account access consent also deletes the client's funds confirmation consents.",
    fails: [],
    warns: ['CLC-19/funds-untouched'],
    middleware: deletionTakes('account-access', ({ kind }) => kind === KIND),
  },
  {
    id: 'funds-consent-shown-as-accounts',
    story:
      'A funds confirmation consent can be queried under /account-access-consents. Both kinds are in one table.',
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
      'A deleted funds confirmation consent can still be queried, because the query ignores the mark of the delete.',
    fails: ['FCC-12/gone'],
    middleware: queriedFunds((_consent, isOwn) => isOwn),
  },
  {
    id: 'funds-consents-shown-to-any-client',
    story:
      'Any client can query a funds confirmation consent, because the bank does not compare the owner.',
    fails: ['FCC-14/not-shown'],
    middleware: queriedFunds(({ deleted }) => deleted === undefined),
  },
  {
    id: 'funds-deletion-by-an-older-address',
    story:
      'Any client can delete a funds confirmation consent under its other path (aisp prefix), where the bank does not compare the owner.',
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
    story:
      'An account access consent can be deleted under the path of funds confirmation consents, because both kinds are in one table.',
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
    story:
      'The bank refuses a funds confirmation consent with ExpirationDateTime from the second client.',
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
    story: 'A new funds confirmation consent has Status Revoked, because no approval is stored.',
    fails: [],
    warns: ['FCC-28/not-revoked'],
    middleware: answered('funds-confirmation', 'POST', (data) => ({ ...data, Status: 'Revoked' })),
  },
]
export default faults
