const RealDate = globalThis.Date

/**
 * Has every `Date` of this process tell another time from now on. Monotonic clocks stay as they are.
 *
 * @param ahead milliseconds by which it is ahead of the machine; asked each time.
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

/** Milliseconds since the epoch, by the machine. */
export function machineTime(): number {
  return RealDate.now()
}
