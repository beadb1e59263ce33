import { AsyncLocalStorage } from 'node:async_hooks'
import type { Exchange } from '../wire/exchange.ts'

/** The same request without the deviation, which the bank served just before a negative. */
export interface Control {
  exchange: Exchange
  /** What the exchange shows, in words of ours: nothing that the bank said. */
  summary: string
}

/** What one check has relied on so far, and what it has judged. */
interface Controls {
  held: Control[]
  /** Of these, the last one before the latest answer to a deviation was judged. */
  ofNegative?: Control
  negative: boolean
}

const storage = new AsyncLocalStorage<Controls>()

/** Runs a check, and says afterwards which control its negative had. */
export async function withControls<T>(run: (controls: Controls) => Promise<T>): Promise<T> {
  const controls: Controls = { held: [], negative: false }
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

/**
 * Something that is done once and then remembered: the controls that held while it was done are
 * those of every check that asks for it.
 */
export function remembered<T>(run: () => Promise<T>): () => Promise<T> {
  const held: Control[] = []
  const done = storage.run({ held, negative: false }, run)
  done.catch(() => {})
  return async () => {
    const value = await done
    for (const control of held) noteControl(control)
    return value
  }
}
