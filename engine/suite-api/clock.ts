export { now } from '../record/clock.ts'
