import type { Level } from '../catalogue/catalogue.ts'
import type { CheckResult, Matched } from '../record/check-result.ts'
import type { Exchange } from '../wire/exchange.ts'
import { type Control, matchedOf, withControls } from './controls.ts'
import { environmentOf } from './expect.ts'
import { Blocked, type Cause, Nonconformance, NotApplicable } from './outcome.ts'

/** An active test: a stimulus, then one verdict. `C` is the context that `run` gets. */
export interface Check<C = never> {
  /** TXN-17/to-alone; the part before the slash is the requirement. */
  id: string
  /** A sentence about the bank. */
  title: string
  run: (context: C) => Promise<void>
}

/** The result of one check before redaction. */
export interface Judged
  extends Pick<CheckResult, 'id' | 'outcome' | 'message' | 'expected' | 'actual' | 'durationMs'> {
  place?: string
  /** Names of the table cells whose answer was wrong. */
  brokenCells?: readonly string[]
  /** The offending exchange. */
  exchange?: Exchange
  control?: Control
  matched?: Matched[]
  /** True if the check judged a response to a deviation. */
  negative: boolean
  because?: Cause
}

/**
 * Runs a check and returns its outcome. Never throws. `brokenRule` names a rule that an exchange of this check broke.
 * If the check then fails to read what the bank sent, that rule is the cause.
 */
export async function judge<C>(
  check: Check<C>,
  context: C,
  level: Level,
  brokenRule: () => string | undefined,
): Promise<Judged> {
  const started = performance.now()
  return withControls(async (controls) => {
    const judged = await outcomeOf(check, context, level, brokenRule)
    const { negative, ofNegative: control } = controls
    const matched = matchedOf(controls, judged.outcome)
    const ended = { ...judged, control, matched, negative }
    return { id: check.id, ...ended, durationMs: performance.now() - started }
  })
}

type Judgement = Omit<Judged, 'id' | 'durationMs' | 'control' | 'matched' | 'negative'>

async function outcomeOf<C>(
  check: Check<C>,
  context: C,
  level: Level,
  brokenRule: () => string | undefined,
): Promise<Judgement> {
  try {
    await check.run(context)
    return { outcome: level === 'observe' ? 'observed' : 'pass', message: '' }
  } catch (error) {
    // Whatever the check concluded from an exchange that says nothing about the bank, no check is at fault.
    const blamed =
      error instanceof Nonconformance ||
      (error instanceof Blocked && error.because.kind === 'check')
    const outside = blamed && error.exchange && environmentOf(error.exchange)
    const rule = stumbled(error) ? brokenRule() : undefined
    const unread = rule === undefined ? error : unreadable(rule)
    const blocked = outside || (unread instanceof Blocked && unread)
    if (blocked) {
      const { message, because, exchange } = blocked
      return { outcome: 'blocked', message, because, exchange }
    }
    if (error instanceof Nonconformance) {
      const { message, expected, actual, place, exchange, cells: brokenCells } = error
      return { outcome: worst(level), message, expected, actual, place, exchange, brokenCells }
    }
    if (error instanceof NotApplicable) {
      return { outcome: 'not-applicable', message: error.message }
    }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { outcome: 'error', message }
  }
}

/** Ends a check that could not read a response that broke a rule. */
export function unreadable(rule: string): Blocked {
  return new Blocked({ kind: 'check', id: rule }, `the answer breaks ${rule} and cannot be read`)
}

/** True for the errors that reading unexpected data throws, as opposed to faults of Assay's own. */
export function stumbled(error: unknown): boolean {
  return [TypeError, RangeError, SyntaxError, URIError].some((kind) => error instanceof kind)
}

/** The outcome of a violation at this level. */
export function worst(level: Level): 'fail' | 'warn' | 'observed' {
  if (level === 'must') return 'fail'
  return level === 'should' ? 'warn' : 'observed'
}
