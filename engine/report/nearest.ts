import { brief } from './escape.ts'
import { grouped, headline, type Indexed, pathOf } from './queries.ts'
import type { CheckResult, ExchangeRecord } from './report.ts'

/** Maximum number of differences among which a reader sees at once which one matters. */
const MOST = 3
/** Headers that differ in every request, or do not affect what is requested. */
const PASSING = /^(x-fapi-interaction-id|user-agent|accept|host|connection|content-length|date)$/i
/** A value that is new in each request, or the placeholder of an omitted one. */
const SINGLE_USE = /^(?:<[\w-]+:[0-9a-f]+>|[\w-]{16,}|[\w-]+(?:\.[\w-]*){2,}|https?:\S+)$/
const DATE_TIME = /^\d{4}-\d\d-\d\d/

/** A request with the opposite result, and what only one of the two has. */
interface Neighbour {
  exchange: ExchangeRecord
  differences: string[]
}

/**
 * What distinguishes a request that was wrongly refused or wrongly accepted: the requests to the same endpoint with the
 * opposite result and the fewest differences.
 *
 * @returns at most two, each as `the refused request has parameter from, unlike x12  GET /accounts → 200`; none
 *   where nothing is similar
 */
export function nearestTo(check: CheckResult, { exchanges }: Pick<Indexed, 'exchanges'>): string[] {
  const judged = exchanges.get(check.exchanges[0] ?? '')
  const { status = 302 } = judged?.response ?? {}
  // A redirect is one step of a visit, and pages of visits differ anyway.
  if (!judged || check.place !== undefined || (status >= 300 && status < 400)) return []
  const { endpoint, about } = judged
  const served = isServed(judged)
  if (served !== (about.deviation !== undefined) || !canBeCompared(judged.request)) return []
  const own = factsOf(judged)
  let nearest: Neighbour[] = []
  for (const exchange of exchanges.values()) {
    if (exchange.endpoint !== endpoint || exchange.about.deviation !== about.deviation) continue
    if (!exchange.response || isServed(exchange) === served) continue
    const differences = differencesOf(own, factsOf(exchange))
    const least = nearest[0]?.differences.length ?? MOST
    if (differences.length === 0 || differences.length > least) continue
    if (differences.length < least) nearest = []
    nearest.push({ exchange, differences })
  }
  const judgedOne = served ? 'the served request' : 'the refused request'
  const unlike = grouped(nearest, ({ differences }) => differences.join())
  return [...unlike.values()].slice(0, 2).map(([{ exchange, differences }]) => {
    const words = `${judgedOne} ${differences.join(', and ')}, unlike ${exchange.id}  ${headline(exchange)}`
    return brief(words, 300)
  })
}

/** How a control relates to the judged request: the same without its deviation, or one to another endpoint. */
export function roleOfControl(
  { control, exchanges: [first = ''] }: CheckResult,
  { exchanges }: Pick<Indexed, 'exchanges'>,
): string {
  const [its, judged] = [exchanges.get(control?.exchange ?? ''), exchanges.get(first)]
  if (its?.endpoint === judged?.endpoint) return 'without the deviation'
  return its?.about.client === judged?.about.client
    ? 'the bank served this client before'
    : 'the bank served another request before'
}

const isServed = ({ response }: ExchangeRecord) => (response?.status ?? 500) < 300

/** By name: the form for comparison, and the value as sent. */
type Facts = Map<string, { kind: string; sent?: string }>

/** The parts of a request by name, without what is new in every request. */
function factsOf({ request, about, connection }: ExchangeRecord): Facts {
  const facts: Facts = new Map()
  const add = (name: string, value: unknown) => {
    if (value === undefined) return
    const sent = typeof value === 'string' && DATE_TIME.test(value) ? brief(value, 40) : undefined
    facts.set(name, { kind: kindOf(value), ...(sent !== undefined && { sent }) })
  }
  add('client', about.client)
  add('client certificate', connection.identity)
  const consent = about.consent as Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(consent ?? {})) {
    add(`${name} of its consent`, Array.isArray(value) ? [...value].sort() : value)
  }
  for (const [name, value] of request.headers) {
    if (!PASSING.test(name)) add(`header ${name.toLowerCase()}`, value)
  }
  const query = new URLSearchParams(pathOf(request.url).split('?')[1])
  for (const [name, value] of query) add(`parameter ${name}`, value)
  for (const [name, value] of membersOf(request)) add(name, value)
  return facts
}

/** Are all parts of a request compared? The claims of a registration JWT are not. */
const canBeCompared = (request: ExchangeRecord['request']) =>
  (request.body ?? '') === '' || membersOf(request).length > 0

/** Members of a JSON object by path, or parameters of a form. */
function membersOf({ headers, body = '' }: ExchangeRecord['request']): [string, unknown][] {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  if (/x-www-form-urlencoded/.test(type)) {
    return [...new URLSearchParams(body)].map(([name, value]) => [`parameter ${name}`, value])
  }
  try {
    return leavesOf(JSON.parse(body), '')
  } catch {
    // Not JSON, or nested too deeply to be compared.
    return []
  }
}

function leavesOf(value: unknown, path: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [[path === '' ? 'a body that is no object' : path, value]]
  }
  return Object.entries(value).flatMap(([name, part]) =>
    leavesOf(part, path === '' ? name : `${path}.${name}`),
  )
}

/** The value, or its form where it differs in every request. */
function kindOf(value: unknown): string {
  if (typeof value !== 'string') return brief(JSON.stringify(value), 80)
  if (DATE_TIME.test(value)) return value.replace(/\d/g, '0')
  const [scheme = '', credential] = value.split(' ', 2)
  if (credential !== undefined && SINGLE_USE.test(credential)) return `${scheme} …`
  return SINGLE_USE.test(value) ? '…' : brief(value, 80)
}

function differencesOf(own: Facts, other: Facts): string[] {
  return [...new Set([...own.keys(), ...other.keys()])].flatMap((name) => {
    const [mine, theirs] = [own.get(name), other.get(name)]
    if (mine?.kind === theirs?.kind) return []
    if (theirs === undefined) return [mine?.sent ? `has ${name} (${mine.sent})` : `has ${name}`]
    if (mine === undefined) return [`lacks ${name}`]
    return [`has ${name} ${mine.kind} and not ${theirs.kind}`]
  })
}
