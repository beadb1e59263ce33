export { rulesBrokenBy } from '../client-session/trace.ts'
export { answerOf, notJson } from '../judge/answer-words.ts'
export {
  areOfDays,
  bookingTimes,
  isBookedAtSomeTime,
  isMidnight,
  isOfDay,
  marginOf,
  marginsIn,
  OF_LATE,
} from '../judge/booking-days.ts'
export { brief } from '../judge/brief.ts'
export {
  bookedAt,
  bookedSecond,
  isBooked,
  member,
  missingFrom,
  otherRowsOf,
  presentIn,
  type Row,
  remembered,
  rowsOf,
  shared,
  transactionKey,
} from '../judge/data-rows.ts'
export { instantOf, isDateTime, isDecimal } from '../judge/formats.ts'
export { refused, succeeded } from '../judge/matchers.ts'
export { charactersIn } from '../judge/secret-texts.ts'
export { percentDecoded, percentEncoded } from '../record/percent.ts'
export { type About, DATA, type Endpoint, type Exchange, header } from '../wire/exchange.ts'
export { leadsInside } from '../wire/outside-address.ts'
export { IN_TROUBLE } from '../wire/retry-after.ts'
