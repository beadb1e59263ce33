import { currentRequest } from '../../bank/listeners/request-context.ts'
import type { Consent } from '../../bank/state/consents.ts'
import { stateOf } from '../../bank/state/state.ts'
import { answered, consentData, idsBy, listing } from '../altering/consent-requests.ts'
import { type Json, partOf } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'

/** How often an authorised consent was queried. */
const asked = ofEachBank(() => new Map<unknown, number>())

/** Ids with letters of both cases. */
const letteredIds = idsBy(({ id }) =>
  Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'),
)

const variants: Variant[] = [
  {
    id: 'status-lags-behind-approval',
    story:
      'After an approval, the first two queries still show AwaitingAuthorisation, because the consent service is told by a queue. The transition to Authorised is not shown.',
    middleware: answered('account-access', 'GET', (data) => {
      const queries = asked()
      const times = (queries.get(data.ConsentId) ?? 0) + 1
      if (data.Status === 'Authorised') queries.set(data.ConsentId, times)
      return data.Status === 'Authorised' && times <= 2
        ? { ...data, Status: 'AwaitingAuthorisation' }
        : undefined
    }),
  },
  {
    id: 'own-consents-are-listed',
    story:
      "GET /account-access-consents returns the client's own consents. What this request gets is not shown.",
    middleware: listing((consent, clientId) => consent.clientId === clientId),
  },
  {
    id: 'put-and-patch-read-the-consent',
    story: 'PUT and PATCH on a consent return it unchanged. What they get is not shown.',
    async middleware(ctx, next) {
      if (partOf(ctx) === 'consents' && ['PUT', 'PATCH'].includes(ctx.method)) {
        ctx.method = 'GET'
        ctx.state.fired()
      }
      await next()
    },
  },
  {
    id: 'consent-ids-are-urns',
    story:
      'A ConsentId is a URN with colons and characters that must be encoded in a path. A ConsentId is a string.',
    middleware: idsBy(({ id }) => `urn:bank.example:intent:/1+a=%41 ${id}`),
  },
  {
    id: 'consent-ids-in-any-case',
    story:
      'The bank ignores upper and lower case in a ConsentId, because the database column does.',
    warns: ['CONS-32/nearly-right'],
    because: 'A ConsentId that needs normalisation is another text: should.',
    middleware: (ctx, next) => {
      const [, before = '', asked = ''] = /^(.*-consents\/)([^/]+)$/.exec(ctx.path) ?? []
      const isAsked = ({ id }: Consent) => id.toLowerCase() === asked.toLowerCase()
      const consent = stateOf(ctx).bank.services.consents.all().find(isAsked)
      if (consent) ctx.path = `${before}${consent.id}`
      return letteredIds(ctx, next)
    },
  },
  {
    id: 'consent-ids-count',
    story:
      'ConsentIds are short: 1 to 9, a to z, 10 and so on. A ConsentId is only required to be unique.',
    middleware: idsBy((_, count) => count.toString(36)),
  },
  {
    id: 'consents-expire-by-default',
    story:
      'A consent created without ExpirationDateTime shows 9999-12-31 as its expiry. What it is then is not shown.',
    middleware: consentData((data) =>
      data.ExpirationDateTime === undefined
        ? { ...data, ExpirationDateTime: '9999-12-31T23:59:59.999Z' }
        : undefined,
    ),
  },
  {
    id: 'consents-without-their-dates',
    story:
      'Consent responses do not show the dates of the request. The table has no column that says which members a response must have.',
    warns: ['CONS-30/dates', 'FCC-21/optional-members'],
    because: 'The presence of members is implied by the tables, no more (AMB-17).',
    middleware: consentData((data) => {
      const { ExpirationDateTime, TransactionFromDateTime, TransactionToDateTime, ...others } = data
      return ExpirationDateTime || TransactionFromDateTime || TransactionToDateTime
        ? others
        : undefined
    }),
  },
  {
    id: 'consents-without-an-update',
    story:
      'A new consent has no StatusUpdateDateTime, because it was not updated yet. It is "when the consent was last updated".',
    warns: ['CONS-30/status-update-date-time', 'FCC-21/status-update-date-time'],
    because: 'The presence of members is implied by the tables, no more (AMB-17).',
    middleware: consentData(({ StatusUpdateDateTime, ...others }) =>
      StatusUpdateDateTime === others.CreationDateTime ? others : undefined,
    ),
  },
  {
    id: 'created-consents-say-little',
    story: 'The response to a creation has only ConsentId and Status; the query shows the rest.',
    warns: [
      'CONS-30/creation-date-time',
      'CONS-30/dates',
      'CONS-30/permissions',
      'CONS-30/status-update-date-time',
      'FCC-21/creation-date-time',
      'FCC-21/debtor-account',
      'FCC-21/optional-members',
      'FCC-21/status-update-date-time',
    ],
    because: 'The presence of members is implied by the tables, no more (AMB-17).',
    middleware: answered('any', 'POST', ({ ConsentId, Status }) => ({ ConsentId, Status })),
  },
  {
    id: 'combinations-of-3.1.2-only',
    story:
      'The bank refuses combinations of permissions that 3.1.2 forbids. The document does not mention combinations (AMB-13).',
    policies: (correct, { fired }) => ({
      permissionsAcceptable(permissions) {
        const some = (...names: string[]) => names.some((name) => permissions.includes(name))
        const rows = some('ReadTransactionsBasic', 'ReadTransactionsDetail')
        const direction = some('ReadTransactionsCredits', 'ReadTransactionsDebits')
        const accounts = some('ReadAccountsBasic', 'ReadAccountsDetail')
        if (accounts && rows === direction) return correct.permissionsAcceptable(permissions)
        fired()
        return false
      },
    }),
  },
  {
    id: 'consents-always-name-accounts',
    story:
      'The bank refuses a consent without an accounts permission. The document does not mention combinations of permissions (AMB-13).',
    policies: (correct, { fired }) => ({
      permissionsAcceptable(permissions) {
        const names = ['ReadAccountsBasic', 'ReadAccountsDetail']
        if (names.some((name) => permissions.includes(name))) {
          return correct.permissionsAcceptable(permissions)
        }
        fired()
        return false
      },
    }),
  },
  {
    id: 'combinations-are-refused-at-the-page',
    story:
      'The bank creates a consent with ReadTransactionsCredits or ReadTransactionsDebits alone, but refuses its authorisation. The document does not mention combinations of permissions (AMB-13).',
    policies: (correct, { fired }) => ({
      authorisable(consent, clientId, scopes, age) {
        const { permissions = [] } = consent ?? {}
        const some = (...names: string[]) => names.some((name) => permissions.includes(name))
        const direction = some('ReadTransactionsCredits', 'ReadTransactionsDebits')
        if (direction && !some('ReadTransactionsBasic', 'ReadTransactionsDetail')) {
          fired()
          return 'the intent names transactions and not how to read them'
        }
        return correct.authorisable(consent, clientId, scopes, age)
      },
    }),
  },
  {
    id: 'basic-beside-detail-is-dropped',
    story:
      'If both the Basic and the Detail permission are requested, the consent keeps only Detail, which includes Basic, and shows that (AMB-44).',
    policies: (correct, { fired }) => ({
      permissionsGranted(permissions) {
        const granted = correct.permissionsGranted(permissions)
        const kept = granted.filter(
          (name) => !name.endsWith('Basic') || !granted.includes(name.replace('Basic', 'Detail')),
        )
        if (kept.length < granted.length) fired()
        return kept
      },
    }),
  },
  {
    id: 'detail-brings-basic',
    story:
      'If a Detail permission is requested, the consent also gets the Basic permission, and shows that (AMB-44).',
    policies: (correct, { fired }) => ({
      permissionsGranted(permissions) {
        const granted = correct.permissionsGranted(permissions)
        const both = new Set(granted.flatMap((name) => [name, name.replace(/Detail$/, 'Basic')]))
        if (both.size > new Set(granted).size) fired()
        return [...both]
      },
    }),
  },
  {
    id: 'balances-beside-accounts-alone',
    story:
      'The balance endpoints need an accounts permission as well as ReadBalances. "Permission needed for balance endpoints: not shown".',
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        const permitted = correct.permits(permissions, endpoint)
        const balances = endpoint === 'balances' || endpoint === 'account-balances'
        if (!permitted || !balances || correct.permits(permissions, 'accounts')) return permitted
        fired()
        return false
      },
    }),
  },
  {
    id: 'created-link-to-the-collection',
    story:
      'Links.Self of a created consent is the address of the POST request, without the ConsentId.',
    policies: (correct, { fired }) => ({
      selfLink(base, path) {
        if (currentRequest()?.method !== 'POST') return correct.selfLink(base, path)
        fired()
        return correct.selfLink(base, path.replace(/(-consents)\/[^/]+$/, '$1'))
      },
    }),
  },
  {
    id: 'strict-about-risk-and-extras',
    story:
      'The bank refuses a consent request without an empty Risk or with other members than those of the table. The error repeats the request.',
    async middleware(ctx, next) {
      const posts = ctx.method === 'POST' && partOf(ctx) === 'consents'
      const { body } = stateOf(ctx)
      if (!posts || isTidy(body)) return next()
      ctx.status = 400
      ctx.body = { Code: '400 BadRequest', Message: 'Unexpected', Errors: [], ...parsed(body) }
      ctx.state.fired()
    },
  },
  {
    id: 'lenient-about-risk-extras-and-dates',
    story:
      'The bank accepts a consent request without Risk, with unknown members, with an ExpirationDateTime in the past, or with a period that ends before it starts. What such a request gets is not shown.',
    policies: (correct, { fired }) => ({
      datesRefusal(dates) {
        if (correct.datesRefusal(dates)) fired()
        return undefined
      },
    }),
    async middleware(ctx, next) {
      const state = stateOf(ctx)
      const posts = ctx.method === 'POST' && partOf(ctx) === 'consents'
      const body = posts ? parsed(state.body) : undefined
      if (body && !isTidy(state.body)) {
        state.body = JSON.stringify({ ...body, Risk: {} })
        state.fired()
      }
      await next()
    },
  },
]

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

/** Does the body have only Data, without members of the bank, and an empty Risk? */
function isTidy(text: string): boolean {
  const body = parsed(text)
  const { Data, Risk, ...others } = body ?? {}
  const empty = typeof Risk === 'object' && Risk !== null && Object.keys(Risk).length === 0
  const isOfTheBank = typeof Data === 'object' && Data !== null && 'ConsentId' in Data
  return Data !== undefined && !isOfTheBank && empty && Object.keys(others).length === 0
}

export default variants
