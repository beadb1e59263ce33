import { type Exchange, refusesConnection, type WireFailure } from '../wire/exchange.ts'
import { answerOf } from './answer-words.ts'
import { noteControl, noteJudged, noteMatched } from './controls.ts'
import { matchers, ON_RECORD, succeeded } from './matchers.ts'
import { Blocked, Nonconformance } from './outcome.ts'
import type { Finding } from './rule.ts'

type Matchers = typeof matchers
type Expectation = {
  [Name in keyof Matchers]: Matchers[Name] extends (
    exchange: Exchange,
    ...rest: infer Rest
  ) => Finding | undefined
    ? (...rest: Rest) => void
    : never
}

/**
 * Judges one exchange: a matcher that finds something ends the check with its finding. An exchange
 * that the environment affected (no answer came, or the line was cut) ends it as blocked.
 *
 * @throws Nonconformance by a matcher, Blocked.
 */
export function expect(exchange: Exchange): Expectation {
  requireReachable(exchange)
  noteJudged(exchange)
  return matching(exchange, (finding, name, rest) => {
    if (ON_RECORD.has(name)) noteMatched(exchange, name, finding !== undefined, rest)
    if (finding) throw new Nonconformance({ ...finding, exchange })
  })
}

const NEGATIVES = new Set(['toBeRefused', 'toGiveNoToken', 'toBeAnError'])

/** Ends the check with a finding about values that no matcher covers. */
export function expectThat(
  holds: boolean,
  finding: Finding & { exchange?: Exchange },
): asserts holds {
  if (finding.exchange) noteJudged(finding.exchange)
  if (!holds) throw new Nonconformance(finding)
}

/** Matchers that show the documented request to be served: what a negative differs from. */
const CONTROLS: readonly string[] = ['toSucceed', 'toHaveStatus', 'toGiveAToken']

/**
 * Looks at what this check takes for granted, by the same matchers as `expect`: where one finds
 * something, the check that owns this exchange is the cause, and this one is blocked by it. A request
 * that is served is the control of the negative that follows.
 *
 * @param owner id of the check or rule that judges this exchange.
 * @throws Blocked by a matcher.
 */
export function relyOn(owner: string, exchange: Exchange): Expectation {
  requireReachable(exchange)
  const sent = `${exchange.request.method} ${exchange.endpoint}`
  return matching(exchange, (finding, name) => {
    if (finding) {
      const why = `relies on ${owner}: ${sent} ${finding.message}`
      throw new Blocked({ kind: 'check', id: owner }, why, exchange)
    }
    const correct = exchange.about.deviation === undefined && succeeded(exchange)
    if (correct && CONTROLS.includes(name)) {
      noteControl({ exchange, summary: `${sent}: ${answerOf(exchange)}` })
    }
  })
}

/**
 * Ends the check as blocked where no answer came and that says nothing of the bank: it was not
 * reached, it was silent, the line was cut, which a gateway in trouble does as well as a bank that
 * refuses, or it says that it cannot serve now. What is no HTTP is an answer; an alert about certificates
 * refuses a wrong request, and no right one.
 */
export function requireReachable(exchange: Exchange): void {
  const blocked = environmentOf(exchange)
  if (blocked) throw blocked
}

/** Why an exchange says nothing of how the bank answers; undefined where it does. */
export function environmentOf(exchange: Exchange): Blocked | undefined {
  const { failure, about, unavailable, request } = exchange
  if (unavailable !== undefined) {
    const what = `${request.method} ${exchange.endpoint} ${unavailable}`
    return new Blocked({ kind: 'environment', what }, what, exchange)
  }
  // Where a client is judged, the bank itself tells how the exchange ended.
  if (about.seen) return undefined
  if (!failure || failure.alone || failure.kind === 'garbage') return undefined
  if (about.deviation !== undefined && refusesConnection(failure)) return undefined
  return unexplained(exchange, failure)
}

function unexplained(exchange: Exchange, { kind, code, message }: WireFailure): Blocked {
  const at = URL.canParse(exchange.request.url) ? new URL(exchange.request.url).origin : 'the bank'
  const what = `${at}: ${kind}: ${message}`
  const words = code === 'MEMORY' ? NO_ROOM : WORDS[kind]
  return new Blocked({ kind: 'environment', what }, `${words}: ${message}`, exchange)
}

const NO_ROOM = 'the answer is larger than this process can hold'

const WORDS: Record<WireFailure['kind'], string> = {
  unreachable: 'the bank was not reached',
  untrusted: 'the bank was not reached',
  timeout: 'no answer came, and silence is no refusal',
  closed: 'the connection was cut, and nothing tells a refusal from trouble',
  'tls-alert': 'the handshake was refused, and nothing tells a refusal from trouble',
  garbage: 'the answer is no HTTP',
  'too-large': 'the answer is larger than the target allows, write a larger maxResponseSize',
}

function matching(
  exchange: Exchange,
  found: (finding: Finding | undefined, name: string, rest: unknown[]) => void,
): Expectation {
  type Match = (exchange: Exchange, ...rest: unknown[]) => Finding | undefined
  const judging = Object.entries(matchers).map(([name, match]) => [
    name,
    (...rest: unknown[]) => {
      const finding = (match as Match)(exchange, ...rest)
      const { failure } = exchange
      // What is no HTTP serves nothing and refuses nothing.
      if (finding && failure && NEGATIVES.has(name)) throw unexplained(exchange, failure)
      found(finding, name, rest)
    },
  ])
  return Object.fromEntries(judging)
}
