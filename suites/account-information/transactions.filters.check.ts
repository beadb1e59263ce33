import type { Approval } from '../../engine/journey/approvals.ts'
import { check } from '../../engine/journey/context.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { refused, succeeded } from '../../engine/judge/matchers.ts'
import { lacking } from '../../engine/judge/outcome.ts'
import { isBooked } from '../../engine/judge/rows.ts'
import { everything } from '../consents.ts'
import { bookingTimes, boundsFor, inUtc, justBefore } from './common/booking-times.ts'
import { listed } from './common/readings.ts'
import {
  addresses,
  between,
  blockedBy,
  bulk,
  filtered,
  filterFinding,
  filterWrong,
  judge,
  latest,
  ownerOf,
  relyOnFilters,
} from './common/transaction-readings.ts'

/**
 * fromBookingDateTime and toBookingDateTime on both transaction endpoints. No instant lies on a
 * booking. Requirements: specs/account-information/transactions.yaml
 */

check(
  'TXN-15/each-combination',
  'Each filter alone and both together are accepted on both transaction endpoints',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    for (const kind of ['from', 'to', 'both'] as const) {
      for (const { answer } of await filtered(approval, kind)) expect(answer).toSucceed()
    }
  },
)

check(
  'TXN-16/from-alone',
  'fromBookingDateTime alone drops what was booked before it and keeps the rest',
  { uses: ['everything'] },
  async ({ approved }) => {
    judge(await filterWrong(await approved(everything), 'from'))
  },
)

check(
  'TXN-17/to-alone',
  'toBookingDateTime alone drops what was booked after it and keeps the rest',
  { uses: ['everything'] },
  async ({ approved }) => {
    judge(await filterWrong(await approved(everything), 'to'))
  },
)

check(
  'TXN-17/both',
  'Both filters together keep what was booked between them and nothing else',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    await relyOnFilters(approval, 'from', 'to')
    judge(await filterWrong(approval, 'both'))
  },
)

check(
  'TXN-17/reversed',
  'A fromBookingDateTime later than toBookingDateTime gives no booked transaction',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    await relyOnFilters(approval, 'from', 'to', 'both')
    const readings = (await filtered(approval, 'reversed')).filter(({ telling }) => telling)
    if (readings.length === 0) lacking('three booked transactions at different times')
    for (const { answer } of readings) {
      if (refused(answer)) continue
      listed(answer, 'TXN-17/both')
      expect(answer).toHoldOnly('a transaction still pending', (row) => !isBooked(row))
    }
  },
)

check(
  'TXN-18/spellings',
  'The filters take one instant as …Z, …+00:00 and with a fraction alike',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    await relyOnFilters(approval, 'from', 'to')
    for (const [kind, name] of Object.entries(NAMES)) {
      for (const spelling of ['+00:00', '.000Z']) {
        const { rows, read } = await between(approval, bulk, async (times) => {
          const bounds = boundsFor(kind as 'from' | 'to', times) ?? noTimes()
          const value = inUtc(bounds.from ?? bounds.to ?? 0).replace('Z', spelling)
          return { bounds, answer: await approval.get(bulk, { query: { [name]: value } }) }
        })
        expect(read.answer).toSucceed()
        const { outside, missing } = filterFinding({ ...read, rows })
        const finding = outside ?? missing
        judge(finding && { ...finding, exchange: read.answer })
      }
    }
  },
)

check(
  'TXN-19/malformed',
  'A filter value that is no date-time is refused',
  { uses: ['everything'] },
  async ({ approved, observe }) => {
    const approval = await approved(everything)
    for (const [kind, name, value] of MALFORMED) {
      const good = { [name]: inUtc(Date.now() - 180 * 86_400_000) }
      relyOn('TXN-15/each-combination', await approval.get(bulk, { query: good }))
      const deviation = `${name}=${value}`
      const answer = await approval.get(bulk, { query: { [name]: value }, deviation })
      observe(`status for ${deviation}`, answer.response?.status, answer)
      // A filter that nobody reads is no matter of its spelling.
      if (succeeded(answer)) await relyOnFilters(approval, kind)
      expect(answer).toBeRefused()
    }
  },
)

check(
  'TXN-22/empty-window',
  'A window without transactions is answered 200 with an empty array',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const query = {
      fromBookingDateTime: '1990-01-01T00:00:00Z',
      toBookingDateTime: '1990-12-31T00:00:00Z',
    }
    for (const path of (await addresses(approval)).slice(0, 2)) {
      const { whole } = await latest(approval, path)
      const owner = ownerOf(approval, path)
      listed(whole, owner)
      if (whole.response?.status !== 200) blockedBy(owner, 'no answer has the status 200', whole)
      const answer = await approval.get(path, { query })
      // A bank that refuses every pair of filters is TXN-15/each-combination's.
      if (!succeeded(answer)) await bothAreTaken(approval)
      expect(answer).toHaveStatus(200)
      const rows = listed(answer, 'TXN-15/each-combination')
      if (rows.some(isBooked)) {
        await relyOnFilters(approval, 'from', 'to', 'both')
        blockedBy('TXN-17/both', 'a booked transaction lies outside the window', answer)
      }
    }
  },
)

check(
  'TXN-33/recorded',
  'What other filters do is recorded: another offset, no offset, an unknown parameter',
  { uses: ['everything'] },
  async ({ approved, observe }) => {
    const approval = await approved(everything)
    const { rows, read } = await between(approval, bulk, async (times) => {
      const place = justBefore(times, 1, times.length - 1)
      const instant = place?.instant ?? Date.now() - 180 * 86_400_000
      const ask = (query: Record<string, string>, deviation: string) =>
        approval.get(bulk, { query, deviation })
      const inAnHour = inUtc(instant + 3_600_000)
      return {
        time: place && times[place.index],
        offset: await ask(
          { fromBookingDateTime: inAnHour.replace('Z', '+01:00') },
          'a filter with the offset +01:00',
        ),
        bare: await ask(
          { fromBookingDateTime: inUtc(instant).replace('Z', '') },
          'a filter without offset',
        ),
        unknown: await ask({ unknownParameter: '1' }, 'an unknown query parameter'),
      }
    })
    const { offset, bare, unknown, time } = read
    const seen = succeeded(offset) && bookingTimes(listed(offset, '')).includes(time ?? Number.NaN)
    const meaning = seen ? 'as the instant' : 'with the offset ignored'
    const known = succeeded(offset) && time !== undefined
    observe('a filter with +01:00 is taken', known ? meaning : offset.response?.status, offset)
    observe('status of a filter without offset', bare.response?.status, bare)
    observe('status with an unknown query parameter', unknown.response?.status, unknown)
    if (!succeeded(unknown)) return
    const same = listed(unknown, '').length >= rows.length
    observe('rows with an unknown query parameter', same ? 'the same' : 'fewer', unknown)
  },
)

check(
  'TXN-36/recorded',
  'Whether a transaction booked at the very instant of a filter is in the answer is recorded',
  { uses: ['everything'] },
  async ({ approved, observe }) => {
    const approval = await approved(everything)
    const { whole: all } = await latest(approval, bulk)
    const times = bookingTimes(listed(all, ownerOf(approval, bulk)))
    const whole = times.filter((time) => time % 1000 === 0)
    const sendable = whole.length > 0 ? whole : times
    const time = sendable[sendable.length >> 1] ?? lacking('a booked transaction')
    const exactly = new Date(time).toISOString().replace('.000Z', 'Z')
    for (const name of Object.values(NAMES)) {
      const deviation = `${name} at the very instant of a booking`
      const answer = await approval.get(bulk, { query: { [name]: exactly }, deviation })
      const there = succeeded(answer) && bookingTimes(listed(answer, '')).includes(time)
      const seen = there ? 'in the answer' : 'left out'
      const value = succeeded(answer) ? seen : answer.response?.status
      observe(`a transaction booked at ${name} is`, value, answer)
    }
  },
)

const NAMES = { from: 'fromBookingDateTime', to: 'toBookingDateTime' }

const MALFORMED = [
  ['from', 'fromBookingDateTime', 'yesterday'],
  ['to', 'toBookingDateTime', '2024-13-45T00:00:00Z'],
] as const

function noTimes(): never {
  lacking('two booked transactions at different times')
}

async function bothAreTaken(approval: Approval): Promise<void> {
  for (const { answer } of await filtered(approval, 'both')) {
    relyOn('TXN-15/each-combination', answer)
  }
}
