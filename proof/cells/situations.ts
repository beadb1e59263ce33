import type { Context } from 'koa'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import type { DataEndpoint } from '../../bank/policies/data.ts'
import { stateOf } from '../../bank/state/state.ts'
import { documentedPath } from '../../engine/client/call.ts'
import { askedAccount } from '../altering/data-requests.ts'
import { ofEachBank } from '../run/each-bank.ts'

/**
 * One value of a dimension over which the sentences about data endpoints apply equally: which client asks, under which
 * consent, with which token, how often. A defect in one situation only is of second order: a suite that tests one other
 * situation does not find it.
 */
export interface Situation {
  /** End of a fault's id: second-client. */
  slug: string
  /** End of a sentence: “… for the second client”. */
  words: string
  /** Is the current request in this situation? */
  holds(ctx: Context): boolean
  /** Endpoints where it can occur; absent: at every data endpoint. */
  endpoints?: readonly DataEndpoint[]
}

export const BULK = ['accounts', 'balances', 'transactions'] as const
export const SINGLE = ['account', 'account-balances', 'account-transactions'] as const
export const TRANSACTIONS = ['transactions', 'account-transactions'] as const
export const BALANCES = ['balances', 'account-balances'] as const
export const EVERY: readonly DataEndpoint[] = [...BULK, ...SINGLE]

/** Method and path of a data endpoint, for the story of a fault. */
export const addressOf = (endpoint: DataEndpoint) => `GET ${documentedPath(endpoint)}`

const consentOf = (ctx: Context) => tokenInfoOf(ctx)?.consent

const permitted = (ctx: Context, permission: string) =>
  consentOf(ctx)?.permissions.includes(permission) === true

const filters = (ctx: Context) =>
  ['fromBookingDateTime', 'toBookingDateTime'].filter((name) => ctx.query[name] !== undefined)

/** How often one token has requested one path with one query, including this request. */
const calls = ofEachBank(() => new Map<string, number>())
const counted = new WeakMap<Context, number>()

function callOf(ctx: Context): number {
  const known = counted.get(ctx)
  if (known !== undefined) return known
  const seen = calls()
  const key = `${ctx.get('authorization')} ${ctx.path} ${ctx.querystring}`
  const count = (seen.get(key) ?? 0) + 1
  seen.set(key, count)
  counted.set(ctx, count)
  return count
}

/** Is the account in the path not the first of its consent? */
function isLaterAccount(ctx: Context): boolean {
  const consent = consentOf(ctx)
  if (!consent) return false
  const { policies, secret } = stateOf(ctx).bank.services
  const ids = consent.cards.map((card) => policies.accountIdFor(consent.id, card, secret))
  return ids.indexOf(askedAccount(ctx) ?? '') > 0
}

const situation = (
  slug: string,
  words: string,
  holds: (ctx: Context) => boolean,
  endpoints?: readonly DataEndpoint[],
): Situation => ({ slug, words, holds, ...(endpoints && { endpoints }) })

export const SITUATIONS = {
  secondClient: situation(
    'second-client',
    'for the second client',
    (ctx) => tokenInfoOf(ctx)?.client === 'second',
  ),
  secondCustomer: situation('second-customer', 'for the second customer', (ctx) => {
    const [, second] = stateOf(ctx).bank.customers
    return second !== undefined && consentOf(ctx)?.customerId === second.id
  }),
  reconfirmed: situation(
    're-confirmed',
    'after a re-confirmation of the consent',
    (ctx) => (consentOf(ctx)?.grants.size ?? 0) > 1,
  ),
  refreshed: situation(
    'refreshed',
    'with a refreshed access token',
    (ctx) => tokenInfoOf(ctx)?.refreshed === true,
  ),
  absent: situation(
    'absent',
    'without x-fapi-customer-ip-address',
    (ctx) => ctx.get('x-fapi-customer-ip-address') === '' && consentOf(ctx) !== undefined,
  ),
  period: situation('period', 'for a consent with a transaction period', (ctx) => {
    const { transactionsFrom, transactionsTo } = consentOf(ctx) ?? {}
    return transactionsFrom !== undefined || transactionsTo !== undefined
  }),
  basic: situation(
    'basic',
    'for a consent with ReadBalances and ReadAccountsBasic but not ReadAccountsDetail',
    (ctx) =>
      permitted(ctx, 'ReadAccountsBasic') &&
      !permitted(ctx, 'ReadAccountsDetail') &&
      permitted(ctx, 'ReadBalances'),
  ),
  basicOfAny: situation(
    'basic-of-any',
    'for a consent with ReadAccountsBasic but not ReadAccountsDetail',
    (ctx) => permitted(ctx, 'ReadAccountsBasic') && !permitted(ctx, 'ReadAccountsDetail'),
  ),
  debits: situation(
    'debits',
    'for a consent with ReadTransactionsDebits but not ReadTransactionsCredits',
    (ctx) => permitted(ctx, 'ReadTransactionsDebits') && !permitted(ctx, 'ReadTransactionsCredits'),
  ),
  noAccounts: situation(
    'no-accounts',
    'for a consent with ReadBalances but no accounts permission',
    (ctx) =>
      permitted(ctx, 'ReadBalances') &&
      !permitted(ctx, 'ReadAccountsBasic') &&
      !permitted(ctx, 'ReadAccountsDetail'),
    [...BALANCES, ...TRANSACTIONS],
  ),
  accountsOnly: situation(
    'accounts-only',
    'for a consent with ReadAccountsDetail but not ReadBalances',
    (ctx) => permitted(ctx, 'ReadAccountsDetail') && !permitted(ctx, 'ReadBalances'),
    ['accounts', 'account'],
  ),
  laterAccount: situation(
    'later-account',
    'for an account other than the first of the consent',
    isLaterAccount,
    SINGLE,
  ),
  laterCall: situation(
    'later-call',
    'from the third identical request on',
    (ctx) => callOf(ctx) > 2,
  ),
  fromAlone: situation(
    'from-alone',
    'with fromBookingDateTime and not toBookingDateTime',
    (ctx) => filters(ctx).join() === 'fromBookingDateTime',
    TRANSACTIONS,
  ),
  toAlone: situation(
    'to-alone',
    'with toBookingDateTime and not fromBookingDateTime',
    (ctx) => filters(ctx).join() === 'toBookingDateTime',
    TRANSACTIONS,
  ),
  bothFilters: situation(
    'both-filters',
    'with both date filters',
    (ctx) => filters(ctx).length === 2,
    TRANSACTIONS,
  ),
} as const

/** A consent whose period has only one limit. */
export function periodEnds(which: 'start' | 'end'): Situation {
  return situation(
    `${which}-alone`,
    `for a consent with only the ${which} of a transaction period`,
    (ctx) => {
      const { transactionsFrom, transactionsTo } = consentOf(ctx) ?? {}
      const other = which === 'start' ? transactionsTo : transactionsFrom
      return other === undefined && (transactionsFrom ?? transactionsTo) !== undefined
    },
  )
}

/** Both situations at once. */
export function both(one: Situation, other: Situation): Situation {
  const endpoints = (one.endpoints ?? EVERY).filter((each) =>
    (other.endpoints ?? EVERY).includes(each),
  )
  return situation(
    `${one.slug}-${other.slug}`,
    `${one.words} and ${other.words}`,
    (ctx) => one.holds(ctx) && other.holds(ctx),
    endpoints,
  )
}

/** Every pair of them, each with the endpoints where both can occur. */
export const PAIRS: readonly Situation[] = Object.values(SITUATIONS).flatMap((one, at, all) =>
  all.slice(at + 1).map((other) => ({ ...both(one, other), slug: `${one.slug} + ${other.slug}` })),
)
