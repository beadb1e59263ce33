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
    story: 'The archive has seven years, and a request for more is refused.',
    fails: [],
    warns: ['TXN-47/out-of-range'],
    middleware: refusesFilters(({ from }) => from < Date.now() - 7 * 365 * DAY),
  },
  {
    id: 'filters-end-today',
    story:
      'The single address is of a newer service, which takes a date that is still to come for a mistake.',
    fails: [],
    warns: ['TXN-47/out-of-range'],
    middleware: refusesFilters(({ to }) => ofSingle() && to > Date.now() + 60_000),
  },
  {
    id: 'filters-are-two-years-apart-at-most',
    story: 'A search of more than two years would take the archive too long, and is refused.',
    fails: [],
    warns: ['TXN-47/out-of-range'],
    middleware: refusesFilters(({ from, to }) => to - from > 2 * 366 * DAY),
  },
  {
    id: 'filters-at-one-instant-are-its-day',
    story: 'Whoever asks from a day to the same day means the day, and an instant is of a day.',
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
      'The pattern of the query writes YYYY, which is the year of the week, and not of the day.',
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
      'The pattern of the query reads hh, in which the twelfth hour is the first of the day. All is booked in the morning.',
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
    story: 'Filters are compared by the same day of this year, which need not have it.',
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
    story: 'The filter is a field of a service that all requests share.',
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
    story:
      'Machines are to read everything since the last time, so their interface knows no filter.',
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
      'Requests of machines go to a cache, which is kept by path and fromBookingDateTime is no part of it.',
    fails: ['TXN-16/from-alone'],
    middleware: unread('fromBookingDateTime', 'transactions'),
  },
  {
    id: 'to-unread-while-absent-for-one-account',
    story: 'The nightly route to one account serves everything since the last night.',
    fails: ['TXN-17/to-alone'],
    middleware: unread('toBookingDateTime', 'account-transactions'),
  },
  {
    id: 'filter-ahead-of-now-finds-nothing',
    story: 'The index of bookings ends today, and a search beyond its end finds no page of it.',
    fails: ['TXN-17/nothing-to-drop'],
    policies: filter(
      (right) => (row, period, endpoint) =>
        right(row, period, endpoint) && !(period.to !== undefined && period.to > Date.now()),
    ),
  },
  {
    id: 'filter-before-all-data-finds-nothing',
    story: 'The single address looks up the statement in which the period begins: there is none.',
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
    story: 'The two filters are read as a range, and half a range is refused.',
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
    story: 'The single address takes no parameters: the gateway’s schema of it lists none.',
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
    story: 'The single address passes on only the parameter that its form has: to.',
    fails: ['TXN-16/from-alone'],
    policies: filter(
      (right) => (row, period, endpoint) =>
        right(row, endpoint === 'account-transactions' ? { to: period.to } : period, endpoint),
    ),
  },
  {
    id: 'from-filter-by-day',
    story: 'Bookings are indexed by day, so the whole day of fromBookingDateTime is reported.',
    fails: ['TXN-16/from-alone'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const start = from === undefined ? {} : { from: from - (from % DAY) }
      return right(row, { ...start, ...(to !== undefined && { to }) }, endpoint)
    }),
  },
  {
    id: 'filters-in-london-time',
    story: 'The Z is stripped and the rest is taken for London’s clock time.',
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
    story: 'Payments and refunds come from the ledger of receipts, which has no filter.',
    fails: ['TXN-16/from-alone'],
    policies: filter(
      (right) => (row, period, endpoint) =>
        right(row, row.indicator === 'Credit' ? { to: period.to } : period, endpoint),
    ),
  },
  {
    id: 'to-filter-needs-from',
    story: 'The filter is built only when fromBookingDateTime is sent.',
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
      'toBookingDateTime is compared with the creation of the row, two days before its booking.',
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
    story: 'The database session runs on Central European winter time.',
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
    story: 'Of two parameters the framework binds the first, unless there is only one.',
    fails: ['TXN-17/both'],
    policies: filter(
      (right) =>
        (row, { from, to }, endpoint) =>
          right(row, from !== undefined && to !== undefined ? { from } : { from, to }, endpoint),
    ),
  },
  {
    id: 'both-filters-drop-the-last-day',
    story: 'A range ends at the start of its last day; a single bound does not.',
    fails: ['TXN-17/both'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const range = from !== undefined && to !== undefined
      return right(row, range ? { from, to: to - (to % DAY) } : { from, to }, endpoint)
    }),
  },
  {
    id: 'to-before-from-only-to',
    story:
      'Parameters are bound in the order of the handler’s arguments: with to first, from is lost.',
    fails: ['TXN-17/both'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const turned = /^toBookingDateTime=.*&from/.test(currentRequest()?.querystring ?? '')
      return right(row, turned && to !== undefined ? { to } : { from, to }, endpoint)
    }),
  },
  {
    id: 'to-alone-ends-the-day-before',
    story:
      'The end of a range that is none is cut to its day, and the rows of that day come after.',
    fails: ['TXN-17/to-alone'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const alone = from === undefined && to !== undefined
      return right(row, alone ? { to: to - (to % DAY) } : { from, to }, endpoint)
    }),
  },
  {
    id: 'reversed-range-turned-round',
    story: 'A range whose ends are the wrong way round is kindly put right.',
    fails: ['TXN-17/reversed'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const reversed = from !== undefined && to !== undefined && from > to
      return right(row, reversed ? { from: to, to: from } : { from, to }, endpoint)
    }),
  },
  {
    id: 'filters-only-with-z',
    story: 'The parameter is checked by a pattern that ends with Z.',
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
    story: 'The service of single accounts has the old pattern, which ends with Z.',
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
    story: 'The service of single accounts leaves out what does not parse.',
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
    story: 'A value with a fraction does not parse, and what does not parse is left out.',
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
    story: 'A value that does not parse is left out.',
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
    story: 'A search that finds nothing is answered with 404.',
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
    story: 'The consent’s period is the default of the two parameters, and the query overrides it.',
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
    story: 'The period of the consent was built into the bulk endpoint.',
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
    story: 'Ninety days are all that is kept, so that the start of a period is not worth asking.',
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
    story: 'A period is cut to the ninety days before its end.',
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
    story: 'A query that asks for more than the consent allows is an error.',
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
    story: 'A consent without a period gets the default of ninety days.',
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
    story: 'The two permissions of direction are applied in the bulk endpoint only.',
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
    story: 'Refunds are purchases with a sign, so credits alone are the payments.',
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
    story: 'What is pending comes from the processor of the cards, which knows no period.',
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
    story: 'The level of detail is a claim of the first token, and a refresh makes another one.',
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
      'A time is a number of seconds in 32 bits: what is later than January 2038 is before 1970.',
    fails: ['TXN-16/far'],
    policies: filter((right) => (row, { from, to }, endpoint) => {
      const seconds = from === undefined ? undefined : Math.trunc(from / 1000) | 0
      return right(row, { from: seconds && seconds * 1000, to }, endpoint)
    }),
  },
  {
    id: 'to-before-1970-is-none',
    story: 'An end that is no positive number is taken for one that was not sent.',
    fails: ['TXN-17/far'],
    policies: filter((right) => (row, { from, to = 0 }, endpoint) => {
      return right(row, { from, ...(to > 0 && { to }) }, endpoint)
    }),
  },
  {
    id: 'last-direction-alone',
    story:
      'The direction of a consent is one column: each permission that names one overwrites it.',
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
    story: 'The merchant’s name is what customers know a transaction by, so everybody gets it.',
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
