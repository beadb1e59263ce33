import { describe, expect, test } from 'vitest'
import { mayHaveLeft } from '../../suites/account-information/common/data/history.ts'

/** Two answers under one consent: when each was requested, the oldest row of the first, and a row that left. */
const left = (first: string, oldest: string, now: string, booked: string) =>
  mayHaveLeft(
    Date.parse(booked),
    { at: Date.parse(first), oldest: Date.parse(oldest) },
    Date.parse(now),
  )

describe('the beginning of a history moves on', () => {
  test.each([
    ['with the days of UTC', '2026-03-10T23:59:50Z', '2026-03-11T00:00:10Z', true],
    ['with the days of London in summer', '2026-07-10T22:59:50Z', '2026-07-10T23:00:10Z', true],
    ['with the time of the row', '2026-03-10T11:29:50Z', '2026-03-10T11:30:10Z', true],
    ['not within a day', '2026-03-10T14:00:00Z', '2026-03-10T15:00:00Z', false],
  ])('%s', (_, first, now, expected) => {
    expect(left(first, '2025-03-10T08:00:00Z', now, '2025-03-10T11:30:00Z')).toBe(expected)
  })

  test.each([
    ['by a day for each night', '2026-03-13T00:00:10Z', '2025-03-11T20:00:00Z', true],
    ['by no more than that', '2026-03-13T00:00:10Z', '2025-03-14T20:00:00Z', false],
  ])('%s', (_, now, booked, expected) => {
    expect(left('2026-03-10T23:00:00Z', '2025-03-10T08:00:00Z', now, booked)).toBe(expected)
  })

  test.each([
    ['by a month at the end of one', '2026-03-31T23:59:50Z', '2026-04-01T00:00:10Z', true],
    ['at that of London', '2026-07-31T22:59:50Z', '2026-07-31T23:00:10Z', true],
    ['at that of a year', '2025-12-31T23:59:50Z', '2026-01-01T00:00:10Z', true],
    ['not on other days', '2026-03-30T23:59:50Z', '2026-03-31T00:00:10Z', false],
  ])('%s', (_, first, now, expected) => {
    expect(left(first, '2025-03-01T08:00:00Z', now, '2025-03-20T12:00:00Z')).toBe(expected)
  })
})
