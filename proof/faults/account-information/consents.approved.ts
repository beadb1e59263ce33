import type { Context } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { DAY } from '../../../engine/record/durations.ts'
import {
  answered,
  answeredWith,
  consentData,
  consentNamed,
  isAbout,
} from '../../altering/consent-requests.ts'
import { tokenForm } from '../../altering/jwt-rewrites.ts'
import { type Json, jsonOf } from '../../altering/rewriting.ts'
import { grantOf } from '../../altering/token-requests.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const KIND = 'account-access'

/** When data were last read, or a token was last refreshed, by ConsentId. */
const lastUsed = ofEachBank(() => new Map<string, string>())

/** Shows the time of the last use of a consent as that of its last update. */
function showLastUse(ctx: Context): void {
  const at = isAbout(ctx, KIND, 'GET') && lastUsed().get(consentNamed(ctx)?.id ?? '')
  const answer = ctx.body as { Data?: Json } | undefined
  if (!at || answer?.Data?.Status !== 'Authorised') return
  ctx.body = { ...answer, Data: { ...answer.Data, StatusUpdateDateTime: at } }
  stateOf(ctx).fired()
}

/** How often each consent was queried and is Authorised. */
const shownAuthorised = ofEachBank(() => new Map<string, number>())

const faults: Fault[] = [
  {
    id: 'approved-in-american-spelling',
    story: 'The Status of an approved consent is spelled Authorized instead of Authorised.',
    fails: [],
    warns: ['CONS-34/authorised-spelled'],
    middleware: consentData((data) =>
      data.Status === 'Authorised' ? { ...data, Status: 'Authorized' } : undefined,
    ),
  },
  {
    id: 'consents-of-one-customer-cannot-be-queried',
    story:
      'After the approval, the consents of some customers cannot be queried, because the query needs settings that these customers do not have.',
    fails: ['CONS-22/after-approval'],
    middleware: answeredWith(KIND, 'GET', (ctx) => {
      const [, second] = stateOf(ctx).bank.customers
      return ctx.status === 200 && consentNamed(ctx)?.customerId === second?.id ? 403 : undefined
    }),
  },
  {
    id: 'approved-consent-drops-its-period',
    story: 'After the approval, the query does not show the transaction period of the consent.',
    fails: ['CONS-22/after-approval'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      if (consentNamed(ctx)?.status !== 'Authorised' || !data.TransactionFromDateTime)
        return undefined
      const { TransactionFromDateTime: _, TransactionToDateTime: __, ...others } = data
      return others
    }),
  },
  {
    id: 'approved-consent-has-detail-only',
    story:
      'After the approval, the query leaves out a Basic permission if the consent also has the Detail permission.',
    fails: ['CONS-22/after-approval'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const permissions = data.Permissions as string[] | undefined
      if (consentNamed(ctx)?.status !== 'Authorised' || !permissions) return undefined
      const kept = permissions.filter(
        (one) => !one.endsWith('Basic') || !permissions.includes(one.replace('Basic', 'Detail')),
      )
      return kept.length === permissions.length ? undefined : { ...data, Permissions: kept }
    }),
  },
  {
    id: 're-confirmation-prolongs-the-consent',
    story: 'A re-confirmation moves the ExpirationDateTime of the consent 90 days later.',
    fails: [],
    warns: ['CONS-37/kept'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const consent = consentNamed(ctx)
      if (!data.ExpirationDateTime || !consent || consent.grants.size < 2) return undefined
      const later = Date.parse(String(data.ExpirationDateTime)) + 90 * DAY
      return { ...data, ExpirationDateTime: new Date(later).toISOString() }
    }),
  },
  {
    id: 're-confirmed-consents-that-end-lose-balances',
    story: 'A re-confirmation removes ReadBalances from a consent that has an ExpirationDateTime.',
    fails: [],
    warns: ['CONS-37/kept'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const consent = consentNamed(ctx)
      if (!data.ExpirationDateTime || !consent || consent.grants.size < 2) return undefined
      const permissions = data.Permissions as string[]
      return { ...data, Permissions: permissions.filter((one) => one !== 'ReadBalances') }
    }),
  },
  {
    id: 'approval-leaves-update-time',
    story: 'The approval of a consent does not change its StatusUpdateDateTime.',
    fails: [],
    warns: ['CONS-29/after-approval'],
    policies: (correct, { fired }) => ({
      statusUpdated(before) {
        if (!currentRequest()?.path.includes('/interaction/')) return correct.statusUpdated(before)
        fired()
        return before
      },
    }),
  },
  {
    id: 'refused-requests-touch-the-consent',
    story:
      'A refused query or delete of a consent changes its StatusUpdateDateTime, because the attempt is counted in its row.',
    fails: [],
    warns: ['CONS-29/not-by-refused'],
    async middleware(ctx, next) {
      await next()
      const about = isAbout(ctx, KIND, 'DELETE') || isAbout(ctx, KIND, 'GET')
      const consent = about && ctx.status >= 400 ? consentNamed(ctx) : undefined
      if (!consent || !['Authorised', 'AwaitingAuthorisation'].includes(consent.status)) return
      consent.statusUpdated = Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'refused-queries-touch-an-approved-consent',
    story:
      'A refused query of an approved consent changes its StatusUpdateDateTime, because it is stored as the last activity.',
    fails: [],
    warns: ['CONS-29/refused-after-approval'],
    async middleware(ctx, next) {
      await next()
      const consent = isAbout(ctx, KIND, 'GET') && ctx.status >= 400 ? consentNamed(ctx) : undefined
      if (consent?.status !== 'Authorised') return
      consent.statusUpdated = Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'reading-touches-the-consent',
    story: 'Each data request changes the StatusUpdateDateTime of the consent.',
    fails: [],
    warns: ['CONS-29/not-by-reading'],
    async middleware(ctx, next) {
      await next()
      const used = ctx.status === 200 && tokenInfoOf(ctx)?.consent
      if (used) lastUsed().set(used.id, new Date().toISOString())
      showLastUse(ctx)
    },
  },
  {
    id: 'a-refresh-touches-the-consent',
    story: 'Each refresh of a token changes the StatusUpdateDateTime of the consent.',
    fails: [],
    warns: ['CONS-29/not-by-reading'],
    async middleware(ctx, next) {
      const form = tokenForm(ctx)
      await next()
      const refreshed = form?.get('grant_type') === 'refresh_token' ? jsonOf(ctx) : undefined
      const { consents } = stateOf(ctx).bank.services
      const consent = consents.ofGrant(grantOf(ctx, refreshed?.access_token) ?? '')
      if (consent) lastUsed().set(consent.id, new Date().toISOString())
      showLastUse(ctx)
    },
  },
  {
    id: 'denied-consents-have-no-permissions',
    story: 'A consent that the customer has denied shows no Permissions.',
    fails: [],
    warns: ['CLC-23/denied'],
    middleware: answered(KIND, 'GET', (data) =>
      data.Status === 'Rejected' ? { ...data, Permissions: [] } : undefined,
    ),
  },
  {
    id: 'denial-moves-creation-time',
    story:
      'A consent that the customer has denied shows a CreationDateTime one minute earlier, from another clock.',
    fails: ['CONS-22/after-denial'],
    middleware: answered(KIND, 'GET', (data) => {
      const aMinuteBefore = Date.parse(String(data.CreationDateTime)) - 60_000
      return data.Status === 'Rejected'
        ? { ...data, CreationDateTime: new Date(aMinuteBefore).toISOString() }
        : undefined
    }),
  },
  {
    id: 'denial-leaves-update-time',
    story: 'The denial of a consent does not change its StatusUpdateDateTime.',
    fails: [],
    warns: ['CONS-29/after-denial'],
    middleware: answered(KIND, 'GET', (data) =>
      data.Status === 'Rejected'
        ? { ...data, StatusUpdateDateTime: data.CreationDateTime }
        : undefined,
    ),
  },
  {
    id: 'approval-with-the-second-client-leaves-update-time',
    story:
      'For the second client, the approval of a consent does not change its StatusUpdateDateTime.',
    fails: [],
    warns: ['CONS-29/after-approval'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const second = tokenInfoOf(ctx)?.client === 'second'
      if (!second || data.Status !== 'Authorised') return undefined
      return { ...data, StatusUpdateDateTime: data.CreationDateTime }
    }),
  },
  {
    id: 'query-of-the-second-client-forgets-the-period',
    story: 'For the second client, the query of a consent does not show its transaction period.',
    fails: ['CONS-22/as-created'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const { TransactionFromDateTime: from, TransactionToDateTime: _, ...others } = data
      return from && tokenInfoOf(ctx)?.client === 'second' ? others : undefined
    }),
  },
  {
    id: 'waiting-consents-show-statements-as-well',
    story:
      'A consent in AwaitingAuthorisation shows ReadStatementsBasic, although it was not requested.',
    fails: ['CONS-22/while-waiting'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const permissions = data.Permissions as string[]
      const waits = consentNamed(ctx)?.status === 'AwaitingAuthorisation'
      if (!waits || permissions.includes('ReadStatementsBasic')) return undefined
      return { ...data, Permissions: [...permissions, 'ReadStatementsBasic'] }
    }),
  },
  {
    id: 'newer-consents-give-their-permissions-to-older-ones',
    story:
      "A consent in AwaitingAuthorisation shows the permissions of the client's newest consent.",
    fails: ['CONS-22/beside-newer'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const consent = consentNamed(ctx)
      const newest = stateOf(ctx)
        .bank.services.consents.all()
        .findLast(({ kind, clientId }) => kind === KIND && clientId === consent?.clientId)
      if (consent?.status !== 'AwaitingAuthorisation' || !newest || newest === consent)
        return undefined
      return { ...data, Permissions: newest.permissions }
    }),
  },
  {
    id: 'creation-time-moves-with-the-status',
    story:
      'CreationDateTime changes with the Status of a consent, because the row is written again.',
    fails: ['CONS-22/after-approval'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const consent = consentNamed(ctx)
      if (!consent?.confirmed) return undefined
      const aMinuteBefore = Date.parse(String(data.StatusUpdateDateTime)) - 60_000
      return { ...data, CreationDateTime: new Date(aMinuteBefore).toISOString() }
    }),
  },
  {
    id: 'period-gone-from-the-query-after-reconfirmation',
    story: 'After a re-confirmation, the query does not show TransactionFromDateTime.',
    fails: [],
    warns: ['AUTHZ-17/data'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const { TransactionFromDateTime: from, ...others } = data
      const reconfirmed = (consentNamed(ctx)?.grants.size ?? 0) > 1
      return from && reconfirmed ? others : undefined
    }),
  },
  {
    id: 'creation-time-set-by-each-confirmation',
    story:
      'A re-confirmation changes CreationDateTime and StatusUpdateDateTime, because the consent is inserted again.',
    fails: ['CONS-22/after-reconfirmation'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const consent = consentNamed(ctx)
      if (!consent?.confirmed || consent.grants.size < 2) return undefined
      if (consent.status !== 'Authorised') return undefined
      const now = new Date(consent.confirmed + 5000).toISOString()
      return { ...data, CreationDateTime: now, StatusUpdateDateTime: now }
    }),
  },
  {
    id: 'consents-of-the-second-client-trimmed',
    story: 'For the second client, the bank removes ReadBalances from a new consent.',
    fails: [],
    warns: ['CONS-08/as-requested'],
    policies: (correct, { fired }) => ({
      permissionsGranted(permissions) {
        const ctx = currentRequest()
        const bank = ctx && stateOf(ctx).bank
        const { directory } = bank?.services ?? {}
        const second = directory?.clients.second.organisationId
        if (!ctx || stateOf(ctx).transport.organisationId !== second) {
          return correct.permissionsGranted(permissions)
        }
        const kept = permissions.filter((one) => one !== 'ReadBalances')
        if (kept.length < permissions.length) fired()
        return kept
      },
    }),
  },
  {
    id: 'opened-pages-put-a-consent-back',
    story:
      'An approved consent shows AwaitingAuthorisation again after some queries, as if opening the page for re-confirmation had reset it.',
    fails: [],
    warns: ['CONS-36/not-awaiting-again'],
    middleware: answered('account-access', 'GET', (data) => {
      const id = String(data.ConsentId)
      const times = (shownAuthorised().get(id) ?? 0) + 1
      if (data.Status === 'Authorised') shownAuthorised().set(id, times)
      if (data.Status !== 'Authorised' || times < 7) return undefined
      return { ...data, Status: 'AwaitingAuthorisation' }
    }),
  },
]
export default faults
