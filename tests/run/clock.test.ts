import { expect, test } from 'vitest'
import { clockFrom, now, restartClock } from '../../engine/record/clock.ts'
import { watchClock } from '../../engine/run/clock-watch.ts'

const HOUR = 3_600_000
const BEGAN = Date.parse('2026-03-28T12:00:00Z')

/** A machine whose clocks are moved by hand, and what its clock tells. */
function machine({ monotonicInSleep = false, uptimeKnown = true } = {}) {
  const at = { wall: BEGAN, monotonic: 500.25, up: 9 * HOUR }
  /** The right time, which no step of the wall clock moves. */
  let right = BEGAN
  const steps: number[] = []
  const clock = clockFrom(
    {
      wall: () => at.wall,
      monotonic: () => at.monotonic,
      uptime: () => (uptimeKnown ? at.up : Number.NaN),
    },
    ({ milliseconds, followed }) => {
      if (!followed) steps.push(milliseconds)
    },
  )
  const moved = {
    runs(milliseconds: number) {
      at.wall += milliseconds
      at.monotonic += milliseconds
      at.up += milliseconds
      right += milliseconds
    },
    sleeps(milliseconds: number) {
      at.wall += milliseconds
      at.up += milliseconds
      if (monotonicInSleep) at.monotonic += milliseconds
      right += milliseconds
    },
    isSet(milliseconds: number) {
      at.wall += milliseconds
    },
    isRead: () => void clock.now(),
  }
  return { ...moved, clock, steps, at, wrongBy: () => clock.now() - right }
}

type Happening = ['runs' | 'sleeps' | 'isSet' | 'isRead', milliseconds: number]

const STORIES: [string, Happening[], steps: number[]][] = [
  ['nothing happens', [['runs', HOUR]], []],
  ['the clock is set forward', [['isSet', HOUR]], [HOUR]],
  ['the clock is set back', [['isSet', -HOUR]], [-HOUR]],
  [
    'it is set while it runs',
    [
      ['runs', 200],
      ['isSet', 60_000],
    ],
    [60_000],
  ],
  [
    'it is set forward and back',
    [
      ['isSet', HOUR],
      ['isRead', 0],
      ['isSet', -HOUR],
    ],
    [HOUR, -HOUR],
  ],
  ['the machine sleeps', [['sleeps', 8 * HOUR]], []],
  [
    'it sleeps and its clock is set back',
    [
      ['sleeps', 8 * HOUR],
      ['isSet', -HOUR],
    ],
    [-HOUR],
  ],
  [
    'it sleeps, then its clock is set back',
    [
      ['sleeps', HOUR],
      ['isRead', 0],
      ['isSet', -HOUR],
    ],
    [-HOUR],
  ],
]

for (const monotonicInSleep of [false, true]) {
  const kind = monotonicInSleep ? 'goes on' : 'stands still'
  test.each(STORIES)(`%s, where the monotonic clock ${kind} in a sleep`, (_what, story, told) => {
    const of = machine({ monotonicInSleep })
    for (const [happens, milliseconds] of story) of[happens](milliseconds)
    expect(of.wrongBy()).toBe(0)
    of.runs(60_000)
    expect(of.wrongBy()).toBe(0)
    expect(of.steps).toEqual(told)
    expect(of.clock.correction()).toBe(told.reduce((sum, step) => sum - step, 0))
  })
}

test('a clock that is slewed is followed', () => {
  const of = machine()
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    of.runs(60_000)
    of.isSet(30)
    of.clock.now()
  }
  expect(of.clock.now()).toBe(of.at.wall)
  expect(of.steps).toEqual([])
})

test('a process that is stopped between two readings makes no step', () => {
  const times = [0, 0, HOUR, HOUR]
  const steps: number[] = []
  let stopped = 0
  const clock = clockFrom(
    {
      wall: () => BEGAN + stopped,
      monotonic: () => (stopped = times.shift() ?? HOUR),
      uptime: () => stopped,
    },
    ({ milliseconds, followed }) => {
      if (!followed) steps.push(milliseconds)
    },
  )
  expect(clock.now()).toBe(BEGAN + HOUR)
  expect(steps).toEqual([])
})

test('without an uptime what looks like a step is one', () => {
  const of = machine({ uptimeKnown: false })
  of.isSet(HOUR)
  expect(of.wrongBy()).toBe(0)
  expect(of.steps).toEqual([HOUR])
})

test('it takes over the correction of another process', () => {
  const of = machine()
  of.isSet(HOUR)
  of.clock.restart(-HOUR)
  expect(of.wrongBy()).toBe(0)
  expect(of.steps).toEqual([])
  of.clock.restart()
  expect(of.clock.now()).toBe(of.at.wall)
})

const ANSWERS: [
  string,
  (of: ReturnType<typeof machine>, bank: () => number) => void,
  wrongBy: number,
][] = [
  ['a bank whose time goes on: the clock does too', (of, bank) => of.clock.heard(bank()), 0],
  ['a bank whose time moved as well: it is followed', (of) => of.clock.heard(of.at.wall), HOUR],
  [
    'a bank whose time moved otherwise tells nothing',
    (of, bank) => of.clock.heard(bank() + 1e9),
    0,
  ],
  [
    'the first that tells decides',
    (of, bank) => {
      of.clock.heard(bank() + 1e9)
      of.clock.heard(of.at.wall)
      of.clock.heard(bank())
    },
    HOUR,
  ],
]

test.each(ANSWERS)('after a step, %s', (_, answers, wrongBy) => {
  const of = machine()
  of.isSet(HOUR)
  of.isRead()
  answers(of, () => of.at.wall - HOUR)
  expect(of.wrongBy()).toBe(wrongBy)
})

test('a bank whose clock is wrong by hours tells as much as another', () => {
  const of = machine()
  of.clock.heard(of.at.wall + 3 * HOUR)
  of.isSet(-HOUR)
  of.clock.heard(of.at.wall + HOUR + 3 * HOUR)
  expect(of.wrongBy()).toBe(0)
  of.isSet(-HOUR)
  of.clock.heard(of.at.wall + HOUR + 3 * HOUR)
  expect(of.wrongBy()).toBe(-HOUR)
})

test('a run notes each step of its process once, also one from before it began', () => {
  const { now: machineTime } = Date
  try {
    const notes: string[] = []
    Date.now = () => machineTime() - HOUR
    expect(Math.abs(now() - machineTime())).toBeLessThan(1000)
    const watch = watchClock((text) => notes.push(text))
    Date.now = () => machineTime() - HOUR + 90_000
    watch.stop()
    watch.stop()
    expect(notes.map((text) => text.replace(/:.*/, ''))).toEqual([
      'The clock of this machine was set 60 min 0 s back',
      'The clock of this machine was set 1 min 30 s forward',
    ])
  } finally {
    Date.now = machineTime
    restartClock()
  }
})
