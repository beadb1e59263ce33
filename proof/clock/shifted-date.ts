const RealDate = globalThis.Date

/**
 * Shifts every `Date` of this process from now on. Monotonic clocks do not change.
 *
 * @param ahead milliseconds by which it is ahead of the machine; called each time.
 */
export function shiftDate(ahead: () => number): void {
  class ShiftedDate extends RealDate {
    constructor(...parts: unknown[]) {
      if (parts.length === 0) super(ShiftedDate.now())
      else super(...(parts as [number]))
    }

    static override now(): number {
      return machineTime() + ahead()
    }
  }
  globalThis.Date = ShiftedDate as DateConstructor
}

/** Milliseconds since the epoch, by the system clock. */
export function machineTime(): number {
  return RealDate.now()
}
