import { DAY } from '../../../engine/suite-api/clock.ts'
import {
  bookedAt,
  brief,
  type Endpoint,
  type Exchange,
  instantOf,
  isBookedAtSomeTime,
  isDateTime,
  leadsInside,
  marginOf,
  member,
  percentDecoded,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { nextPagesOf } from '../../next-pages.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** The envelope of consent and data responses. Requirements: specs/account-information/envelope.yaml */

rule(
  'ENV-05/same-resource',
  'Links.Self references the resource of the response itself',
  { endpoints: [...CONSENTS, ...DATA], unseen: 'Links.Self is optional, and no answer had it' },
  (exchange) => {
    const depth = DEPTH[exchange.endpoint]
    if (depth === undefined || !succeeded(exchange)) return undefined
    const self = member(exchange.response?.json, 'Links', 'Self')
    // A Self that is not an absolute URL is judged by ENV-04.
    if (typeof self !== 'string' || !URL.canParse(self)) return undefined
    const actual = segments(self)
    const resources = resourcesOf(exchange, depth)
    if (resources.some((resource) => endsWith(actual, resource))) return []
    const expected = resources.map((resource) => `…/${resource.join('/')}`).join(' or ')
    return [
      { message: `Links.Self is ${brief(self)}`, expected, actual: self, place: '/Links/Self' },
    ]
  },
)

/** Every consent and data 2xx with an absolute Links.Self. Fails: its scheme is http, and the request came over https. */
rule(
  'ENV-14/scheme',
  'Links.Self has the scheme by which the resource is reached',
  { endpoints: [...CONSENTS, ...DATA], unseen: 'Links.Self is optional, and no answer had it' },
  (exchange) => {
    if (DEPTH[exchange.endpoint] === undefined || !succeeded(exchange)) return undefined
    const self = member(exchange.response?.json, 'Links', 'Self')
    if (typeof self !== 'string' || !URL.canParse(self)) return undefined
    const plain = new URL(self).protocol === 'http:'
    if (!plain || !exchange.request.url.startsWith('https:')) return []
    const message = 'Links.Self is an address of http'
    return [{ message, expected: 'https', actual: brief(self), place: '/Links/Self' }]
  },
)

/** Every consent and data 2xx with an absolute Links.Self. Fails: its host is one that only the bank's own machines reach. */
rule(
  'ENV-15/outside',
  'Links.Self does not name a host that can be reached only from inside the bank',
  {
    endpoints: [...CONSENTS, ...DATA],
    unseen: 'Links.Self is optional, and no answer had it',
    follows: ['ENV-14/scheme'],
  },
  (exchange) => {
    if (DEPTH[exchange.endpoint] === undefined || !succeeded(exchange)) return undefined
    const self = member(exchange.response?.json, 'Links', 'Self')
    if (typeof self !== 'string' || !URL.canParse(self)) return undefined
    if (!leadsInside(self, exchange.request.url)) return []
    const message = `Links.Self leads to ${brief(self)}`
    const expected = 'an address that TPPs reach'
    return [{ message, expected, actual: self, place: '/Links/Self' }]
  },
)

/**
 * Every data 2xx whose Links.Self has a query. Fails: a value is that of the request, encoded a second time, or
 * a filter is another instant than that of the request. A bank may show the filter that it applied: that of the consent's
 * period, or one that begins or ends with its history.
 */
rule(
  'ENV-13/query',
  'A query in Links.Self is that of the request, and not encoded twice',
  { endpoints: DATA, unseen: 'no Links.Self has a query' },
  (exchange) => {
    if (!DATA.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    const self = member(exchange.response?.json, 'Links', 'Self')
    if (typeof self !== 'string' || !URL.canParse(self) || new URL(self).search === '') {
      return undefined
    }
    const sent = new URL(exchange.request.url).searchParams
    const twice = [...new URL(self).searchParams].find(
      ([name, value]) => value !== sent.get(name) && percentDecoded(value) === sent.get(name),
    )
    const { transactionFrom, transactionTo } = exchange.about.consent ?? {}
    const other = [...new URL(self).searchParams].find(([name, value]) => {
      const asked = sent.get(name)
      return isOtherInstant(value, asked) && !isApplied(exchange, name, value, String(asked))
    })
    if (other && (transactionFrom ?? transactionTo) === undefined) {
      const [name, actual] = other
      const message = `${name} in Links.Self differs from that of the request`
      return [{ message, expected: brief(sent.get(name)), actual, place: '/Links/Self' }]
    }
    if (!twice) return []
    const [name, actual] = twice
    const message = `${name} in Links.Self is encoded twice`
    return [
      { message, expected: brief(sent.get(name)), actual: brief(actual), place: '/Links/Self' },
    ]
  },
)

/**
 * Every data 2xx. Fails: Links.Next, or href in it, is a string other than Links.Self, whatever the case of these names, and
 * also in _links; a Link header (RFC 8288) names another address as next; or Meta.TotalPages is an integer above 1.
 */
rule('ENV-07/one-page', 'Data responses are not paginated', { endpoints: DATA }, (exchange) => {
  if (!DATA.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
  const { json } = exchange.response ?? {}
  if (json === undefined) return undefined
  const pages = member(json, 'Meta', 'TotalPages')
  const findings = nextPagesOf(exchange)
  if (Number.isInteger(pages) && (pages as number) > 1) {
    const place = '/Meta/TotalPages'
    const actual = String(pages)
    findings.push({ message: `there are ${actual} pages`, expected: '1 or 0', actual, place })
  }
  return findings
})

/** Every data 2xx with rows. Fails: Meta.TotalPages is 0; a client that reads page by page would read none. */
rule(
  'ENV-11/pages-of-rows',
  'Meta.TotalPages of a response with rows is not 0',
  { endpoints: DATA, unseen: 'no answer with rows has a TotalPages' },
  (exchange) => {
    if (!DATA.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    const pages = member(exchange.response?.json, 'Meta', 'TotalPages')
    if (!Number.isInteger(pages) || rowsOf(exchange).length === 0) return undefined
    if (pages !== 0) return []
    const message = 'there are rows, and 0 pages'
    return [{ message, expected: '1', actual: '0', place: '/Meta/TotalPages' }]
  },
)

function isOtherInstant(shown: string, sent: string | null): boolean {
  if (sent === null || !isDateTime(shown) || !isDateTime(sent)) return false
  return instantOf(shown) !== instantOf(sent)
}

/**
 * Is the filter that is shown narrower than the one that was sent, and are all booked rows of the answer within it? A bank
 * that tells days alone may show the whole of its day.
 */
function isApplied(exchange: Exchange, name: string, shown: string, sent: string): boolean {
  const rows = rowsOf(exchange).filter(isBookedAtSomeTime)
  const tellsDays = rows.length === 0 || rows.some((row) => marginOf(row, rows) > 0)
  const margin = tellsDays ? DAY : 0
  const end = name === 'fromBookingDateTime' ? 1 : -1
  const from = end * instantOf(shown)
  if (from <= end * instantOf(sent) - margin) return false
  return rows.every((row) => end * (bookedAt(row) ?? 0) >= from - margin)
}

/** How many last segments of the path name the resource. */
const DEPTH: Partial<Record<Endpoint, number>> = {
  'create-account-access-consent': 1,
  'query-account-access-consent': 2,
  'create-funds-confirmation-consent': 1,
  accounts: 1,
  account: 2,
  balances: 1,
  'account-balances': 3,
  transactions: 1,
  'account-transactions': 3,
}

/** The resource of a response; that of a creation may be the collection or the new consent. */
function resourcesOf({ request, response, endpoint }: Exchange, depth: number): string[][] {
  const asked = segments(request.url).slice(-depth)
  const id = member(response?.json, 'Data', 'ConsentId')
  const created = endpoint.startsWith('create-') && typeof id === 'string' ? [[...asked, id]] : []
  const resources = [...created, asked]
  if (!endpoint.endsWith('account-access-consent')) return resources
  // The heading of the query names this path (AMB-07).
  return [...resources, ...resources.map(([, ...rest]) => ['account-requests', ...rest])]
}

/** Segments of the path of a URL, decoded, without an empty last one. */
function segments(url: string): string[] {
  return new URL(url).pathname
    .replace(/(?<!\/)\/+$/, '')
    .split('/')
    .map(percentDecoded)
}

/** Names and ids take turns in `end`, which begins with a name. Servers differ in whether the names have case. */
function endsWith(path: string[], end: string[]): boolean {
  const last = path.slice(-end.length)
  const spelt = (segment: string | undefined, index: number) =>
    index % 2 === 0 ? segment?.toLowerCase() : segment
  const matches = (segment: string, index: number) =>
    spelt(segment, index) === spelt(end[index], index)
  return last.length === end.length && last.every(matches)
}
