import { AsyncLocalStorage } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import type { Matched } from '../record/check-result.ts'
import type { Outcome } from '../record/words.ts'
import type { Exchange } from '../wire/exchange.ts'

/** The same request without the deviation. The bank accepted it just before the negative test. */
export interface Control {
  exchange: Exchange
  /** What the exchange shows, in Assay's own words: nothing that the bank said. */
  summary: string
}

/** What one check has relied on and judged so far. */
export interface Controls {
  held: Control[]
  /** The last of these controls when the latest response to a deviation was judged. */
  ofNegative?: Control
  negative: boolean
  /** Which matchers responses were held to; `broken`: the matcher found a violation. */
  matched: (Matched & { broken: boolean })[]
}

const storage = new AsyncLocalStorage<Controls>()

/** Runs a check with its own set of controls. */
export async function withControls<T>(run: (controls: Controls) => Promise<T>): Promise<T> {
  const controls: Controls = { held: [], negative: false, matched: [] }
  return storage.run(controls, () => run(controls))
}

/** Records a control that succeeded; a negative test uses the latest one. */
export function noteControl(control: Control): void {
  storage.getStore()?.held.push(control)
}

/** Records that an exchange is judged; a deviation in it makes the check a negative test. */
export function noteJudged({ about }: Exchange): void {
  if (about.deviation !== undefined) noteNegative()
}

/** Records that the check judges a request that must not succeed, whether a response came or not. */
export function noteNegative(): void {
  const controls = storage.getStore()
  if (!controls) return
  controls.negative = true
  controls.ofNegative = controls.held.at(-1) ?? controls.ofNegative
}

/** Records which matcher the response of an exchange was held to, and whether the matcher found a violation. */
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

/** The matchers that go into the result. Violated ones are left out of a pass: it may have tried what need not hold. */
export function matchedOf({ matched }: Controls, outcome: Outcome): Matched[] {
  return matched
    .filter(({ broken }) => !broken || outcome !== 'pass')
    .map(({ broken: _, ...rest }) => rest)
}

/** Maximum for one check. */
const MOST_MATCHED = 100

/**
 * Runs something once and remembers its result. Every check that asks for it also gets the controls that succeeded
 * while it ran.
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
