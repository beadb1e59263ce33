import type { Said, ScenarioRun } from '../../../engine/suite-api/certification.ts'
import { Blocked, MOST_ALIKE } from '../../../engine/suite-api/certification.ts'
import { Nonconformance, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, member } from '../../../engine/suite-api/responses.ts'
import { DATA, formOf, queryOf, requestObjectOf, seenOf, sent } from './messages.ts'

/** How the client's last task ended, as the client reports it. */
export function lastSaid({ said }: ScenarioRun): Said {
  const last = said.at(-1)
  if (!last) throw new TypeError('a scenario asks the client for something')
  return last
}

/** The last request that the bank refused. */
const refusedLast = ({ exchanges }: ScenarioRun) =>
  exchanges.findLast((each) => seenOf(each).refusal)

/** The bank's reason for its last refusal, as the end of a sentence; empty if it refused nothing. */
export function lastRefusal(run: ScenarioRun): string {
  const refused = refusedLast(run)
  return refused ? `; the bank last refused: ${seenOf(refused).refusal?.detail}` : ''
}

/** Exchanges after this one; all when it is undefined. */
export function after(run: ScenarioRun, exchange: Exchange | undefined): Exchange[] {
  return run.exchanges.slice(exchange ? run.exchanges.indexOf(exchange) + 1 : 0)
}

/** Successful data answers: those with status 200. */
export function dataIn(exchanges: Exchange[]): Exchange[] {
  return exchanges.filter(
    ({ endpoint, response }) => DATA.includes(endpoint) && response?.status === 200,
  )
}

/** Token requests that redeem a code. */
export function redemptions(exchanges: Exchange[]): Exchange[] {
  return exchanges.filter(
    (each) => each.endpoint === 'token' && formOf(each).get('grant_type') === 'authorization_code',
  )
}

/** Ends as blocked when the client sent no request that this scenario alters: then the scenario shows nothing. */
export function requireAltered(run: ScenarioRun, what: string): Exchange {
  const [first] = run.altered
  if (first) return first
  requireUnbroken(run)
  throw new Blocked({ kind: 'data', what: `a client that ${what}` }, `needs a client that ${what}`)
}

/** Ends as not applicable for a client that asks the bank for nothing when it is to read again: TGEN-01 judges that. */
export function requireReading({ exchanges }: ScenarioRun): void {
  if (exchanges.some((each) => seenOf(each).goal === 'read')) return
  throw new NotApplicable('the client asks the bank for nothing when it is to read again')
}

/** Ends as not applicable for a client that connects a customer once: no sentence has it create a second consent. */
export function requireSecondVisit(run: ScenarioRun): void {
  const visits = run.exchanges.filter(({ endpoint }) => endpoint === 'authorisation')
  const links = new Set(visits.map((each) => queryOf(each).get('request')))
  if (lastSaid(run).end !== 'refused' || links.size !== 1) return
  throw new NotApplicable('the client connects a customer once')
}

/** If the bank refused a request because of a broken rule, ends as blocked by that rule. */
export function requireUnbroken(run: ScenarioRun): void {
  for (const exchange of run.exchanges.toReversed()) {
    const [rule] = run.broken(exchange)
    if (!rule || !seenOf(exchange).refusal) continue
    const why = seenOf(exchange).refusal?.detail
    throw new Blocked({ kind: 'check', id: rule }, `the bank refused a request: ${why}`, exchange)
  }
}

/**
 * The client has the data: it says so, and the bank gave it some. Not applicable to a
 * client that continued but sent no request to which this bank answers differently.
 */
export function survives(run: ScenarioRun, cause = run.altered[0]): void {
  const { end, words, goal } = lastSaid(run)
  if (end === 'refused') {
    requireUnbroken(run)
    const said = `it says: ${words || 'nothing'}${lastRefusal(run)}`
    throw new Nonconformance({
      message: run.scenario.control
        ? `the client does not read from the correct bank; ${said}`
        : givenUp(run),
      expected: 'the client continues, and says that it has what it was asked for',
      actual: `asked to ${goal} ${said}`,
      exchange: cause ?? refusedLast(run),
    })
  }
  const got = dataIn(run.exchanges).filter((each) => seenOf(each).goal === goal)
  if (got.length > 0) {
    if (!run.scenario.alteration || run.altered.length > 0) return
    throw new NotApplicable('the client asks for nothing in which this bank differs')
  }
  throw new Nonconformance({
    message:
      'client and bank disagree: the client says that it has the data, the bank gave it none',
    expected: 'an answer with data',
    actual: 'no request for data that the bank answered with 200',
    exchange: cause,
  })
}

/** That the client gave up, and what the bank refused during its last task. */
function givenUp(run: ScenarioRun): string {
  const { goal } = lastSaid(run)
  const refused = run.exchanges.findLast(
    (each) =>
      seenOf(each).goal === goal && seenOf(each).refusal && each.request.method !== 'CONNECT',
  )
  if (!refused) return 'the client gave up although nothing was wrong'
  const { method } = refused.request
  const what = `${method} ${new URL(refused.request.url).pathname}`
  return `the client gave up after the bank refused ${what}: ${seenOf(refused).refusal?.detail}`
}

/** The client rejects the answer of the authorisation page, and redeems no code. */
export function refusesTheCode(run: ScenarioRun, what: string): void {
  const altered = requireAltered(run, 'sends a customer to the bank')
  const redeemed = redemptions(after(run, altered))[0]
  if (redeemed) {
    const { end } = lastSaid(run)
    throw new Nonconformance({
      message:
        end === 'refused'
          ? `client and bank disagree: the client says that it refused ${what}, and redeemed the code all the same`
          : `the client accepts ${what}`,
      expected: 'no token request with the code',
      actual: `the code was redeemed: ${redeemed.response?.status ?? 'no answer'}`,
      exchange: redeemed,
    })
  }
  requireRefusal(run, what, altered)
}

/** The client rejects the answer of the token endpoint: it never uses the access token in that answer. */
export function refusesTheTokens(run: ScenarioRun, what: string): void {
  const altered = requireAltered(run, 'redeems its code')
  const values = run.altered.map(({ response }) => String(member(response?.json, 'access_token')))
  const used = after(run, altered).find(
    (each) =>
      DATA.includes(each.endpoint) &&
      values.some((value) => sent(each, 'authorization')?.endsWith(value)),
  )
  if (used) {
    const { end } = lastSaid(run)
    throw new Nonconformance({
      message:
        end === 'refused'
          ? `client and bank disagree: the client says that it refused ${what}, and read data all the same`
          : `the client accepts ${what}`,
      expected: 'no request for data with the access token that came beside it',
      actual: `${used.request.method} ${used.endpoint} was sent`,
      exchange: used,
    })
  }
  requireRefusal(run, what, altered)
}

/** After the bank refused a request, the client retries it a few times at most, and sends nothing that needs it. */
export function stopsThere(
  run: ScenarioRun,
  altered: Exchange,
  { what, needs, message }: { what: string; needs: Exchange['endpoint']; message: string },
): void {
  const next = after(run, altered).find(({ endpoint }) => endpoint === needs)
  if (next) {
    const expected = `no request to the ${needs} endpoint`
    throw new Nonconformance({ message, expected, actual: 'such a request', exchange: next })
  }
  givesUp(failing(run, altered))
  requireRefusal(run, what, altered)
}

/**
 * Failed requests to the endpoint of an altered one. If the same bytes are sent
 * again, the bank may refuse them for that reason, before it applies the alteration.
 */
function failing({ exchanges }: ScenarioRun, altered: Exchange): Exchange[] {
  return exchanges.filter(
    ({ endpoint, response }) => endpoint === altered.endpoint && (response?.status ?? 500) >= 400,
  )
}

/** The client says that its task failed. */
export function requireRefusal(run: ScenarioRun, what: string, cause?: Exchange): void {
  const { end, goal } = lastSaid(run)
  if (end === 'refused') return
  throw new Nonconformance({
    message: `client and bank disagree: asked to ${goal} the client says that all went well, in spite of ${what}`,
    expected: 'the client says that it refused, or did not get it',
    actual: 'it says that it has what it was asked for',
    exchange: cause ?? run.altered[0],
  })
}

/** Parameters that ask for something else: filters, and pages. Others may count the attempts, for caches. */
const ASKS = /BookingDateTime$|page|offset|cursor/i

/**
 * What a request asks for. Transactions of another period are another request; the time of day in a filter may be that
 * of the attempt.
 */
export function attempted({ endpoint, request }: Exchange): string {
  const { pathname, searchParams } = new URL(request.url)
  const asked = DATA.includes(endpoint) ? [...searchParams].filter(([name]) => ASKS.test(name)) : []
  const filters = asked.map(([name, value]) => ` ${name} ${value.replace(/(?<=\d)T.*/i, '')}`)
  return `${request.method} ${pathname}${filters.join('')}`
}

/** How often a client may repeat one request: a program that tries three times, on a library that does so too. */
const PATIENCE = 10

/** The client stops repeating the same request after some attempts. */
export function givesUp(refused: Exchange[], patience = PATIENCE): void {
  const times = new Map<string, number>()
  for (const what of refused.map(attempted)) times.set(what, (times.get(what) ?? 0) + 1)
  const [what, most] = [...times].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0])
  if (most <= patience) return
  throw new Nonconformance({
    message: 'the client keeps asking',
    expected: `at most ${patience} attempts`,
    actual: `${most}${most < MOST_ALIKE ? '' : ' or more'} attempts of ${what}`,
    exchange: refused.at(-1),
  })
}

/**
 * The client stops after some attempts of what the bank does not give, and says that it failed.
 *
 * @param does what it does for that, as the end of “a client that …”
 */
export function givesUpAndSaysSo(run: ScenarioRun, does: string, what: string): void {
  const altered = requireAltered(run, does)
  givesUp(run.altered)
  requireRefusal(run, what, altered)
}

/** Judges a client that had to be stopped: it may have kept repeating the altered request. */
export const neverGivesUp = {
  unending(run: ScenarioRun) {
    const [first] = run.altered
    givesUp(run.altered)
    if (first) givesUp(failing(run, first))
  },
}

/** Ends as not applicable for a client that sends no state, which is optional. */
export function requireState({ exchanges }: ScenarioRun): void {
  const visits = exchanges.filter(({ endpoint }) => endpoint === 'authorisation')
  const stateless = visits.every(
    (each) => !queryOf(each).get('state') && !requestObjectOf(each)?.claims.state,
  )
  if (stateless && visits.length > 0) throw new NotApplicable('the client sends no state')
}
