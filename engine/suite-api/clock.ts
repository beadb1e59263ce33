export { now } from '../record/clock.ts'
export { DAY, HOUR } from '../record/durations.ts'
