import { type Exchange, header } from '../wire/exchange.ts'
import { type DoctorFinding, note, ok, skipped, wrong } from './finding.ts'

/** A reading of another clock; `ahead` is in seconds, relative to this machine's. */
export interface ClockReading {
  of: 'bank' | 'directory'
  ahead: number
}

/** Compares the Date header (RFC 9110 6.6.1, to the second) with the middle of the exchange. */
export function clockReading(of: ClockReading['of'], exchange: Exchange): ClockReading | undefined {
  const date = Date.parse(header(exchange, 'date') ?? '')
  if (Number.isNaN(date)) return undefined
  const middle = Date.parse(exchange.startedAt) + exchange.durationMs / 2
  // The header is truncated to whole seconds, so it is half a second early on average.
  return { of, ahead: (date + 500 - middle) / 1000 }
}

/**
 * Compares the bank's clock with ours; if they differ, the directory's shows which is wrong.
 *
 * @param answered true if the bank gave any answer that could have had a Date header.
 */
export function clockFinding(
  readings: ClockReading[],
  tolerance: number,
  answered = true,
): DoctorFinding {
  const bank = readings.find(({ of }) => of === 'bank')
  if (!answered) return skipped('because the bank gave no answer')
  if (!bank) return note('the bank sends no Date header: clocks cannot be compared')
  const apart = Math.round(Math.abs(bank.ahead))
  if (apart <= tolerance) return ok(`${apart} s apart, ${tolerance} s are allowed`)
  const words = `the bank's clock is ${apart} s ${bank.ahead > 0 ? 'ahead of' : 'behind'} this machine's`
  const directory = readings.find(({ of }) => of === 'directory')
  if (directory && Math.abs(directory.ahead) <= tolerance) {
    return wrong('bank', `${words}; the directory agrees with this machine`)
  }
  const mend = directory
    ? "Set this machine's clock: the directory's differs as well."
    : "Set this machine's clock by NTP. When it is right, the bank's is wrong: ask the bank."
  return wrong('configuration', words, mend)
}
