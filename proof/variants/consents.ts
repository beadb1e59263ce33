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
      'The transition to Authorised is not shown: the service of consents hears of an approval by a queue, two queries later.',
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
      'What GET gives at the address at which consents are created is not shown: the consents of the client that asks.',
    middleware: listing((consent, clientId) => consent.clientId === clientId),
  },
  {
    id: 'put-and-patch-read-the-consent',
    story: 'What PUT and PATCH give is not shown: the consent as it is, whatever the body says.',
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
    story: 'A ConsentId is a string: a name with colons, or what must be encoded in a path.',
    middleware: idsBy(({ id }) => `urn:bank.example:intent:/1+a=%41 ${id}`),
  },
  {
    id: 'consent-ids-in-any-case',
    story:
      'The column of the ConsentIds has a collation that ignores case: one in other letters finds the consent of the same client.',
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
    story: 'A ConsentId is unique, and as short as it can be: 1 to 9, a to z, 10.',
    middleware: idsBy((_, count) => count.toString(36)),
  },
  {
    id: 'consents-expire-by-default',
    story: 'What ExpirationDateTime is when none was sent is not shown: the end of time.',
    middleware: consentData((data) =>
      data.ExpirationDateTime === undefined
        ? { ...data, ExpirationDateTime: '9999-12-31T23:59:59.999Z' }
        : undefined,
    ),
  },
  {
    id: 'consents-without-their-dates',
    story: 'Which members a consent response has no column says: the dates that were sent are not.',
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
      'StatusUpdateDateTime is "when the consent was last updated": one that was just created was not, and has none.',
    warns: ['CONS-30/status-update-date-time', 'FCC-21/status-update-date-time'],
    because: 'The presence of members is implied by the tables, no more (AMB-17).',
    middleware: consentData(({ StatusUpdateDateTime, ...others }) =>
      StatusUpdateDateTime === others.CreationDateTime ? others : undefined,
    ),
  },
  {
    id: 'created-consents-say-little',
    story:
      'A creation is answered with ConsentId and Status alone; the query of a consent shows the rest.',
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
      'The document is silent on combinations of permissions (AMB-13): those that 3.1.2 rules out are refused.',
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
      'The document is silent on combinations of permissions (AMB-13): a consent without one for accounts is refused, any other is taken.',
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
      'The document is silent on combinations of permissions (AMB-13): one that opens nothing of what it names is created, and cannot be authorised.',
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
      'Detail includes Basic, so the store keeps one of them, and the answer shows which (AMB-44).',
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
      'Detail includes Basic, so the store keeps both of them, and the answer shows it (AMB-44).',
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
      '"Permission needed for balance endpoints: not shown": that for accounts is needed beside ReadBalances.',
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
    story: 'On a creation, the resource that Links.Self references may be the one posted to.',
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
      'The request has an empty Risk and the fields of the table; whatever else is refused, by an error that repeats it.',
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
      'What a request without Risk gives is not shown: Risk and unknown members are ignored, and so is an ExpirationDateTime in the past or a period that ends before it starts.',
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
