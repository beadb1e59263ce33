import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { DAY } from '../../engine/record/durations.ts'
import type { Moment } from './turned-clock.ts'

/** Days with a calendar change, and hours: a moment is one of each. */

export interface NamedMoment extends Moment {
  day: string
  hour: string
}

interface Day {
  name: string
  /** Midnight UTC, in milliseconds since 1970. */
  begins: number
  /** The last seconds before the change: a run that starts then covers both sides. */
  turn: string
}

const ZONES = ['Europe/London', 'UTC', 'America/St_Johns', 'Pacific/Kiritimati']

/** The latest such days that are completely over on the day of `now`. */
export function daysBefore(now: number): Day[] {
  const today = new Date(Math.floor(now / DAY) * DAY)
  const latest = (month: number, day: number, every = 1) => {
    for (let year = today.getUTCFullYear(); ; year -= 1) {
      const begins = Date.UTC(year, month, day)
      if (year % every === 0 && begins < today.getTime() - DAY) return begins
    }
  }
  const lastSunday = (month: number) => {
    for (let year = today.getUTCFullYear(); ; year -= 1) {
      const last = Date.UTC(year, month + 1, 0)
      const begins = last - new Date(last).getUTCDay() * DAY
      if (begins < today.getTime() - DAY) return begins
    }
  }
  const midnight = '23:59:58'
  const switchOfClocks = '00:59:58'
  return [
    { name: 'an ordinary day', begins: latest(5, 17), turn: midnight },
    { name: 'the first of a month', begins: latest(8, 1), turn: midnight },
    { name: 'the last of a month', begins: latest(3, 30), turn: midnight },
    { name: 'the first of a year', begins: latest(0, 1), turn: midnight },
    { name: 'the last of a year', begins: latest(11, 31), turn: midnight },
    { name: '28 February', begins: latest(1, 28), turn: midnight },
    { name: '29 February', begins: latest(1, 29, 4), turn: midnight },
    { name: 'London’s clocks go forward', begins: lastSunday(2), turn: switchOfClocks },
    { name: 'London’s clocks go back', begins: lastSunday(9), turn: switchOfClocks },
  ]
}

const TURN = 24

/** Each hour of each of the days, and the last seconds before each change. */
export function everyMoment(now: number): NamedMoment[] {
  return daysBefore(now).flatMap((day) =>
    Array.from({ length: TURN + 1 }, (_, hour) => momentOf(day, hour)),
  )
}

/** The smallest set with each hour and each change once, and each day about equally often. */
export function pairedMoments(now: number, seed: number): NamedMoment[] {
  const days = daysBefore(now)
  const hours = Array.from({ length: TURN }, (_, hour) =>
    momentOf(days[(hour + seed) % days.length] as Day, hour),
  )
  return [...hours, ...days.map((day) => momentOf(day, TURN))]
}

/** Some of all moments; the same text draws the same ones. */
export function drawnMoments(now: number, text: string, count: number): NamedMoment[] {
  const all = everyMoment(now)
  return Array.from({ length: count }, (_, index) => {
    const place = numberOf(`${text} ${index}`) % all.length
    return all.splice(place, 1)[0] as NamedMoment
  })
}

/** A fixed time within the hour, and a fixed zone, for each moment. */
function momentOf({ name, begins, turn }: Day, hour: number): NamedMoment {
  const drawn = numberOf(`${name} ${hour}`)
  const day = new Date(begins).toISOString().slice(0, 10)
  const two = (value: number) => String(value).padStart(2, '0')
  const time = hour === TURN ? turn : `${two(hour)}:${two(drawn % 60)}:${two((drawn >> 8) % 60)}`
  const onLondonsSwitch = turn !== '23:59:58' && hour === TURN
  const zone = onLondonsSwitch ? 'Europe/London' : (ZONES[(drawn >> 16) % ZONES.length] as string)
  return { day: name, hour: hour === TURN ? 'turn' : two(hour), at: `${day}T${time}Z`, zone }
}

const numberOf = (text: string) =>
  createHash('sha256').update(text).digest().readUInt32BE() & 0x7fffffff

/** The commit of this folder; another text when it is not a clone. */
export function commit(): string {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  return stdout?.trim() || 'no commit'
}

/** A number derived from the commit. */
export function drawOfCommit(): number {
  return numberOf(commit())
}
