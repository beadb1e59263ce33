import { check } from '../../../engine/suite-api/check.ts'
import { everything, OF_EVERYBODY } from '../../consents.ts'
import { expectTable } from '../../tables.ts'
import { filterDateTime } from '../../values/date-time.ts'
import { bounds } from '../../values/date-time-bounds.ts'
import { closePlaces, malformedPlaces, spelledPlaces } from './filter-places.ts'

/** The values of filters, and their precision. Requirements: specs/account-information/transactions.yaml */

const EVERYBODY = [everything, ...OF_EVERYBODY] as const

check(
  'TXN-16/close',
  'fromBookingDateTime distinguishes a booking a second before it from one a second after it',
  {
    asks: [bounds],
    uses: [everything],
    beside: OF_EVERYBODY,
    follows: ['TXN-16/from-alone'],
  },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TXN-16/close', type: bounds },
      rows: ({ id, level }) => level === 'must' && id.startsWith('from-'),
      places: closePlaces(context, EVERYBODY, 'from'),
    }),
)

check(
  'TXN-17/close',
  'toBookingDateTime, and both filters, distinguish bookings within a second of them',
  {
    asks: [bounds],
    uses: [everything],
    beside: OF_EVERYBODY,
    follows: ['TXN-16/close', 'TXN-17/to-alone', 'TXN-17/both', 'TXN-17/reversed'],
  },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TXN-17/close', type: bounds },
      rows: ({ id, level }) => level === 'must' && !id.startsWith('from-'),
      places: closePlaces(context, EVERYBODY, 'from', 'to', 'both'),
    }),
)

/** The spellings of one UTC instant all give the rows of that instant. Blocked without rows on both sides. */
check(
  'TXN-18/spellings',
  'The filters take every RFC 3339 spelling of a UTC instant alike',
  { asks: [filterDateTime], uses: [everything], beside: OF_EVERYBODY },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TXN-18/spellings', type: filterDateTime },
      rows: ({ id, lawful, level }) => lawful === true && level === 'must' && id !== 'exact',
      places: spelledPlaces(context, EVERYBODY),
    }),
)

/** Not applicable where the bank shows no milliseconds. */
check(
  'TXN-52/milliseconds',
  'The filters distinguish a booking a millisecond before them from one a millisecond after them',
  {
    asks: [bounds],
    uses: [everything],
    follows: ['TXN-16/close', 'TXN-17/close', 'TXN-18/spellings'],
  },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TXN-52/milliseconds', type: bounds },
      rows: ({ level }) => level === 'should',
      places: closePlaces(context, [everything], 'from', 'to', 'both'),
    }),
)

check(
  'TXN-19/malformed',
  'A filter value that is not a date-time is refused',
  {
    asks: [filterDateTime],
    uses: [everything],
    beside: OF_EVERYBODY,
    follows: ['TXN-18/spellings'],
  },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TXN-19/malformed', type: filterDateTime },
      rows: ({ lawful, level }) => !lawful && level === 'should',
      places: malformedPlaces(context, EVERYBODY),
    }),
)
