/** Requests for data. Requirements: specs/tpp/data.yaml */

import { isIP } from 'node:net'
import { conduct, type Seen } from '../../engine/suite-api/certification.ts'
import type { Endpoint, Exchange } from '../../engine/suite-api/responses.ts'
import { isDateTime, member, percentDecoded, rowsOf } from '../../engine/suite-api/responses.ts'
import {
  DATA,
  queryOf,
  SPELT_OTHERWISE,
  searched,
  seenOf,
  sent,
  shown,
  unless,
} from './common/messages.ts'

const isData = ({ endpoint }: Exchange) => DATA.includes(endpoint)

conduct(
  'DATA-01/consent-token',
  'data is asked for with an access token of the authorization_code grant',
  { endpoints: DATA },
  (exchange) => {
    const { token, otherCredential: other } = seenOf(exchange)
    if (!isData(exchange) || !(token || other)) return undefined
    return unless(token?.kind === 'customer', {
      message: token
        ? 'the access token is the client’s own'
        : 'the token in the Authorization header is not an access token',
      expected: 'an access token of an authorization_code grant',
      actual: other ?? 'an access token of a client_credentials grant',
    })
  },
)

const TRANSACTIONS: readonly Endpoint[] = ['transactions', 'account-transactions']
const FILTERS = ['fromBookingDateTime', 'toBookingDateTime']

function filtersOf(exchange: Exchange): [name: string, value: string][] {
  if (!TRANSACTIONS.includes(exchange.endpoint)) return []
  const query = queryOf(exchange)
  return FILTERS.flatMap((name) => {
    // A repeated parameter is compared with all its values. A + that is not encoded is read as a space.
    const values = query.getAll(name).map((value) => value.replace(/ (?=\d{2}:\d{2}$)/, '+'))
    return values.length === 0 ? [] : [[name, values.join(' and ')] as [string, string]]
  })
}

/** Usual names of parameters for pages, which no data endpoint has. */
const PAGES = /^(page|page_?(number|size|token|key)|per_?page|limit|offset|cursor|skip|start)$/i

conduct(
  'TDAT-09/no-pages',
  'data is asked for whole, without pages',
  { endpoints: DATA },
  (exchange) => {
    if (!isData(exchange)) return undefined
    const pages = [...queryOf(exchange).keys()].filter((name) => PAGES.test(name))
    return unless(pages.length === 0, {
      message: 'the client asks for a page, and there are none',
      expected: 'a query without pages',
      actual: pages.join(', '),
    })
  },
)

/** Usual names of parameters for the ends of a period. */
const ENDS =
  /booking|^(from|to|since|until)$|^(from|to|start|end|since|until)[-_]?(date|time)|^date[-_]?(from|to|start|end)/i

/** A date, with or without its time. */
const isDay = /^\d{4}-\d{2}-\d{2}([T ]|$)/i

conduct(
  'TDAT-09/names-of-filters',
  'the filters of transactions have the names of the document',
  { endpoints: TRANSACTIONS, unseen: 'the client reads no transactions' },
  (exchange) => {
    if (!TRANSACTIONS.includes(exchange.endpoint)) return undefined
    const others = [...queryOf(exchange)]
      .filter(([name, value]) => !FILTERS.includes(name) && (ENDS.test(name) || isDay.test(value)))
      .map(([name]) => name)
    return unless(others.length === 0, {
      message: 'a filter has another name, so that it filters nothing',
      expected: FILTERS.join(', '),
      actual: others.join(', '),
    })
  },
)

/** One of the permissions opens the endpoint. The documents do not say which one opens balances. */
const OPENED_BY: [endpoints: readonly Endpoint[], permissions: string[]][] = [
  [
    ['accounts', 'account'],
    ['ReadAccountsBasic', 'ReadAccountsDetail', SPELT_OTHERWISE],
  ],
  [TRANSACTIONS, ['ReadTransactionsBasic', 'ReadTransactionsDetail']],
]

conduct(
  'TDAT-10/permitted',
  'accounts and transactions are asked for under a consent that permits it',
  {
    endpoints: OPENED_BY.flatMap(([endpoints]) => endpoints),
    unseen: 'the client reads neither accounts nor transactions',
  },
  (exchange) => {
    const { permissions } = seenOf(exchange).consent ?? {}
    const needed = OPENED_BY.find(([endpoints]) => endpoints.includes(exchange.endpoint))?.[1]
    if (!needed || !permissions) return undefined
    return unless(
      needed.some((each) => permissions.includes(each)),
      {
        message: 'the consent does not permit what is asked for',
        expected: `a consent with ${needed.join(' or ')}`,
        actual: `${exchange.endpoint} under ${permissions.join(', ') || 'no permission'}`,
      },
    )
  },
)

const unfiltered = 'the client sends no filters: both are optional'

conduct(
  'TDAT-01/filters',
  'the filters of transactions are date-times as RFC 3339 writes them',
  { endpoints: TRANSACTIONS, unseen: unfiltered },
  (exchange) => {
    const filters = filtersOf(exchange)
    if (filters.length === 0) return undefined
    const wrong = filters.filter(([, value]) => !isDateTime(value))
    const twice = wrong.some(([name]) => queryOf(exchange).getAll(name).length > 1)
    return unless(wrong.length === 0, {
      message: twice
        ? 'a filter is sent more than once'
        : 'a filter is not an RFC 3339 date-time with its zone',
      expected: twice ? 'each filter once' : 'YYYY-MM-DDThh:mm:ss, then Z or an offset as +01:00',
      actual: wrong.map(([name, value]) => `${name}=${value}`).join(', '),
    })
  },
)

conduct(
  'TDAT-11/in-order',
  'the filters of transactions begin before they end',
  { endpoints: TRANSACTIONS, unseen: 'no request has both filters: both are optional' },
  (exchange) => {
    const filters = new Map(filtersOf(exchange))
    const [from = '', to = ''] = FILTERS.map((name) => filters.get(name))
    const [begins, ends] = [Date.parse(from), Date.parse(to)]
    if (Number.isNaN(begins) || Number.isNaN(ends)) return undefined
    return unless(begins <= ends, {
      message: 'the filters end before they begin, so that no transaction is between them',
      expected: 'fromBookingDateTime before toBookingDateTime',
      actual: `from ${from} to ${to}`,
    })
  },
)

conduct(
  'TDAT-02/period',
  'transactions are not asked for beyond the period of the consent',
  { endpoints: TRANSACTIONS, unseen: 'no consent with a period was read with filters' },
  (exchange) => {
    const { consent } = seenOf(exchange)
    const filters = new Map(filtersOf(exchange))
    const from = Date.parse(filters.get('fromBookingDateTime') ?? '')
    const to = Date.parse(filters.get('toBookingDateTime') ?? '')
    const { transactionsFrom: first, transactionsTo: last } = consent ?? {}
    const compared =
      (first !== undefined && !Number.isNaN(from)) || (last !== undefined && !Number.isNaN(to))
    if (!compared) return undefined
    const early = first !== undefined && from < first
    const late = last !== undefined && to > last
    return unless(!early && !late, {
      message: 'the filters reach beyond the period that the customer agreed to',
      expected: 'filters within TransactionFromDateTime and TransactionToDateTime of the consent',
      actual: [early && 'an earlier beginning', late && 'a later end'].filter(Boolean).join(', '),
    })
  },
)

conduct(
  'TDAT-03/absent',
  'a request while the customer is absent does not say that they are there',
  { endpoints: DATA, unseen: 'the client reads only while the customer is there' },
  (exchange) => {
    if (!isData(exchange) || seenOf(exchange).present) return undefined
    const address = sent(exchange, 'x-fapi-customer-ip-address')
    return unless(address === undefined, {
      message:
        'x-fapi-customer-ip-address says that the customer is present, and the customer is absent',
      expected: 'no x-fapi-customer-ip-address',
      actual: `x-fapi-customer-ip-address: ${address?.trim() || '(empty)'}`,
    })
  },
)

/** Addresses that stand for none: 0.0.0.0, :: and however they are spelt (RFC 6890). */
const UNSPECIFIED = /^(0{1,3}(\.0{1,3}){3}|[0:]+)$/

conduct(
  'TDAT-04/address',
  'x-fapi-customer-ip-address is an address',
  { endpoints: DATA, unseen: 'the client sends no x-fapi-customer-ip-address' },
  (exchange) => {
    const address = sent(exchange, 'x-fapi-customer-ip-address')
    if (!isData(exchange) || address === undefined) return undefined
    const text = address.trim()
    return unless(isIP(text) !== 0 && !UNSPECIFIED.test(text), {
      message: 'x-fapi-customer-ip-address is an IP address that no customer can have',
      expected: 'an IPv4 or IPv6 address of the customer',
      actual: shown(address),
    })
  },
)

/** AccountIds in an answer with data, which a client may keep: of a long recording no answer is forgotten soon. */
const giving = searched(
  (exchange) =>
    new Set(isData(exchange) ? rowsOf(exchange).map((row) => member(row, 'AccountId')) : []),
  { hold: seenOf, least: 100_000 },
)

conduct(
  'TDAT-05/account-ids',
  'an AccountId is used under the consent that it came with',
  { endpoints: DATA, unseen: 'the client reads no single account' },
  (exchange, earlier) => {
    const id = /\/accounts\/([^/?]+)/.exec(new URL(exchange.request.url).pathname)?.[1]
    const { consent, scenario } = seenOf(exchange)
    if (!isData(exchange) || id === undefined || !consent) return undefined
    const wanted = percentDecoded(id)
    const gave = giving(earlier, wanted)
    const under = (other: Seen) => other.consent?.id === consent.id
    if (gave.some(under)) return []
    // The contents of an answer that is no JSON are unknown.
    const unread = (other: Exchange) =>
      isData(other) && other.response?.status === 200 && !other.response.json
    if (earlier.some((other) => unread(other) && under(seenOf(other)))) return undefined
    const foreign = gave.some((other) => other.scenario === scenario)
    return [
      {
        message: foreign
          ? 'the AccountId came with another consent'
          : 'the AccountId is in no earlier answer',
        expected: 'an AccountId of GET /accounts under the same consent',
        actual: foreign
          ? 'an AccountId that only another consent gave'
          : 'an AccountId that no answer gave',
      },
    ]
  },
)
