import { AsyncLocalStorage } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import type { Matched } from '../record/check-result.ts'
import type { Outcome } from '../record/words.ts'
import type { Exchange } from '../wire/exchange.ts'

/** The same request without the deviation, which the bank served just before a negative. */
export interface Control {
  exchange: Exchange
  /** What the exchange shows, in words of ours: nothing that the bank said. */
  summary: string
}

/** What one check has relied on so far, and what it has judged. */
export interface Controls {
  held: Control[]
  /** Of these, the last one before the latest answer to a deviation was judged. */
  ofNegative?: Control
  negative: boolean
  /** What answers were held to; `broken`: it did not hold. */
  matched: (Matched & { broken: boolean })[]
}

const storage = new AsyncLocalStorage<Controls>()

/** Runs a check, and says afterwards which control its negative had. */
export async function withControls<T>(run: (controls: Controls) => Promise<T>): Promise<T> {
  const controls: Controls = { held: [], negative: false, matched: [] }
  return storage.run(controls, () => run(controls))
}

/** Notes a control that held; of several, a negative takes the last one. */
export function noteControl(control: Control): void {
  storage.getStore()?.held.push(control)
}

/** Notes that an exchange is judged: one that deviates makes the check a negative. */
export function noteJudged({ about }: Exchange): void {
  if (about.deviation !== undefined) noteNegative()
}

/** Notes that the check judges what must not succeed, whether an answer came or none. */
export function noteNegative(): void {
  const controls = storage.getStore()
  if (!controls) return
  controls.negative = true
  controls.ofNegative = controls.held.at(-1) ?? controls.ofNegative
}

/** Notes what the answer of an exchange was held to, by the name of a matcher, and whether it was not that. */
export function noteMatched(
  { id: exchange }: Exchange,
  by: string,
  broken: boolean,
  rest: unknown[] = [],
): void {
  const { matched } = storage.getStore() ?? {}
  if (!matched || matched.length === MOST_MATCHED) return
  const statuses = rest.filter((each) => typeof each === 'number')
  const note = { exchange, by, ...(statuses.length > 0 && { statuses }), broken }
  if (!matched.some((other) => isDeepStrictEqual(other, note))) matched.push(note)
}

/** What of it goes into the result: a check that passes may have tried what need not hold. */
export function matchedOf({ matched }: Controls, outcome: Outcome): Matched[] {
  return matched
    .filter(({ broken }) => !broken || outcome !== 'pass')
    .map(({ broken: _, ...rest }) => rest)
}

/** Of one check. */
const MOST_MATCHED = 100

/**
 * Something that is done once and then remembered: the controls that held while it was done are
 * those of every check that asks for it.
 */
export function remembered<T>(run: () => Promise<T>): () => Promise<T> {
  const held: Control[] = []
  const done = storage.run({ held, negative: false, matched: [] }, run)
  done.catch(() => {})
  return async () => {
    const value = await done
    for (const control of held) noteControl(control)
    return value
  }
}
