import { uptime } from 'node:os'

/** The clocks of a machine, each in milliseconds. */
export interface Clocks {
  /** Time since the epoch; it can be set while the process runs. */
  wall(): number
  /** Time since an arbitrary instant; nobody can set it. */
  monotonic(): number
  /** Time since the machine started, including sleep; NaN if the machine does not report it. */
  uptime(): number
}

/** If two clocks drift apart by more than this many milliseconds, one of them was set or the machine slept. */
const LEAST = 5000

/**
 * A clock that runs steadily even while the wall clock is set, by hand or by NTP. Until then it shows the wall clock's
 * time. It follows a clock that NTP slews.
 *
 * Each reading compares how far the wall clock and the monotonic clock have moved since the previous reading. Where
 * they differ by more than five seconds, the uptime shows the cause: it moves with the wall clock while the machine
 * sleeps, and with the monotonic clock where the wall clock was set. After a sleep the wall clock is right, so this
 * clock follows it.
 *
 * Where the machine cannot tell, the time that others report decides. A virtual machine that was paused has its wall
 * clock corrected, and so has one that started with a wrong clock. If the first time that is heard after a step differs
 * from the wall clock by as much as it differed from this clock before, this clock follows the wall clock after all.
 *
 * @param onStep is called once for each step.
 */
export function clockFrom(clocks: Clocks, onStep: (step: Step) => void = () => {}) {
  let correction = 0
  /** Milliseconds by which the time heard last is ahead of this clock. */
  let offset = 0
  /** Milliseconds of steps for which no heard time has yet decided whether to follow them. */
  let doubtful = 0
  let before = reading(clocks)
  let asleep = timeAsleep(clocks)

  const isFar = ({ ahead }: Reading) => Math.abs(ahead - before.ahead) > LEAST
  const settle = ({ ahead }: Reading) => {
    const total = timeAsleep(clocks)
    const slept = total - asleep
    asleep = total
    const step = Math.round(ahead - before.ahead - (slept > LEAST ? slept : 0))
    if (Math.abs(step) <= LEAST) return
    correction -= step
    doubtful += step
    onStep({ milliseconds: step })
  }
  const now = (): number => {
    let read = reading(clocks)
    // The process may have been stopped between the two readings.
    if (isFar(read)) read = reading(clocks)
    if (isFar(read)) settle(read)
    before = read
    return read.wall + correction
  }

  return {
    /** Milliseconds since the epoch. */
    now,
    /** Takes the time that another machine reports: milliseconds since the epoch, right to a second or two. */
    heard(time: number): void {
      const difference = time - now()
      if (doubtful === 0) {
        offset = difference
        return
      }
      const agrees = (other: number) => Math.abs(other - offset) <= LEAST
      const [stays, follows] = [agrees(difference), agrees(difference - doubtful)]
      // Where both fit or neither fits, another source may decide.
      if (stays === follows) return
      if (follows) {
        correction += doubtful
        onStep({ milliseconds: doubtful, followed: true })
      }
      doubtful = 0
    },
    /** Milliseconds by which this clock is ahead of the wall clock. */
    correction(): number {
      now()
      return correction
    },
    /** Starts from the current wall clock and this correction: earlier steps no longer count. */
    restart(from = 0): void {
      correction = from
      doubtful = 0
      offset = 0
      before = reading(clocks)
      asleep = timeAsleep(clocks)
    },
  }
}

/** The wall clock was set. */
export interface Step {
  /** Positive if it was set forward. */
  milliseconds: number
  /** The heard time agrees with the wall clock: the wall clock was corrected, and this clock follows it. */
  followed?: true
}

interface Reading {
  wall: number
  /** Milliseconds by which the wall clock is ahead of the monotonic clock. */
  ahead: number
}

function reading({ wall, monotonic }: Clocks): Reading {
  const time = wall()
  return { wall: time, ahead: time - monotonic() }
}

/** Milliseconds of sleep that the monotonic clock does not count, plus a constant. */
const timeAsleep = ({ uptime, monotonic }: Clocks): number => uptime() - monotonic()

function millisecondsUp(): number {
  try {
    return uptime() * 1000
  } catch {
    return Number.NaN
  }
}

/** Steps that happened before a listener was set. */
let untold: Step[] = []
let listener = (step: Step): void => void untold.push(step)

const clock = clockFrom(
  {
    wall: () => Date.now(),
    monotonic: () => performance.now(),
    uptime: millisecondsUp,
  },
  (step) => listener(step),
)

/**
 * The time in milliseconds since the epoch, from a clock that is not affected when the wall clock is set: see
 * clockFrom. Engine and suites use only this for the time of day, and `performance.now()` for durations. Each process
 * has its own clock; the process that judges starts with the correction of its parent process.
 *
 * - Linux: the monotonic clock stops while the machine sleeps, and the uptime does not. Both cases are told apart.
 * - macOS: the monotonic clock runs during sleep. The uptime is computed from the start time, which the system moves
 *   when its clock is set. This was not tried on a machine.
 * - Windows: monotonic clock and uptime both run during sleep. This was not tried on a machine.
 * - A virtual machine that is paused, or whose host sleeps, may lose that time on all clocks. When its wall clock is
 *   corrected afterwards, this looks like a step until the bank's next answer tells its time.
 * - A bank on the same machine uses the wall clock: its answers say so, and this clock follows the wall clock.
 *
 * The wall clock still decides whether OpenSSL accepts a certificate as valid, which cookies a browser has, and what
 * the reference bank and drivers in other processes use as the time.
 */
export const { now, heard: heardTime } = clock

/** See clockFrom; these belong to the clock of this process. */
export const { correction: clockCorrection, restart: restartClock } = clock

/** Sets the one listener for steps of the wall clock that this process notices, including earlier ones. */
export function onClockStep(tell: (step: Step) => void): void {
  listener = tell
  for (const step of untold) tell(step)
  untold = []
}
