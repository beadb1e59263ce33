import type { Exchange } from '../wire/exchange.ts'
import { answerOf, matchers, succeeded } from './matchers.ts'
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
 * that the environment spoilt (the bank could not be reached at all) ends it as blocked.
 */
export function expect(exchange: Exchange): Expectation {
  environment(exchange)
  return Object.fromEntries(
    Object.entries(matchers).map(([name, match]) => [
      name,
      (...rest: unknown[]) => {
        const finding = (match as (x: Exchange, ...rest: unknown[]) => Finding | undefined)(
          exchange,
          ...rest,
        )
        if (finding) throw new Nonconformance({ ...finding, exchange })
      },
    ]),
  ) as unknown as Expectation
}

/** Ends the check with a finding about values that no matcher covers. */
export function expectThat(
  holds: boolean,
  finding: {
    message: string
    expected: string
    actual: string
    exchange?: Exchange
    place?: string
  },
): asserts holds {
  if (!holds) throw new Nonconformance(finding)
}

/**
 * A control: the same request without the deviation has just succeeded. Where it did not, the check
 * that owns this request is the cause, and the negative shows nothing.
 */
export function relyOn(owner: string, exchange: Exchange): void {
  environment(exchange)
  if (succeeded(exchange)) return
  throw new Blocked(
    { kind: 'check', id: owner },
    `its control did not succeed: ${exchange.request.method} ${exchange.endpoint} answered ${answerOf(exchange)}`,
    exchange,
  )
}

/** Ends the check as blocked when the bank could not be reached or our trust store refuses it. */
export function environment(exchange: Exchange): void {
  const { failure } = exchange
  if (failure?.kind !== 'unreachable' && failure?.kind !== 'untrusted') return
  throw new Blocked(
    { kind: 'environment', what: `${failure.kind}: ${failure.message}` },
    `the bank was not reached: ${failure.message}`,
    exchange,
  )
}
