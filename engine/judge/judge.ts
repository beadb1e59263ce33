import type { Level } from '../catalogue/catalogue.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Check } from './check.ts'
import { Blocked, type Cause, Nonconformance, NotApplicable, type Outcome } from './outcome.ts'

/** One check, judged; raw: nothing here has been redacted. */
export interface Judged {
  id: string
  outcome: Outcome
  message: string
  expected?: string
  actual?: string
  place?: string
  /** The offending exchange. */
  exchange?: Exchange
  because?: Cause
  durationMs: number
}

/**
 * Runs a check and says how it ended. Never throws. `brokenRule` names a rule that an exchange of
 * this check broke: when the check then stumbles over what the bank sent, that is the bank's doing.
 */
export async function judge<C>(
  check: Check<C>,
  context: C,
  level: Level,
  brokenRule: () => string | undefined,
): Promise<Judged> {
  const started = performance.now()
  const done = (judged: Omit<Judged, 'id' | 'durationMs'>): Judged => ({
    id: check.id,
    ...judged,
    durationMs: performance.now() - started,
  })
  try {
    await check.run(context)
    return done({ outcome: level === 'observe' ? 'observed' : 'pass', message: '' })
  } catch (error) {
    if (error instanceof Nonconformance) {
      const { message, expected, actual, place, exchange } = error
      return done({ outcome: worst(level), message, expected, actual, place, exchange })
    }
    if (error instanceof Blocked) {
      const { message, because, exchange } = error
      return done({ outcome: 'blocked', message, because, exchange })
    }
    if (error instanceof NotApplicable) {
      return done({ outcome: 'not-applicable', message: error.message })
    }
    const rule = brokenRule()
    if (rule) {
      const message = `the answer breaks ${rule} and cannot be read`
      return done({ outcome: 'blocked', message, because: { kind: 'check', id: rule } })
    }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return done({ outcome: 'error', message })
  }
}

/** What a violation amounts to at this level. */
export function worst(level: Level): 'fail' | 'warn' | 'observed' {
  if (level === 'must') return 'fail'
  return level === 'should' ? 'warn' : 'observed'
}
