import { uptime } from 'node:os'

/** The clocks of a machine, each in milliseconds. */
export interface Clocks {
  /** Since the epoch; it can be set while the process runs. */
  wall(): number
  /** Since any instant; nobody can set it. */
  monotonic(): number
  /** Since the machine started, with the time that it slept; NaN where the machine does not tell. */
  uptime(): number
}

/** Milliseconds by which two clocks move apart at least where one of them was set, or the machine slept. */
const LEAST = 5000

/**
 * A clock that goes on steadily while the wall clock is set, by hand or by NTP. It shows the wall clock's time until
 * then. A clock that NTP slews is followed.
 *
 * Each reading compares how far the wall clock and the monotonic clock have moved since the reading before. Where they
 * are more than five seconds apart, the uptime tells why: it moves with the wall clock while the machine sleeps, and
 * with the monotonic clock where the wall clock was set. After a sleep the wall clock is right, and is followed.
 *
 * What others say of their time decides where the machine cannot tell: a virtual machine that was paused finds its wall
 * clock put right, and so does one that began with a wrong clock. Where the first time that is heard after a step differs
 * from the wall clock by as much as it differed from this clock before, the wall clock is followed after all.
 *
 * @param onStep told once of each step.
 */
export function clockFrom(clocks: Clocks, onStep: (step: Step) => void = () => {}) {
  let correction = 0
  /** Milliseconds by which the time that was heard last is ahead of this clock. */
  let offset = 0
  /** Milliseconds of steps of which nothing that was heard has told yet whether they are to be followed. */
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
    /** What another machine says of its time, in milliseconds since the epoch and right to a second or two. */
    heard(time: number): void {
      const difference = time - now()
      if (doubtful === 0) {
        offset = difference
        return
      }
      const agrees = (other: number) => Math.abs(other - offset) <= LEAST
      const [stays, follows] = [agrees(difference), agrees(difference - doubtful)]
      // Where both fit or none, somebody else may know.
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
    /** Takes the wall clock as it is now, and this correction: what was set before counts no longer. */
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
  /** Positive where it was set forward. */
  milliseconds: number
  /** What was heard agrees with the wall clock: it was put right, and is followed. */
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

/** Milliseconds that the monotonic clock lacks, but for a constant. */
const timeAsleep = ({ uptime, monotonic }: Clocks): number => uptime() - monotonic()

function millisecondsUp(): number {
  try {
    return uptime() * 1000
  } catch {
    return Number.NaN
  }
}

/** Steps that nobody was told of. */
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
 * The time, in milliseconds since the epoch, by a clock that a set wall clock does not move: see clockFrom. Engine and
 * suites ask nothing else for the time of day, and `performance.now()` for durations. Each process has its own; the one
 * that judges begins with the correction of the one that started it.
 *
 * - Linux: the monotonic clock stands still while the machine sleeps, and the uptime does not. Both are told apart.
 * - macOS: the monotonic clock goes on in a sleep. The uptime is reckoned from the instant of the start, which the system
 *   moves when its clock is set. This was not tried on a machine.
 * - Windows: monotonic clock and uptime both go on in a sleep. This was not tried on a machine.
 * - A virtual machine that is paused, or whose host sleeps, may lose that time on all clocks. When its wall clock is put
 *   right afterwards, this looks like a step until the bank's next answer tells its time.
 * - A bank on the same machine goes by the wall clock: its answers say so, and the wall clock is followed.
 *
 * The wall clock still decides whether OpenSSL takes a certificate to be valid, which cookies a browser has, and what
 * the reference bank and drivers in other processes take the time to be.
 */
export const { now, heard: heardTime } = clock

/** See clockFrom: of the clock of this process. */
export const { correction: clockCorrection, restart: restartClock } = clock

/** Has one listener told of each step of the wall clock that this process notices, and has noticed. */
export function onClockStep(tell: (step: Step) => void): void {
  listener = tell
  for (const step of untold) tell(step)
  untold = []
}
