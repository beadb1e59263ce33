import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Next } from 'koa'
import { supportedPermissions } from '../../../bank/state/consents.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { DAY, HOUR } from '../../../engine/record/durations.ts'
import {
  answered,
  answeredWith,
  bodyTakenAs,
  consentNamed,
  idsBy,
  isAbout,
  parsed,
  repeated,
  requested,
  serving,
} from '../../altering/consent-requests.ts'
import { type Json, jsonOf, policy } from '../../altering/rewriting.ts'
import { inOneField, requestBody, requestPath } from '../../altering/shared-fields.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const KIND = 'account-access'
const shifted = (value: unknown, by: number) =>
  new Date(Date.parse(String(value)) + by).toISOString()

/** After this many later creations, a deleted consent is not queried any more. */
const LONG_AGO = 60

/** How often each consent was queried since its Status changed. */
const queries = ofEachBank(() => new Map<unknown, number>())

/** The number of simultaneous creations, and the id of the first that was finished. */
const moments = ofEachBank((): { open: number; id?: string } => ({ open: 0 }))

/** The answer to a creation shows a time that the request names. */
const copiedFromTheRequest =
  (member: string): NonNullable<Fault['middleware']> =>
  async (ctx, next) => {
    const sent = isAbout(ctx, KIND, 'POST') ? (parsed(stateOf(ctx).body)?.Data as Json) : undefined
    const wanted = sent?.[member]
    await next()
    const body = ctx.body as { Data: Json }
    if (wanted === undefined || ctx.status !== 201) return
    body.Data[member] = wanted
    stateOf(ctx).fired()
  }

const faults: Fault[] = [
  {
    id: 'permissions-of-other-endpoints-accepted',
    story:
      'The bank accepts permissions of the specification that are not on the supported list, such as those for standing orders.',
    fails: ['CONS-10/other-value'],
    policies: policy('permissionsAcceptable', (correct) => (permissions) => {
      return correct(permissions.filter((one) => !/^Read(Scheduled|Standing)/.test(one)))
    }),
  },
  {
    id: 'query-touches-the-consent',
    story:
      'Each query of a consent changes its StatusUpdateDateTime, because the database layer updates every row that it loads.',
    fails: [],
    warns: ['CONS-29/not-by-query'],
    middleware: answered(KIND, 'GET', (data) =>
      data.Status === 'AwaitingAuthorisation'
        ? { ...data, StatusUpdateDateTime: new Date().toISOString() }
        : undefined,
    ),
  },
  {
    id: 'consent-creation-answers-200',
    story: 'The creation of a consent has status 200 instead of 201.',
    fails: ['CONS-01/answers-201', 'FCC-01/answers-201'],
    middleware: answeredWith('any', 'POST', (ctx) => (ctx.status === 201 ? 200 : undefined)),
  },
  {
    id: 'repeated-request-is-the-same-consent',
    story:
      'Two equal consent requests get the same ConsentId, because the second is treated as a retry.',
    fails: ['CONS-03/unique', 'FCC-20/unique'],
    middleware: repeated('any'),
  },
  {
    id: 'consents-of-one-moment-share-an-id',
    story:
      'Two consents created at the same time get the same ConsentId, because both read the same value of a sequence.',
    fails: ['CONS-03/at-once'],
    async middleware(ctx, next) {
      if (!isAbout(ctx, KIND, 'POST')) return next()
      const moment = moments()
      moment.open += 1
      try {
        await wait(25)
        await next()
        const body = jsonOf(ctx)
        const own = (body?.Data as Json | undefined)?.ConsentId
        if (ctx.status !== 201 || typeof own !== 'string') return
        if (moment.id) stateOf(ctx).fired()
        moment.id ??= own
        ctx.body = JSON.parse(JSON.stringify(body).replaceAll(own, moment.id))
      } finally {
        moment.open -= 1
        if (moment.open === 0) moment.id = undefined
      }
    },
  },
  {
    id: 'creations-at-once-are-the-last',
    story:
      'Two consents created at the same time: one gets the content of the other, because requests share the body in a field.',
    fails: [],
    warns: ['CONS-08/as-requested', 'CONS-31/expiration-as-requested'],
    middleware: inOneField({ ...requestBody, fits: (ctx) => isAbout(ctx, KIND, 'POST') }),
  },
  {
    id: 'queries-at-once-are-the-last',
    story:
      'Two queries of consents at the same time: one gets the other consent, because requests share the ConsentId in a field.',
    fails: ['CONS-22/asked-consent'],
    middleware: inOneField({ ...requestPath, fits: (ctx) => isAbout(ctx, KIND, 'GET') }),
  },
  {
    id: 'leap-days-are-no-days-of-a-period',
    story: 'The bank refuses a consent whose dates are on 29 February.',
    fails: ['CONS-14/accepted'],
    policies: policy('consentDateTime', (correct) => (text) => {
      return /-02-29T/.test(String(text)) ? undefined : correct(text)
    }),
  },
  {
    id: 'rows-of-deleted-consents-are-taken-again',
    story: 'A new consent gets the ConsentId of a consent that was deleted long ago.',
    fails: ['CONS-03/never-again', 'FCC-20/never-again'],
    middleware: idsBy(({ id, kind }, _, all) => {
      const names = new Set(all.slice(-LONG_AGO).map((one) => one.id))
      const free = all.find(
        (one) => one.deleted && one.kind === kind && one.grants.size === 0 && !names.has(one.id),
      )
      return free?.id ?? id
    }),
  },
  {
    id: 'a-server-keeps-time-of-its-own',
    story:
      'CreationDateTime of a consent differs between queries: one of the servers shows a time ten seconds earlier.',
    fails: ['CONS-06/kept'],
    // Not of a consent that was confirmed again: CONS-22/after-reconfirmation would tell it.
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const count = (queries().get(data.ConsentId) ?? 0) + 1
      queries().set(data.ConsentId, count)
      const isOnce = (consentNamed(ctx)?.grants.size ?? 0) < 2
      return data.Status === 'Authorised' && isOnce && count % 4 === 0
        ? { ...data, CreationDateTime: shifted(data.CreationDateTime, -10_000) }
        : undefined
    }),
  },
  {
    id: 'second-query-from-a-copy-of-yesterday',
    story:
      'Every second query of a revoked consent shows an old StatusUpdateDateTime, because a copy of the database does not have the new time.',
    fails: [],
    warns: ['CONS-29/never-back'],
    middleware: answered(KIND, 'GET', (data) => {
      if (data.Status !== 'Revoked') return undefined
      const count = (queries().get(data.ConsentId) ?? 0) + 1
      queries().set(data.ConsentId, count)
      return count % 2 === 0 ? { ...data, StatusUpdateDateTime: data.CreationDateTime } : undefined
    }),
  },
  {
    id: 'new-consent-in-american-spelling',
    story:
      'The Status of a new consent is spelled AwaitingAuthorization instead of AwaitingAuthorisation.',
    fails: ['CONS-04/awaiting-authorisation'],
    middleware: answered(KIND, 'POST', (data) => ({ ...data, Status: 'AwaitingAuthorization' })),
  },
  {
    id: 'consent-dates-are-local-time',
    story:
      'The dates of a consent are in British Summer Time but end with Z, so they are one hour wrong.',
    fails: ['CONS-06/at-creation', 'FCC-22/at-creation'],
    policies: (correct, { fired }) => ({
      consentView(consent, asked) {
        const view = correct.consentView(consent, asked)
        fired()
        return {
          ...view,
          CreationDateTime: shifted(view.CreationDateTime, HOUR),
          StatusUpdateDateTime: shifted(view.StatusUpdateDateTime, HOUR),
        }
      },
    }),
  },
  {
    id: 'never-updated-is-midnight',
    story:
      'StatusUpdateDateTime of a new consent is midnight, before its CreationDateTime, because only the date is stored.',
    fails: [],
    warns: ['CONS-29/not-before-creation'],
    policies: (correct, { fired }) => ({
      consentView(consent, asked) {
        const view = correct.consentView(consent, asked)
        if (consent.kind !== KIND || consent.status !== 'AwaitingAuthorisation') return view
        fired()
        const [day] = String(view.StatusUpdateDateTime).split('T')
        return { ...view, StatusUpdateDateTime: `${day}T00:00:00.000Z` }
      },
    }),
  },
  {
    id: 'statements-not-supported',
    story:
      'The bank refuses the permissions for statements, although they are on the supported list.',
    fails: ['CONS-09/all-nine'],
    policies: policy('permissionsAcceptable', (correct) => (permissions) => {
      return correct(permissions) && !permissions.some((one) => one.startsWith('ReadStatements'))
    }),
  },
  {
    id: 'permissions-in-the-order-of-the-list',
    story: 'The bank refuses permissions that are not in the order of the supported list.',
    fails: ['CONS-09/all-nine'],
    policies: policy('permissionsAcceptable', (correct) => (permissions) => {
      const inOrder = supportedPermissions.filter((one) => permissions.includes(one))
      return correct(permissions) && inOrder.join() === permissions.join()
    }),
  },
  {
    id: 'balances-need-transactions',
    story: 'The bank refuses ReadBalances without a transactions permission.',
    fails: ['CONS-09/sensible-combinations'],
    policies: policy('permissionsAcceptable', (correct) => (permissions) => {
      const transactions = permissions.some((one) => one.startsWith('ReadTransactions'))
      return correct(permissions) && (transactions || !permissions.includes('ReadBalances'))
    }),
  },
  {
    id: 'unknown-permissions-ignored',
    story: 'The bank ignores unsupported permissions and creates the consent with the others.',
    fails: ['CONS-10/other-value'],
    policies: policy('permissionsAcceptable', (correct) => (permissions) => {
      return permissions.length === 0 ? correct(permissions) : permissions.some((p) => correct([p]))
    }),
  },
  {
    id: 'permissions-with-blanks-around',
    story: 'The bank accepts permissions with spaces around them.',
    fails: ['CONS-10/other-value'],
    policies: policy('permissionsAcceptable', (correct) => (permissions) => {
      return correct(permissions.map((permission) => permission.trim()))
    }),
  },
  {
    id: 'permissions-in-any-case',
    story: 'The bank accepts permissions in any upper and lower case.',
    fails: ['CONS-10/other-value'],
    policies: policy('permissionsAcceptable', (correct) => (permissions) => {
      const named = (each: string) => (name: string) => name.toLowerCase() === each.toLowerCase()
      return correct(permissions.map((each) => supportedPermissions.find(named(each)) ?? each))
    }),
  },
  {
    id: 'lone-unknown-permission-accepted',
    story:
      'The bank accepts an unsupported permission if it is the only one. Its code compares only pairs.',
    fails: ['CONS-10/other-value'],
    policies: policy('permissionsAcceptable', (correct) => (permissions) => {
      return permissions.length === 1 || correct(permissions)
    }),
  },
  {
    id: 'no-permissions-means-all',
    story: 'The bank accepts a consent request without Permissions and gives a default set.',
    fails: ['CONS-11/missing'],
    middleware: requested(KIND, (data, body) =>
      body.Data !== undefined && data.Permissions === undefined
        ? { ...data, Permissions: ['ReadAccountsDetail', 'ReadBalances'] }
        : undefined,
    ),
  },
  {
    id: 'no-data-means-all',
    story: 'The bank accepts a consent request without Data and creates a default consent.',
    fails: ['CONS-11/missing'],
    middleware: requested(KIND, (_, body) =>
      body.Data === undefined ? { Permissions: ['ReadAccountsBasic'] } : undefined,
    ),
  },
  {
    id: 'empty-permissions-accepted',
    story: 'The bank accepts an empty list of Permissions.',
    fails: [],
    warns: ['CONS-12/empty'],
    policies: policy('permissionsAcceptable', (correct) => (permissions) => {
      return permissions.length === 0 || correct(permissions)
    }),
  },
  {
    id: 'single-permission-for-an-array',
    story: 'The bank accepts Permissions as a single string instead of an array.',
    fails: [],
    warns: ['CONS-12/not-an-array'],
    middleware: requested(KIND, (data) =>
      typeof data.Permissions === 'string'
        ? { ...data, Permissions: [data.Permissions] }
        : undefined,
    ),
  },
  {
    id: 'null-beside-permissions-ignored',
    story: 'The bank accepts null in the list of Permissions and ignores it.',
    fails: [],
    warns: ['CONS-12/not-an-array'],
    middleware: requested(KIND, (data) => {
      const all: unknown = data.Permissions
      const left = Array.isArray(all) ? all.filter((one) => one !== null) : []
      return Array.isArray(all) && left.length < all.length
        ? { ...data, Permissions: left }
        : undefined
    }),
  },
  {
    id: 'expiry-needs-milliseconds',
    story: 'The bank refuses an ExpirationDateTime without milliseconds.',
    fails: ['CONS-13/accepted'],
    policies: policy('consentDateTime', (correct) => (text) => {
      const ahead = (correct(text) ?? 0) > Date.now()
      const account = serving(KIND, 'POST')
      return ahead && account && !String(text).includes('.') ? undefined : correct(text)
    }),
  },
  {
    id: 'expiry-with-zero-offset-refused',
    story: 'The bank refuses dates that end with +00:00 instead of Z.',
    fails: ['CONS-13/accepted', 'FCC-06/accepted'],
    policies: policy('consentDateTime', (correct) => (text) => {
      return serving('any', 'POST') && String(text).endsWith('+00:00') ? undefined : correct(text)
    }),
  },
  {
    id: 'expiry-capped-at-ninety-days',
    story: 'The bank shortens an ExpirationDateTime to 90 days from now.',
    fails: [],
    warns: ['CONS-31/expiration-as-requested'],
    middleware: requested(KIND, (data) => {
      const most = Date.now() + 90 * DAY
      const expiry = Date.parse(String(data.ExpirationDateTime))
      return expiry > most
        ? { ...data, ExpirationDateTime: new Date(most).toISOString() }
        : undefined
    }),
  },
  {
    id: 'expiry-is-a-day',
    story: 'The bank stores only the date of ExpirationDateTime, so the time is lost.',
    fails: [],
    warns: ['CONS-15/malformed', 'CONS-31/expiration-as-requested', 'FCC-24/as-requested'],
    middleware: requested('any', (data) => {
      if (typeof data.ExpirationDateTime !== 'string') return undefined
      const day = data.ExpirationDateTime.slice(0, 10)
      const valid = /^\d{4}-\d{2}-\d{2}$/.test(day)
      return valid ? { ...data, ExpirationDateTime: `${day}T00:00:00Z` } : undefined
    }),
  },
  {
    id: 'period-end-needs-a-start',
    story: 'The bank refuses TransactionToDateTime without TransactionFromDateTime.',
    fails: ['CONS-14/accepted'],
    policies: policy('datesRefusal', (correct) => (dates) => {
      const open = dates.transactionsTo !== undefined && dates.transactionsFrom === undefined
      return open ? 'TransactionFromDateTime is missing' : correct(dates)
    }),
  },
  {
    id: 'period-shown-in-days',
    story:
      'The bank shows TransactionFromDateTime and TransactionToDateTime only with their date, at midnight.',
    fails: [],
    warns: ['CONS-31/period-as-requested'],
    policies: (correct, { fired }) => ({
      consentView(consent, asked) {
        const view = correct.consentView(consent, asked)
        for (const name of ['TransactionFromDateTime', 'TransactionToDateTime']) {
          if (typeof view[name] !== 'string') continue
          fired()
          view[name] = `${view[name].slice(0, 10)}T00:00:00Z`
        }
        return view
      },
    }),
  },
  {
    id: 'period-start-lost-beside-end',
    story:
      'If both dates of the transaction period are sent, the response shows TransactionToDateTime in both fields.',
    fails: [],
    warns: ['CONS-31/period-as-requested'],
    middleware: answered(KIND, 'POST', (data) => {
      const both = data.TransactionFromDateTime && data.TransactionToDateTime
      return both ? { ...data, TransactionFromDateTime: data.TransactionToDateTime } : undefined
    }),
  },
  {
    id: 'expiry-stored-and-not-shown',
    story: 'The response to the creation of a consent does not show ExpirationDateTime.',
    fails: [],
    warns: ['CONS-30/dates', 'FCC-21/optional-members'],
    middleware: answered('any', 'POST', ({ ExpirationDateTime, ...data }) =>
      ExpirationDateTime === undefined ? undefined : data,
    ),
  },
  {
    id: 'unreadable-date-is-no-date',
    story: 'The bank ignores a date in a consent request that it cannot parse.',
    fails: [],
    warns: ['CONS-15/malformed'],
    middleware: requested(KIND, (data) => {
      const wrong = Object.keys(data).filter(
        (name) => name.endsWith('DateTime') && Number.isNaN(Date.parse(String(data[name]))),
      )
      return wrong.length === 0
        ? undefined
        : Object.fromEntries(Object.entries(data).filter(([name]) => !wrong.includes(name)))
    }),
  },
  {
    id: 'numbers-are-dates',
    story: 'The bank accepts a number as a date in a consent request.',
    fails: [],
    warns: ['CONS-15/malformed'],
    policies: policy('consentDateTime', (correct) => (text) => {
      return typeof text === 'number' ? text * 1000 : correct(text)
    }),
  },
  {
    id: 'creation-time-of-the-request',
    story: 'The bank uses a CreationDateTime that the request contains.',
    fails: [],
    warns: ['CONS-19/not-adopted'],
    middleware: copiedFromTheRequest('CreationDateTime'),
  },
  {
    id: 'update-time-of-the-request',
    story: 'The bank uses a StatusUpdateDateTime that the request contains.',
    fails: [],
    warns: ['CONS-19/not-adopted'],
    middleware: copiedFromTheRequest('StatusUpdateDateTime'),
  },
  {
    id: 'status-of-the-request',
    story:
      'The bank uses a Status that the request contains, so a TPP can set its consent to Authorised.',
    fails: [],
    warns: ['CONS-19/not-adopted'],
    async middleware(ctx: Context, next: Next) {
      const sent = isAbout(ctx, KIND, 'POST') ? stateOf(ctx).body : ''
      await next()
      if (!sent.includes('"Status":"Authorised"') || ctx.status !== 201) return
      const body = ctx.body as { Data: Record<string, unknown> }
      body.Data.Status = 'Authorised'
      stateOf(ctx).fired()
    },
  },
  {
    id: 'empty-body-is-a-default-consent',
    story: 'The bank accepts a consent request with an empty body and creates a default consent.',
    fails: [],
    warns: ['CONS-20/malformed-json'],
    middleware: bodyTakenAs(KIND, '', { Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} }),
  },
  {
    id: 'expiry-beyond-ninety-days-refused',
    story: 'The bank refuses an ExpirationDateTime that is more than 90 days ahead.',
    fails: [],
    warns: ['CONS-21/year-ahead'],
    policies: policy('datesRefusal', (correct) => (dates) => {
      const late = (dates.expires ?? 0) > Date.now() + 90 * DAY
      return late ? 'ExpirationDateTime is too late' : correct(dates)
    }),
  },
  {
    id: 'period-to-come-refused',
    story: 'The bank refuses a TransactionToDateTime in the future.',
    fails: [],
    warns: ['CONS-35/ends-later'],
    policies: policy('datesRefusal', (correct) => (dates) => {
      const later = (dates.transactionsTo ?? 0) > Date.now()
      return later ? 'TransactionToDateTime is in the future' : correct(dates)
    }),
  },
  {
    id: 'consent-query-answers-203',
    story: 'The query of a consent has status 203 instead of 200. A gateway changes it.',
    fails: ['CONS-22/answers-200'],
    middleware: answeredWith(KIND, 'GET', (ctx) => (ctx.status === 200 ? 203 : undefined)),
  },
  {
    id: 'consent-query-under-another-name',
    story:
      'The query of a consent is served only under /account-requests, the name in the heading.',
    fails: ['CONS-22/answers-200'],
    middleware: answeredWith(KIND, 'GET', () => 404),
  },
  {
    id: 'queried-id-in-capitals',
    story:
      'The query of a consent shows its ConsentId in upper case; the creation showed it in lower case.',
    fails: ['CONS-22/asked-consent'],
    middleware: answered(KIND, 'GET', (data) => ({
      ...data,
      ConsentId: String(data.ConsentId).toUpperCase(),
    })),
  },
  {
    id: 'query-forgets-the-end-of-the-period',
    story: 'The query of a consent does not show TransactionToDateTime.',
    fails: ['CONS-22/as-created'],
    middleware: answered(KIND, 'GET', ({ TransactionToDateTime, ...data }) =>
      TransactionToDateTime === undefined ? undefined : data,
    ),
  },
  {
    id: 'query-shows-permissions-that-work',
    story: 'The query of a consent does not show the permissions for statements.',
    fails: ['CONS-22/as-created'],
    middleware: answered(KIND, 'GET', (data) => {
      const all = data.Permissions as string[]
      const left = all.filter((name) => !name.startsWith('ReadStatements'))
      return left.length === all.length ? undefined : { ...data, Permissions: left }
    }),
  },
  {
    id: 'unknown-consent-answers-200',
    story: 'The query of an unknown ConsentId has status 200; only the body contains the error.',
    fails: ['CONS-23/invalid-id'],
    middleware: answeredWith(KIND, 'GET', (ctx) =>
      ctx.status >= 400 && !consentNamed(ctx) ? 200 : undefined,
    ),
  },
]
export default faults
