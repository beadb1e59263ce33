import type { Consent } from '../../bank/consents.ts'
import { currentRequest } from '../../bank/request-context.ts'
import { stateOf } from '../../bank/state.ts'
import { tokenInfoOf } from '../../bank/token-info.ts'
import { answered, isAbout } from '../consent-requests.ts'
import { ofEachBank } from '../each-bank.ts'
import type { Variant } from '../proof.ts'
import { type Json, partOf, successes } from '../rewriting.ts'
import { roundRobinPerKey } from '../round-robin.ts'

/** Data of consent responses, changed on its way out. */
const consentData = (change: (data: Json) => Json | undefined) =>
  successes(['consents'], (body) => {
    const data = change(body.Data as Json)
    return data && { ...body, Data: data }
  })

/** Milliseconds for which a denied consent is there. */
const SOON = 200

/** Gives consents ids of another form: those of the bank, behind a prefix. */
function idsBehind(prefix: string): NonNullable<Variant['middleware']> {
  const spelling = ofEachBank(() => ({ told: false }))
  return async (ctx, next) => {
    if (!spelling().told) {
      spelling().told = true
      const { consents } = stateOf(ctx).bank.services
      const { create, get } = consents
      consents.create = (request) => {
        const consent = create(request)
        consent.id = `${prefix}${consent.id}`
        return consent
      }
      consents.get = (id) => {
        const consent = id.startsWith(prefix) ? get(id.slice(prefix.length)) : undefined
        if (consent) stateOf(ctx).fired()
        return consent
      }
    }
    await next()
    if (partOf(ctx) === 'consents' && ctx.status === 201) ctx.state.fired()
  }
}

const KIND = 'account-access'

const DAY = 86_400_000

/** How often an authorised consent was queried. */
const asked = ofEachBank(() => new Map<unknown, number>())

/** Milliseconds that a deletion or revocation needs to reach every server. */
const LATE = 1000

const variants: Variant[] = [
  {
    id: 'newest-consent-alone-waits',
    story:
      'How long a consent waits for its customer is not shown: until the same client asks for the next one.',
    async middleware(ctx, next) {
      await next()
      if (ctx.status !== 201 || !isAbout(ctx, KIND, 'POST')) return
      const waiting = stateOf(ctx)
        .bank.services.consents.all()
        .filter(({ kind, status, deleted }) => {
          return kind === KIND && status === 'AwaitingAuthorisation' && !deleted
        })
      const last = waiting.at(-1)
      for (const one of waiting) {
        if (one === last || one.clientId !== last?.clientId) continue
        one.deleted = Date.now()
        stateOf(ctx).fired()
      }
    },
  },

  {
    id: 'ends-take-effect-later',
    story:
      'That access is rejected "at any time" after a deletion or revocation names no second: caches of the query and of the data servers follow within seconds.',
    policies: (correct, { fired }) => {
      const fresh = (since: number | undefined) => since !== undefined && Date.now() - since < LATE
      return {
        tokensDie: () => false,
        visibleToTpp(consent) {
          if (!fresh(consent.deleted)) return correct.visibleToTpp(consent)
          fired()
          return true
        },
        consentUsable(consent, age) {
          const late = consent.status === 'Revoked' && fresh(consent.statusUpdated)
          if (!fresh(consent.deleted) && !late) return correct.consentUsable(consent, age)
          fired()
          return undefined
        },
      }
    },
    target: (document) => {
      document.settlingTime = 5
    },
  },
  {
    id: 'ends-reach-caches-later',
    story:
      'The same second is named for nobody: what is read by an older token, with a filter or while nobody is there comes from caches that follow later.',
    policies: (correct, { fired }) => ({
      tokensDie: () => false,
      consentUsable(consent, age) {
        const refusal = correct.consentUsable(consent, age)
        const ctx = currentRequest()
        const ended = consent.deleted ?? consent.statusUpdated
        if (!refusal || !ctx || Date.now() - ended > LATE) return refusal
        const absent = ctx.get('x-fapi-customer-ip-address') === ''
        if (!absent && ctx.querystring === '' && tokenInfoOf(ctx)?.refreshed) return refusal
        fired()
        return undefined
      },
    }),
    target: (document) => {
      document.settlingTime = 5
    },
  },
  {
    id: 'ends-reach-data-later',
    story:
      'Nor is it named for data: the query says at once that a consent is deleted, refresh tokens and data servers hear of it within a second.',
    policies: (correct, { fired }) => {
      const late = ({ deleted }: Consent) => deleted !== undefined && Date.now() - deleted < LATE
      return {
        tokensDie: () => false,
        refreshable: (consent, age) => late(consent) || correct.refreshable(consent, age),
        consentUsable(consent, age) {
          if (!late(consent)) return correct.consentUsable(consent, age)
          fired()
          return undefined
        },
      }
    },
    target: (document) => {
      document.settlingTime = 5
    },
  },
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
    id: 'consent-ids-are-urns',
    story: 'A ConsentId is a string: a name with colons, or what must be encoded in a path.',
    middleware: idsBehind('urn:bank.example:intent:/1+a=%41 '),
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
    id: 'consents-expire-ninety-days-after-confirmation',
    story:
      'What ExpirationDateTime is when none was sent is not shown: the date of the next re-confirmation.',
    policies: (correct, { fired }) => ({
      consentView(consent, spelling) {
        const { confirmed, kind } = consent
        if (kind !== 'account-access' || !confirmed || consent.expires !== undefined) {
          return correct.consentView(consent, spelling)
        }
        fired()
        return correct.consentView({ ...consent, expires: confirmed + 90 * DAY }, spelling)
      },
    }),
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
    id: 'denied-consents-in-any-state',
    story:
      'The complete list of Status values and transitions is not shown: a denial changes none, or makes a consent Revoked.',
    policies: (_correct, { fired }) => {
      const after = roundRobinPerKey([undefined, 'Revoked'] as const)
      return {
        statusAfterDenial(before) {
          fired()
          const path = currentRequest()?.path ?? ''
          return before === 'AwaitingAuthorisation' ? (after(path) ?? before) : before
        },
      }
    },
  },
  {
    id: 'ended-consents-say-so',
    story:
      'The complete list of Status values is not shown, nor any transition on expiry: an expired consent has Status Expired; after 90 days it is AwaitingReconfirmation.',
    policies: (correct, { fired }) => ({
      consentView(consent, spelling) {
        const view = correct.consentView(consent, spelling)
        const unconfirmed = consent.ahead.confirmation !== 0 && consent.status === 'Authorised'
        const expired = correct.consentExpired(consent)
        if (!expired && !unconfirmed) return view
        fired()
        return { ...view, Status: expired ? 'Expired' : 'AwaitingReconfirmation' }
      },
    }),
  },
  {
    id: 'expired-consents-vanish',
    story: 'Any transition on expiry is not shown: an expired consent is not there any more.',
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        if (!correct.consentExpired(consent)) return correct.visibleToTpp(consent)
        fired()
        return false
      },
    }),
  },
  {
    id: 'denied-consents-vanish-soon',
    story:
      'What becomes of a denied consent is not shown: it can be queried for a while, and is then removed like anything that nobody needs.',
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        const removed = consent.status === 'Rejected' && Date.now() - consent.statusUpdated > SOON
        if (!removed) return correct.visibleToTpp(consent)
        fired()
        return false
      },
    }),
  },
  {
    id: 'second-deletion-is-204',
    story: 'What a second DELETE of a deleted consent gives is not shown: there is nothing to do.',
    async middleware(ctx, next) {
      const deletes = ctx.method === 'DELETE' && partOf(ctx) === 'consents'
      const id = ctx.path.split('/').at(-1) ?? ''
      const consent = deletes ? stateOf(ctx).bank.services.consents.get(id) : undefined
      const deleted = consent?.deleted !== undefined
      await next()
      if (!deleted || tokenInfoOf(ctx)?.clientId !== consent?.clientId || ctx.status === 401) return
      ctx.body = null
      ctx.status = 204
      ctx.state.fired()
    },
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
    story: 'The request has an empty Risk and the fields of the table; whatever else is refused.',
    async middleware(ctx, next) {
      const posts = ctx.method === 'POST' && partOf(ctx) === 'consents'
      if (!posts || isTidy(stateOf(ctx).body)) return next()
      ctx.status = 400
      ctx.body = { Code: '400 BadRequest', Message: 'Unexpected', Errors: [] }
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

/** Exactly Data and an empty Risk. */
function isTidy(text: string): boolean {
  const body = parsed(text)
  const { Data, Risk, ...others } = body ?? {}
  const empty = typeof Risk === 'object' && Risk !== null && Object.keys(Risk).length === 0
  return Data !== undefined && empty && Object.keys(others).length === 0
}

export default variants
