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
 * Judges one exchange: a matcher that finds a violation ends the check with that finding. An exchange that the
 * environment affected (no response, or a cut connection) ends the check as blocked.
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

/** Ends the check with a finding about values that no matcher covers, unless the condition holds. */
export function expectThat(
  holds: boolean,
  finding: Finding & { exchange?: Exchange },
): asserts holds {
  if (finding.exchange) noteJudged(finding.exchange)
  if (!holds) throw new Nonconformance(finding)
}

/** Matchers that show that the documented request succeeds: the control of a negative test. */
const CONTROLS: readonly string[] = ['toSucceed', 'toHaveStatus', 'toGiveAToken']

/**
 * Verifies what this check takes for granted, with the same matchers as `expect`. Where one finds a violation, the
 * check that owns this exchange is the cause and blocks this one. A request that succeeds is the control of the
 * negative test that follows.
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
 * Ends the check as blocked if the lack of a response says nothing about the bank: it was not reached, it was
 * silent, it says that it cannot serve now, or the connection was cut, which a faulty gateway does as well as a bank
 * that refuses. Data that is not HTTP counts as a response. A TLS alert about certificates counts as a refusal only for
 * a wrong request.
 */
export function requireReachable(exchange: Exchange): void {
  const blocked = environmentOf(exchange)
  if (blocked) throw blocked
}

/** Why an exchange says nothing about how the bank responds; undefined if it does. */
export function environmentOf(exchange: Exchange): Blocked | undefined {
  const { failure, about, unavailable, request } = exchange
  if (unavailable !== undefined) {
    const what = `${request.method} ${exchange.endpoint} ${unavailable}`
    return new Blocked({ kind: 'environment', what }, what, exchange)
  }
  // Where a client is judged, the bank itself reports how the exchange ended.
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
  timeout: 'no answer came, and that is not a refusal',
  closed: 'the connection was cut: a refusal cannot be distinguished from a failure',
  'tls-alert': 'the handshake was refused: a refusal cannot be distinguished from a failure',
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
      // A response that is not HTTP neither serves nor refuses a request.
      if (finding && failure && NEGATIVES.has(name)) throw unexplained(exchange, failure)
      found(finding, name, rest)
    },
  ])
  return Object.fromEntries(judging)
}
