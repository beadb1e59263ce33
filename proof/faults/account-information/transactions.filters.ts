import { setTimeout as wait } from 'node:timers/promises'
import type { Middleware } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { Refused } from '../../../bank/listeners/refusals.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { DataEndpoint } from '../../../bank/policies/data.ts'
import type { Policies } from '../../../bank/policies.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { DAY, HOUR } from '../../../engine/record/durations.ts'
import { afterSuccess, endpointOf, filteredBy } from '../../altering/data-requests.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

type Filter = Policies['bookedWithin']

/** Replaces the date filter. */
function filter(wrong: (right: Filter) => Filter): NonNullable<Fault['policies']> {
  return (correct, { fired }) => {
    const other = wrong(correct.bookedWithin)
    return {
      bookedWithin(row, period, endpoint) {
        const answer = other(row, period, endpoint)
        if (answer !== correct.bookedWithin(row, period, endpoint)) fired()
        return answer
      },
    }
  }
}

/** How far London time is ahead of UTC: one hour from the last Sunday of March to the last Sunday of October. */
function londonAhead(instant: number): number {
  const [hour = 0] = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/London',
    hour: '2-digit',
    hourCycle: 'h23',
  })
    .formatToParts(instant)
    .filter(({ type }) => type === 'hour')
    .map(({ value }) => Number(value))
  return ((hour - new Date(instant).getUTCHours() + 24) % 24) * HOUR
}

const byTwelveHours = (instant: number): number =>
  new Date(instant).getUTCHours() === 12 ? instant - 12 * HOUR : instant

/** The same day, between nine and ten in the morning. */
const ofMorning = (instant: number): number =>
  Math.floor(instant / DAY) * DAY + 9 * HOUR + (instant % HOUR)

/** Is it a Monday, Tuesday or Wednesday, after which the year of a week may begin? */
const isBeforeThursday = (instant: number): boolean =>
  [1, 2, 3].includes(new Date(instant).getUTCDay())

/** Is the current request for the transactions of a single account? */
function ofSingle(): boolean {
  const ctx = currentRequest()
  return ctx !== undefined && endpointOf(ctx) === 'account-transactions'
}

/** Filters of these instants, in milliseconds, are refused. */
function refusesFilters(which: (filters: { from: number; to: number }) => boolean): Middleware {
  return async (ctx, next) => {
    const { fromBookingDateTime: from, toBookingDateTime: to } = ctx.query
    const filters = { from: Date.parse(String(from)), to: Date.parse(String(to)) }
    if (!ctx.path.endsWith('/transactions') || !which(filters)) return next()
    ctx.status = 400
    ctx.body = { Message: 'invalid date' }
    stateOf(ctx).fired()
    return undefined
  }
}

/** One endpoint ignores this filter when the customer is absent. */
function unread(
  name: 'fromBookingDateTime' | 'toBookingDateTime',
  endpoint: DataEndpoint,
): NonNullable<Fault['middleware']> {
  return async (ctx, next) => {
    const absent = ctx.get('x-fapi-customer-ip-address') === ''
    if (absent && endpointOf(ctx) === endpoint && ctx.query[name] !== undefined) {
      const { [name]: _, ...others } = ctx.query
      ctx.query = others as Record<string, string>
      stateOf(ctx).fired()
    }
    await next()
  }
}

/** The query of the latest request of any client. */
const latestQuery = ofEachBank(() => ({ query: '' }))

const faults: Fault[] = [
  {
    id: 'filters-begin-within-seven-years',
    story:
      'The bank refuses a fromBookingDateTime that is more than seven years ago, the age of its archive.',
    fails: [],
    warns: ['TXN-47/out-of-range'],
    middleware: refusesFilters(({ from }) => from < Date.now() - 7 * 365 * DAY),
  },
  {
    id: 'filters-end-today',
    story: 'GET /accounts/{AccountId}/transactions refuses a toBookingDateTime in the future.',
    fails: [],
    warns: ['TXN-47/out-of-range'],
    middleware: refusesFilters(({ to }) => ofSingle() && to > Date.now() + 60_000),
  },
  {
    id: 'filters-are-two-years-apart-at-most',
    story: 'The bank refuses date filters that are more than two years apart.',
    fails: [],
    warns: ['TXN-47/out-of-range'],
    middleware: refusesFilters(({ from, to }) => to - from > 2 * 366 * DAY),
  },
  {
    id: 'filters-at-one-instant-are-its-day',
    story:
      'If fromBookingDateTime and toBookingDateTime are the same time, the bank returns the transactions of the whole day.',
    fails: ['TXN-17/close'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      if (from === undefined || from !== to) return right(row, { from, to }, endpoint)
      const midnight = from - (from % DAY)
      return right(row, { from: midnight, to: midnight + DAY - 1 }, endpoint)
    }),
  },
  {
    id: 'filters-in-the-year-of-the-week',
    story:
      'A fromBookingDateTime in the last days of December may be read in the wrong year. The date pattern has YYYY, the year of the week.',
    fails: ['TXN-16/from-alone'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const isOdd = from !== undefined && /-12-(?:29|30|31)T/.test(new Date(from).toISOString())
      const year = 365 * DAY
      const period = {
        ...(from !== undefined && { from: isOdd && isBeforeThursday(from) ? from + year : from }),
        ...(to !== undefined && { to }),
      }
      return right(row, period, endpoint)
    }),
  },
  {
    id: 'filters-by-clocks-of-twelve-hours',
    story:
      'A fromBookingDateTime between 12:00 and 13:00 is read as 00:00. The time pattern has hh, a 12-hour clock.',
    fails: ['TXN-16/close'],
    policies: (correct, tools) => ({
      ...filter((right) => (row, { from, ...to }, endpoint) => {
        const period = from === undefined ? to : { ...to, from: byTwelveHours(from) }
        return right(row, period, endpoint)
      })(correct, tools),
      rowsBooked: (rows, ...rest) =>
        correct.rowsBooked(rows, ...rest).map((row) => ({ ...row, booked: ofMorning(row.booked) })),
    }),
  },
  {
    id: 'leap-days-are-no-days-of-a-filter',
    story: 'The bank refuses a date filter on 29 February.',
    fails: ['TXN-15/each-combination'],
    policies: (correct, { fired }) => ({
      filterInstant(text) {
        const instant = correct.filterInstant(text)
        if (instant === undefined || !/-02-29T/.test(text)) return instant
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'filters-of-the-request-beside',
    story:
      'Two requests for transactions at the same time: one gets the date filter of the other, because the filter is a field that all requests share.',
    fails: ['TXN-17/concurrent'],
    async middleware(ctx, next) {
      if (!endpointOf(ctx)?.endsWith('transactions')) return next()
      const latest = latestQuery()
      latest.query = ctx.querystring
      await wait(25)
      if (latest.query !== ctx.querystring) {
        ctx.querystring = latest.query
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'filters-refused-while-absent',
    story: 'The bank refuses date filters without x-fapi-customer-ip-address.',
    fails: ['TXN-16/from-alone', 'TXN-17/to-alone'],
    async middleware(ctx, next) {
      const absent = ctx.get('x-fapi-customer-ip-address') === ''
      if (absent && endpointOf(ctx) && ctx.querystring !== '') {
        stateOf(ctx).fired()
        ctx.query = { fromBookingDateTime: 'not known here' }
      }
      await next()
    },
  },
  {
    id: 'from-unread-while-absent',
    story:
      'GET /transactions ignores fromBookingDateTime without x-fapi-customer-ip-address, because a cache answers and its key is the path.',
    fails: ['TXN-16/from-alone'],
    middleware: unread('fromBookingDateTime', 'transactions'),
  },
  {
    id: 'to-unread-while-absent-for-one-account',
    story:
      'GET /accounts/{AccountId}/transactions ignores toBookingDateTime without x-fapi-customer-ip-address.',
    fails: ['TXN-17/to-alone'],
    middleware: unread('toBookingDateTime', 'account-transactions'),
  },
  {
    id: 'filter-ahead-of-now-finds-nothing',
    story:
      'A toBookingDateTime in the future returns no transactions, because the index of bookings ends today.',
    fails: ['TXN-17/nothing-to-drop'],
    policies: filter(
      (right) => (row, period, endpoint) =>
        right(row, period, endpoint) && !(period.to !== undefined && period.to > Date.now()),
    ),
  },
  {
    id: 'filter-before-all-data-finds-nothing',
    story:
      'A fromBookingDateTime before the first transaction returns no transactions of one account, because the service looks for the statement of that day.',
    fails: ['TXN-17/nothing-to-drop'],
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const from = Date.parse(String(currentRequest()?.query.fromBookingDateTime))
        const begun = rows.some(({ booked }) => booked < from) || Number.isNaN(from)
        if (begun || endpoint !== 'account-transactions') {
          return correct.rowsBooked(rows, accountId, endpoint)
        }
        fired()
        return []
      },
    }),
  },
  {
    id: 'from-filter-needs-to',
    story: 'The transaction endpoints refuse fromBookingDateTime without toBookingDateTime.',
    fails: ['TXN-15/each-combination'],
    async middleware(ctx, next) {
      const single = endpointOf(ctx)?.endsWith('transactions')
      if (single && ctx.query.fromBookingDateTime && !ctx.query.toBookingDateTime) {
        ctx.state.fired()
        ctx.query = { ...ctx.query, fromBookingDateTime: 'half a range' }
      }
      await next()
    },
  },
  {
    id: 'single-filters-unsupported',
    story:
      'GET /accounts/{AccountId}/transactions refuses date filters. The schema of the gateway does not list them.',
    fails: ['TXN-15/each-combination'],
    async middleware(ctx, next) {
      if (endpointOf(ctx) === 'account-transactions' && ctx.querystring !== '') {
        ctx.state.fired()
        ctx.query = { fromBookingDateTime: 'not expected' }
      }
      await next()
    },
  },
  {
    id: 'single-from-filter-ignored',
    story: 'GET /accounts/{AccountId}/transactions ignores fromBookingDateTime.',
    fails: ['TXN-16/from-alone'],
    policies: filter(
      (right) => (row, period, endpoint) =>
        right(row, endpoint === 'account-transactions' ? { to: period.to } : period, endpoint),
    ),
  },
  {
    id: 'from-filter-by-day',
    story:
      'The bank returns all transactions of the day of fromBookingDateTime, even those before that time.',
    fails: ['TXN-16/from-alone'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const start = from === undefined ? {} : { from: from - (from % DAY) }
      return right(row, { ...start, ...(to !== undefined && { to }) }, endpoint)
    }),
  },
  {
    id: 'filters-in-london-time',
    story: 'The bank reads date filters as London time, although they end with Z.',
    fails: ['TXN-16/from-alone', 'TXN-17/to-alone'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const local = (instant: number) => instant - londonAhead(instant)
      return right(
        row,
        {
          ...(from !== undefined && { from: local(from) }),
          ...(to !== undefined && { to: local(to) }),
        },
        endpoint,
      )
    }),
  },
  {
    id: 'from-filter-for-debits-only',
    story:
      'fromBookingDateTime does not limit credits. They come from another ledger without a filter.',
    fails: ['TXN-16/from-alone'],
    policies: filter(
      (right) => (row, period, endpoint) =>
        right(row, row.indicator === 'Credit' ? { to: period.to } : period, endpoint),
    ),
  },
  {
    id: 'to-filter-needs-from',
    story: 'The bank ignores toBookingDateTime if fromBookingDateTime is not sent.',
    fails: ['TXN-17/to-alone'],
    async middleware(ctx, next) {
      if (ctx.query.toBookingDateTime && !ctx.query.fromBookingDateTime) {
        ctx.state.fired()
        ctx.query = {}
      }
      await next()
    },
  },
  {
    id: 'to-filter-by-creation',
    story:
      'toBookingDateTime is compared with the creation time of a transaction, two days before its booking.',
    fails: ['TXN-17/to-alone'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const created = { ...row, booked: row.booked - 48 * HOUR }
      return (
        right(row, from === undefined ? {} : { from }, endpoint) &&
        right(created, to === undefined ? {} : { to }, endpoint)
      )
    }),
  },
  {
    id: 'to-filter-an-hour-late',
    story:
      'toBookingDateTime is applied one hour too late, because the database uses Central European time.',
    fails: ['TXN-17/to-alone'],
    policies: filter(
      (right) =>
        (row, { from, to }, endpoint) =>
          right(
            row,
            { ...(from !== undefined && { from }), ...(to !== undefined && { to: to + HOUR }) },
            endpoint,
          ),
    ),
  },
  {
    id: 'both-filters-only-from',
    story: 'If both date filters are sent, the bank ignores toBookingDateTime.',
    fails: ['TXN-17/both'],
    policies: filter(
      (right) =>
        (row, { from, to }, endpoint) =>
          right(row, from !== undefined && to !== undefined ? { from } : { from, to }, endpoint),
    ),
  },
  {
    id: 'both-filters-drop-the-last-day',
    story: 'If both date filters are sent, the bank leaves out the last day of the range.',
    fails: ['TXN-17/both'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const range = from !== undefined && to !== undefined
      return right(row, range ? { from, to: to - (to % DAY) } : { from, to }, endpoint)
    }),
  },
  {
    id: 'to-before-from-only-to',
    story: 'The bank ignores fromBookingDateTime if toBookingDateTime comes first in the query.',
    fails: ['TXN-17/both'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const turned = /^toBookingDateTime=.*&from/.test(currentRequest()?.querystring ?? '')
      return right(row, turned && to !== undefined ? { to } : { from, to }, endpoint)
    }),
  },
  {
    id: 'to-alone-ends-the-day-before',
    story:
      'toBookingDateTime without fromBookingDateTime is cut to the start of its day, so transactions of that day are missing.',
    fails: ['TXN-17/to-alone'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const alone = from === undefined && to !== undefined
      return right(row, alone ? { to: to - (to % DAY) } : { from, to }, endpoint)
    }),
  },
  {
    id: 'reversed-range-turned-round',
    story:
      'If fromBookingDateTime is after toBookingDateTime, the bank exchanges them and returns transactions.',
    fails: ['TXN-17/reversed'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const reversed = from !== undefined && to !== undefined && from > to
      return right(row, reversed ? { from: to, to: from } : { from, to }, endpoint)
    }),
  },
  {
    id: 'filters-only-with-z',
    story: 'The bank refuses date filters that do not end with Z, such as those with +00:00.',
    fails: ['TXN-18/spellings'],
    policies: (correct, { fired }) => ({
      filterInstant(text) {
        const instant = correct.filterInstant(text)
        if (instant === undefined || text.endsWith('Z')) return instant
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'filters-of-single-accounts-only-with-z',
    story:
      'GET /accounts/{AccountId}/transactions refuses date filters that do not end with Z, such as those with +00:00.',
    fails: ['TXN-18/spellings'],
    policies: (correct, { fired }) => ({
      filterInstant(text) {
        const instant = correct.filterInstant(text)
        if (instant === undefined || text.endsWith('Z') || !ofSingle()) return instant
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'malformed-filter-of-single-accounts-ignored',
    story:
      'GET /accounts/{AccountId}/transactions ignores a malformed date filter instead of refusing it.',
    fails: [],
    warns: ['TXN-19/malformed'],
    policies: (correct, { fired }) => ({
      filterInstant(text) {
        const instant = correct.filterInstant(text)
        if (instant !== undefined || !ofSingle()) return instant
        fired()
        return 0
      },
    }),
  },
  {
    id: 'filter-with-fraction-ignored',
    story: 'The bank ignores a date filter with fractions of a second.',
    fails: ['TXN-18/spellings'],
    policies: (correct, { fired }) => ({
      filterInstant(text) {
        if (!text.includes('.')) return correct.filterInstant(text)
        fired()
        const isFrom = currentRequest()?.query.fromBookingDateTime === text
        return isFrom ? 0 : Number.MAX_SAFE_INTEGER
      },
    }),
  },
  {
    id: 'malformed-filter-ignored',
    story: 'The bank ignores a malformed date filter instead of refusing it.',
    fails: [],
    warns: ['TXN-19/malformed'],
    policies: (correct, { fired }) => ({
      filterInstant(text) {
        const instant = correct.filterInstant(text)
        if (instant === undefined) fired()
        return instant ?? 0
      },
    }),
  },
  {
    id: 'filtered-nothing-is-not-found',
    story:
      'If a date filter matches no transactions, the bank returns 404 instead of an empty list.',
    fails: [],
    warns: ['TXN-22/empty-window'],
    middleware: afterSuccess('transactions', (ctx) => {
      const { Data } = ctx.body as { Data: { Transaction: unknown[] } }
      if (Data.Transaction.length > 0) return false
      ctx.status = 404
      ctx.body = { Code: '404', Message: 'No transactions were found.', Errors: [] }
      return true
    }),
  },
  {
    id: 'period-given-up-for-a-query',
    story:
      'With fromBookingDateTime, the bank ignores the TransactionFromDateTime and TransactionToDateTime of the consent.',
    fails: ['TXN-20/inside'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        const right = correct.withinConsentPeriod(row, consent, endpoint)
        if (right || !filteredBy('fromBookingDateTime')) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'single-period-not-applied',
    story:
      'GET /accounts/{AccountId}/transactions ignores TransactionFromDateTime and TransactionToDateTime of the consent.',
    fails: ['TXN-20/inside'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        const right = correct.withinConsentPeriod(row, consent, endpoint)
        if (right || endpoint !== 'account-transactions') return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'start-of-a-period-in-ninety-days',
    story:
      'The bank keeps 90 days of transactions, and ignores TransactionFromDateTime if the consent also has TransactionToDateTime.',
    fails: ['TXN-20/inside'],
    policies: (correct, { fired }) => ({
      rowsBooked: (rows, accountId, endpoint) =>
        correct
          .rowsBooked(rows, accountId, endpoint)
          .filter(({ booked }) => booked > Date.now() - 90 * DAY),
      withinConsentPeriod(row, consent, endpoint) {
        const right = correct.withinConsentPeriod(row, consent, endpoint)
        const { transactionsFrom, transactionsTo } = consent
        if (transactionsFrom === undefined || transactionsTo === undefined) return right
        const open = correct.withinConsentPeriod(row, { transactionsTo }, endpoint)
        if (open !== right) fired()
        return open
      },
    }),
  },
  {
    id: 'period-cut-to-ninety-days',
    story: "The bank shows only the last 90 days of the consent's transaction period.",
    fails: ['TXN-20/nothing-missing'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, { transactionsFrom, transactionsTo }, endpoint) {
        if (transactionsTo === undefined) {
          return correct.withinConsentPeriod(row, { transactionsFrom }, endpoint)
        }
        fired()
        const cut = { transactionsFrom: transactionsTo - 90 * DAY, transactionsTo }
        return correct.withinConsentPeriod(row, cut, endpoint)
      },
    }),
  },
  {
    id: 'query-wider-than-period-refused',
    story:
      "The bank refuses a fromBookingDateTime that is before the consent's TransactionFromDateTime.",
    fails: ['TXN-20/nothing-missing'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        const { fromBookingDateTime: from } = currentRequest()?.query ?? {}
        const start = typeof from === 'string' ? Date.parse(from) : undefined
        if (start !== undefined && start < (consent.transactionsFrom ?? 0)) {
          fired()
          throw new Refused('parameter-invalid')
        }
        return correct.withinConsentPeriod(row, consent, endpoint)
      },
    }),
  },
  {
    id: 'ninety-days-without-a-period',
    story: 'A consent without a transaction period shows only the last 90 days.',
    fails: [],
    warns: ['TXN-21/open-ends'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        if (consent.transactionsFrom !== undefined || consent.transactionsTo !== undefined) {
          return correct.withinConsentPeriod(row, consent, endpoint)
        }
        const kept = row.booked > Date.now() - 90 * DAY
        if (!kept) fired()
        return kept
      },
    }),
  },
  {
    id: 'single-direction-not-applied',
    story:
      'GET /accounts/{AccountId}/transactions ignores ReadTransactionsCredits and ReadTransactionsDebits.',
    fails: [],
    warns: ['TXN-25/direction'],
    policies: (correct, { fired }) => ({
      directionAllowed(row, permissions) {
        const right = correct.directionAllowed(row, permissions)
        if (right || endpointOf() !== 'account-transactions') return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'credits-without-refunds',
    story: 'A consent with ReadTransactionsCredits alone does not show refunds from merchants.',
    fails: [],
    warns: ['TXN-25/complete'],
    policies: (correct, { fired }) => ({
      directionAllowed(row, permissions) {
        const right = correct.directionAllowed(row, permissions)
        if (permissions.includes('ReadTransactionsDebits') || !row.merchant) return right
        if (right) fired()
        return false
      },
    }),
  },
  {
    id: 'pending-rows-in-any-period',
    story:
      'Pending transactions are shown even if they are outside the transaction period of the consent.',
    fails: [],
    warns: ['TXN-45/pending'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        const right = correct.withinConsentPeriod(row, consent, endpoint)
        if (right || row.status !== 'Pending') return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'merchants-lost-at-a-refresh',
    story:
      'A refreshed access token shows transactions without their details. The level of detail is a claim only of the first token.',
    fails: [],
    warns: ['TXN-44/kept'],
    policies: (correct, { fired }) => ({
      detailVisible(permissions, resource) {
        const right = correct.detailVisible(permissions, resource)
        const ctx = currentRequest()
        if (!right || resource !== 'Transactions' || !ctx) return right
        if (!tokenInfoOf(ctx)?.refreshed) return right
        fired()
        return false
      },
    }),
  },
  {
    id: 'from-overflows-in-2038',
    story:
      'A fromBookingDateTime after January 2038 is read as a time before 1970, because it is stored in 32 bits.',
    fails: ['TXN-16/far'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const seconds = from === undefined ? undefined : Math.trunc(from / 1000) | 0
      return right(row, { from: seconds && seconds * 1000, to }, endpoint)
    }),
  },
  {
    id: 'to-before-1970-is-none',
    story: 'The bank ignores a toBookingDateTime before 1970.',
    fails: ['TXN-17/far'],
    policies: filter((right) => (row, { from, to = 0 }, endpoint) => {
      return right(row, { from, ...(to > 0 && { to }) }, endpoint)
    }),
  },
  {
    id: 'last-direction-alone',
    story:
      'A consent with both ReadTransactionsCredits and ReadTransactionsDebits shows only the last one named, because the bank stores one direction.',
    fails: [],
    warns: ['TXN-25/both'],
    policies: (correct, { fired }) => ({
      directionAllowed(row, permissions) {
        const [credits = -1, debits = -1] = ['Credits', 'Debits'].map((each) =>
          permissions.lastIndexOf(`ReadTransactions${each}` as never),
        )
        if (credits < 0 || debits < 0) return correct.directionAllowed(row, permissions)
        const right = row.indicator === (credits > debits ? 'Credit' : 'Debit')
        if (!right) fired()
        return right
      },
    }),
  },
  {
    id: 'merchant-under-basic',
    story:
      'A consent with ReadTransactionsBasic shows the details of transactions, such as the merchant name.',
    fails: [],
    warns: ['TXN-26/basic-hides-merchant'],
    policies: (correct, { fired }) => ({
      detailVisible(permissions, resource) {
        const right = correct.detailVisible(permissions, resource)
        if (right || resource !== 'Transactions') return right
        fired()
        return true
      },
    }),
  },
]

export default faults
