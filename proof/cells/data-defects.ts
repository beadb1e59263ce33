import type { Context, Middleware } from 'koa'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import type { DataEndpoint } from '../../bank/policies/data.ts'
import type { Policies } from '../../bank/policies.ts'
import { stateOf } from '../../bank/state/state.ts'
import { HOUR } from '../../engine/record/durations.ts'
import { afterSuccess, endpointOf, rowsOf } from '../altering/data-requests.ts'
import { type Json, jsonOf } from '../altering/rewriting.ts'
import type { Fault } from '../run/proof.ts'
import { addressOf, BALANCES, EVERY, type Situation, TRANSACTIONS } from './situations.ts'

/** A defect in the answers of data endpoints, in one situation only. */
export interface DataDefect {
  /** Start of the fault's id. */
  slug: string
  /** Start of a sentence. */
  words: string
  endpoints: readonly DataEndpoint[]
  alter(
    endpoint: DataEndpoint,
    holds: (ctx: Context) => boolean,
  ): Pick<Fault, 'middleware' | 'policies'>
}

type Change = (rows: Json[], ctx: Context) => Json[] | undefined

function changesRows(change: Change): DataDefect['alter'] {
  return (endpoint, holds) => ({
    middleware: rowsOf(endpoint, (rows, ctx) => (holds(ctx) ? change(rows, ctx) : undefined)),
  })
}

function changesAnswer(act: (ctx: Context, body: Json) => void): DataDefect['alter'] {
  return (endpoint, holds) => ({
    middleware: afterSuccess(endpoint, (ctx) => {
      const body = jsonOf(ctx)
      if (!body || !holds(ctx)) return false
      act(ctx, body)
      return true
    }) as Middleware,
  })
}

/** Another decision of the bank, in this situation only. */
function decides<Name extends keyof Policies>(
  name: Name,
  wrong: (
    right: Policies[Name],
  ) => (...args: Parameters<Policies[Name]>) => ReturnType<Policies[Name]>,
): DataDefect['alter'] {
  return (endpoint, holds) => ({
    policies: (correct, { fired }) => {
      const right = correct[name] as (
        ...args: Parameters<Policies[Name]>
      ) => ReturnType<Policies[Name]>
      const other = wrong(correct[name])
      return {
        [name]: (...args: Parameters<Policies[Name]>) => {
          const ctx = currentRequest()
          if (!ctx || endpointOf(ctx) !== endpoint || !holds(ctx)) return right(...args)
          const [as, is] = [right(...args), other(...args)]
          if (as !== is) fired()
          return is
        },
      }
    },
  })
}

/** An AccountId that does not exist. */
function otherId(id: unknown): string {
  const text = String(id)
  return `${text.startsWith('0') ? '1' : '0'}${text.slice(1)}`
}

const last = (rows: Json[]) => rows.filter(({ Status }) => Status === 'Booked').at(-1)

const withAmount = (change: (amount: string) => string) => (rows: Json[]) =>
  rows.map((row) => {
    const amount = row.Amount as Json
    return { ...row, Amount: { ...amount, Amount: change(String(amount.Amount)) } }
  })

export const DATA_DEFECTS = {
  losesLastRow: {
    slug: 'loses-last-row',
    words: 'The oldest booked transaction is missing',
    endpoints: TRANSACTIONS,
    alter: changesRows((rows) => {
      const oldest = last(rows)
      return oldest && rows.filter((row) => row !== oldest)
    }),
  },
  losesNewestRow: {
    slug: 'loses-newest-row',
    words: 'The newest booked transaction is missing',
    endpoints: TRANSACTIONS,
    alter: changesRows((rows) => {
      const newest = rows.find(({ Status }) => Status === 'Booked')
      return newest && rows.filter((row) => row !== newest)
    }),
  },
  lastRowTwice: {
    slug: 'last-row-twice',
    words: 'The last row is listed twice',
    endpoints: [...BALANCES, ...TRANSACTIONS],
    alter: changesRows((rows) => {
      const oldest = rows[0] && 'Status' in rows[0] ? last(rows) : rows.at(-1)
      return oldest && [...rows, oldest]
    }),
  },
  rowOfAnother: {
    slug: 'row-of-another',
    words: 'A transaction of another customer is listed',
    endpoints: TRANSACTIONS,
    alter: changesRows((rows) => {
      const oldest = last(rows)
      if (!oldest) return undefined
      const booked = new Date(Date.parse(String(oldest.BookingDateTime)) + 4_711_000)
      const BookingDateTime = booked.toISOString().replace('.000Z', 'Z')
      const Amount = { Amount: '55.55', Currency: 'GBP' }
      return [...rows, { ...oldest, TransactionId: 'somebody-else-1', Amount, BookingDateTime }]
    }),
  },
  pendingAgain: {
    slug: 'pending-again',
    words: 'The oldest booked transaction has Status Pending',
    endpoints: TRANSACTIONS,
    alter: changesRows((rows) => {
      const oldest = last(rows)
      return oldest && rows.map((row) => (row === oldest ? { ...row, Status: 'Pending' } : row))
    }),
  },
  noCreditLimit: {
    slug: 'no-credit-limit',
    words: 'The amount of the CreditLine is always 250.00',
    endpoints: BALANCES,
    alter: changesRows((rows) =>
      rows.length > 0
        ? rows.map((row) => ({
            ...row,
            CreditLine: (row.CreditLine as Json[]).map((line) => ({
              ...line,
              Amount: { Amount: '250.00', Currency: 'GBP' },
            })),
          }))
        : undefined,
    ),
  },
  losesAccount: {
    slug: 'loses-account',
    words: 'The last account is missing',
    endpoints: ['accounts', 'balances', 'transactions'],
    alter: changesRows((rows) => {
      const ids = [...new Set(rows.map(({ AccountId }) => AccountId))]
      const gone = ids.at(-1)
      return ids.length > 1 ? rows.filter(({ AccountId }) => AccountId !== gone) : undefined
    }),
  },
  empty: {
    slug: 'empty',
    words: 'The list is empty',
    endpoints: EVERY,
    alter: changesRows((rows) => (rows.length > 0 ? [] : undefined)),
  },
  stranger: {
    slug: 'stranger',
    words: 'A row with an AccountId outside the consent is listed',
    endpoints: EVERY,
    alter: changesRows((rows) => {
      const [first] = rows
      return first && [...rows, { ...first, AccountId: otherId(first.AccountId) }]
    }),
  },
  relabelled: {
    slug: 'another-id',
    words: 'AccountIds are different',
    endpoints: EVERY,
    alter: changesRows((rows) =>
      rows.length > 0
        ? rows.map((row) => ({ ...row, AccountId: otherId(row.AccountId) }))
        : undefined,
    ),
  },
  hundredfold: {
    slug: 'hundredfold',
    words: 'Amounts are 100 times too high',
    endpoints: [...BALANCES, ...TRANSACTIONS],
    alter: changesRows((rows) =>
      rows.length > 0 ? withAmount((amount) => (Number(amount) * 100).toFixed(2))(rows) : undefined,
    ),
  },
  zero: {
    slug: 'zero',
    words: 'Amounts are 0.00',
    endpoints: [...BALANCES, ...TRANSACTIONS],
    alter: changesRows((rows) => (rows.length > 0 ? withAmount(() => '0.00')(rows) : undefined)),
  },
  turned: {
    slug: 'turned',
    words: 'Credit and Debit are exchanged',
    endpoints: [...BALANCES, ...TRANSACTIONS],
    alter: changesRows((rows) =>
      rows.length > 0
        ? rows.map((row) => ({
            ...row,
            CreditDebitIndicator: row.CreditDebitIndicator === 'Debit' ? 'Credit' : 'Debit',
          }))
        : undefined,
    ),
  },
  otherCurrency: {
    slug: 'euro',
    words: 'The currency is EUR',
    endpoints: ['accounts', 'account'],
    alter: changesRows((rows) =>
      rows.length > 0 ? rows.map((row) => ({ ...row, Currency: 'EUR' })) : undefined,
    ),
  },
  otherDescription: {
    slug: 'old-description',
    words: 'Description has an old product name',
    endpoints: ['accounts', 'account'],
    alter: changesRows((rows) =>
      rows.length > 0 ? rows.map((row) => ({ ...row, Description: 'Classic' })) : undefined,
    ),
  },
  localTime: {
    slug: 'local-time',
    words: 'Date-times have the offset +01:00',
    endpoints: [...BALANCES, ...TRANSACTIONS],
    alter: changesRows((rows) => {
      const name = rows[0] && 'BookingDateTime' in rows[0] ? 'BookingDateTime' : 'DateTime'
      if (rows.length === 0) return undefined
      return rows.map((row) => ({
        ...row,
        [name]: new Date(Date.parse(String(row[name])) + HOUR)
          .toISOString()
          .replace(/(\.\d+)?Z$/, '+01:00'),
      }))
    }),
  },
  otherSelf: {
    slug: 'other-self',
    words: 'Links.Self names another resource',
    endpoints: EVERY,
    alter: changesAnswer((ctx, body) => {
      const { Self } = body.Links as { Self: string }
      ctx.body = { ...body, Links: { Self: Self.replace(/\/aisp\/.*$/, '/aisp/party') } }
    }),
  },
  nextPage: {
    slug: 'next-page',
    words: 'Links has a Next page',
    endpoints: EVERY,
    alter: changesAnswer((ctx, body) => {
      const { Self } = body.Links as { Self: string }
      ctx.body = { ...body, Links: { Self, Next: `${Self}?page=2` } }
    }),
  },
  refused: {
    slug: 'refused',
    words: 'The status is 403',
    endpoints: EVERY,
    alter: changesAnswer((ctx) => {
      ctx.status = 403
      ctx.body = { Code: '403', Message: 'Forbidden', Errors: [] }
    }),
  },
  fullNumber: {
    slug: 'full-number',
    words: 'The card number is not masked',
    endpoints: ['accounts', 'account'],
    alter: (endpoint, holds) => ({
      policies: (correct, { fired }) => ({
        maskCard(pan) {
          const ctx = currentRequest()
          if (!ctx || endpointOf(ctx) !== endpoint || !holds(ctx)) return correct.maskCard(pan)
          fired()
          return pan
        },
      }),
    }),
  },
  fromIgnored: {
    slug: 'from-ignored',
    words: 'fromBookingDateTime is ignored',
    endpoints: TRANSACTIONS,
    alter: decides(
      'bookedWithin',
      (right) =>
        (row, { to }, endpoint) =>
          right(row, to === undefined ? {} : { to }, endpoint),
    ),
  },
  toIgnored: {
    slug: 'to-ignored',
    words: 'toBookingDateTime is ignored',
    endpoints: TRANSACTIONS,
    alter: decides(
      'bookedWithin',
      (right) =>
        (row, { from }, endpoint) =>
          right(row, from === undefined ? {} : { from }, endpoint),
    ),
  },
  periodIgnored: {
    slug: 'period-ignored',
    words: 'The transaction period of the consent is ignored',
    endpoints: TRANSACTIONS,
    alter: decides('withinConsentPeriod', () => () => true),
  },
  periodStartIgnored: {
    slug: 'period-start-ignored',
    words: 'TransactionFromDateTime of the consent is ignored',
    endpoints: TRANSACTIONS,
    alter: decides(
      'withinConsentPeriod',
      (right) =>
        (row, { transactionsTo }, endpoint) =>
          right(row, transactionsTo === undefined ? {} : { transactionsTo }, endpoint),
    ),
  },
  periodEndIgnored: {
    slug: 'period-end-ignored',
    words: 'TransactionToDateTime of the consent is ignored',
    endpoints: TRANSACTIONS,
    alter: decides(
      'withinConsentPeriod',
      (right) =>
        (row, { transactionsFrom }, endpoint) =>
          right(row, transactionsFrom === undefined ? {} : { transactionsFrom }, endpoint),
    ),
  },
  directionIgnored: {
    slug: 'direction-ignored',
    words: 'ReadTransactionsCredits and ReadTransactionsDebits are ignored',
    endpoints: TRANSACTIONS,
    alter: decides('directionAllowed', () => () => true),
  },
  detailShown: {
    slug: 'detail-shown',
    words: 'Details are shown without the Detail permission',
    endpoints: ['accounts', 'account', ...TRANSACTIONS],
    alter: decides('detailVisible', () => () => true),
  },
  detailLacks: {
    slug: 'detail-lacks',
    words: 'Details are not shown although the consent has the Detail permission',
    endpoints: ['accounts', 'account'],
    alter: decides('detailVisible', () => () => false),
  },
} as const satisfies Record<string, DataDefect>

/** The fault of one cell: this defect at this endpoint, in this situation only. */
export function dataFault(
  defect: DataDefect,
  endpoint: DataEndpoint,
  situation: Situation,
  said: Pick<Fault, 'fails' | 'warns' | 'because'>,
): Fault {
  const { slug, words } = defect
  return {
    id: `${slug}-${endpoint}-${situation.slug}`,
    story: `${words} in ${addressOf(endpoint)}, only ${situation.words}.`,
    ...said,
    ...defect.alter(endpoint, (ctx) => stateOf(ctx) !== undefined && situation.holds(ctx)),
  }
}

/** The same defect at the bulk and the single addresses, so that no comparison of the two shows it. */
export function dataFaultAtBoth(
  defect: DataDefect,
  [bulk, single]: readonly [DataEndpoint, DataEndpoint],
  situation: Situation,
  said: Pick<Fault, 'fails' | 'warns' | 'because'>,
): Fault {
  const one = dataFault(defect, bulk, situation, said)
  const { middleware } = dataFault(defect, single, situation, said)
  return {
    ...one,
    id: `${one.id}-and-single`,
    story: `${defect.words} in ${addressOf(bulk)} and ${addressOf(single)}, only ${situation.words}.`,
    middleware: (ctx, next) =>
      one.middleware?.(ctx, () => Promise.resolve(middleware?.(ctx, next))) ?? next(),
  }
}
