import { answerOf } from '../judge/answer-words.ts'
import { member } from '../judge/data-rows.ts'
import { refused, succeeded } from '../judge/matchers.ts'
import type { Finding } from '../judge/rule.ts'
import type { Obligation } from '../model/sentences.ts'
import type { Outcome } from '../model/world.ts'
import type { Exchange } from '../wire/exchange.ts'

/** The outcome of a move at one exchange. A rate limit or a gateway failure says nothing. */
export function outcomeOf(exchange: Exchange): Outcome {
  const { response, unavailable } = exchange
  if (unavailable !== undefined || response?.status === 429) return 'unknown'
  if (succeeded(exchange)) return 'given'
  return refused(exchange) ? 'refused' : 'unknown'
}

/** The outcome where a 2xx answer lacks what it must contain. */
export function outcomeWithout(exchange: Exchange): Outcome {
  const outcome = outcomeOf(exchange)
  return outcome === 'given' ? 'refused' : outcome
}

/**
 * What is wrong with an answer according to the documents; undefined if it is lawful.
 *
 * @param words what came, where the status does not show it: `a code`
 */
export function findingIn(
  exchange: Exchange,
  outcome: Outcome,
  obligation: Obligation | undefined,
  words: string = answerOf(exchange),
): Finding | undefined {
  if (!obligation || outcome === 'unknown') return undefined
  if (obligation.answer === 'refused') {
    if (outcome === 'refused' || isPage(exchange)) return undefined
    return { message: `${words}, and no refusal`, expected: 'a refusal', actual: words }
  }
  const { status, shows } = obligation
  if (outcome === 'refused') {
    return { message: `refused: ${words}`, expected: 'what is asked for', actual: words }
  }
  const actual = exchange.response?.status
  if (status !== undefined && actual !== status) {
    return { message: `${words} instead of ${status}`, expected: String(status), actual: words }
  }
  const shown = member(exchange.response?.json, 'Data', 'Status')
  if (shows === undefined || shown === shows) return undefined
  const message = `Data.Status is ${String(shown)} instead of ${shows}`
  return { message, expected: shows, actual: String(shown), place: '/Data/Status' }
}

/** A success that is no JSON gives nothing: a firewall may answer what looks like an attack by a page. */
const isPage = ({ response }: Exchange): boolean =>
  response?.json === undefined && response?.body.trimStart().startsWith('<') === true
