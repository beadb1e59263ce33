import {
  brief,
  type Endpoint,
  type Exchange,
  member,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { secondsOf } from '../instants.ts'

/** Data of the request of a correct and successful creation; undefined for any other exchange. */
export function requestedData(exchange: Exchange, endpoint: Endpoint): unknown {
  if (exchange.endpoint !== endpoint || !succeeded(exchange)) return undefined
  if (exchange.about.deviation !== undefined || exchange.request.body === undefined)
    return undefined
  return member(JSON.parse(exchange.request.body), 'Data')
}

/** The requested date-times, each with the value that was returned under its name. */
function datesAsked(
  exchange: Exchange,
  endpoint: Endpoint,
  names: readonly string[],
): { name: string; asked: unknown; value: unknown }[] | undefined {
  const asked = requestedData(exchange, endpoint)
  const given = member(exchange.response?.json, 'Data')
  if (typeof given !== 'object' || given === null) return undefined
  const sent = names.filter((name) => secondsOf(member(asked, name)) !== undefined)
  if (sent.length === 0) return undefined
  return sent.map((name) => ({ name, asked: member(asked, name), value: member(given, name) }))
}

/** Do returned date-times equal the requested instants, in whole seconds? */
export function datesAsRequested(
  exchange: Exchange,
  endpoint: Endpoint,
  names: readonly string[],
): Finding[] | undefined {
  // A value that is not a date-time is judged by the schema.
  const there = datesAsked(exchange, endpoint, names)?.filter(
    ({ value }) => secondsOf(value) !== undefined,
  )
  if (!there || there.length === 0) return undefined
  return there
    .filter(({ asked, value }) => secondsOf(asked) !== secondsOf(value))
    .map(({ name, asked, value }) => ({
      message: `${name} is another instant`,
      expected: brief(asked),
      actual: brief(value),
      place: `/Data/${name}`,
    }))
}

/** Are the requested date-times returned at all? */
export function datesShown(
  exchange: Exchange,
  endpoint: Endpoint,
  names: readonly string[],
): Finding[] | undefined {
  return datesAsked(exchange, endpoint, names)
    ?.filter(({ value }) => value === undefined)
    .map(({ name, asked }) => ({
      message: `${name} is missing`,
      expected: brief(asked),
      actual: 'no such member',
      place: `/Data/${name}`,
    }))
}

/** Does every creation of the run give a new ConsentId, different also from those of deleted consents? */
export function neverAgain(
  exchange: Exchange,
  endpoint: Endpoint,
  earlier: Map<string, unknown>,
): Finding[] | undefined {
  if (exchange.endpoint !== endpoint || !succeeded(exchange)) return undefined
  const id = member(exchange.response?.json, 'Data', 'ConsentId')
  if (typeof id !== 'string' || id === '') return undefined
  const before = earlier.get(id)
  earlier.set(id, exchange.id)
  if (before === undefined) return []
  return [
    {
      message: `the ConsentId of an earlier creation (${before}) is issued again`,
      expected: 'an identifier that no consent of this run has had',
      actual: id,
      place: '/Data/ConsentId',
    },
  ]
}

/** Is CreationDateTime the time of the creation, within the clock tolerance? */
export function createdThen(
  exchange: Exchange,
  endpoint: Endpoint,
  clockTolerance: number,
): Finding[] | undefined {
  if (exchange.endpoint !== endpoint || !succeeded(exchange)) return undefined
  const value = member(exchange.response?.json, 'Data', 'CreationDateTime')
  const at = secondsOf(value)
  if (at === undefined) return undefined
  const start = Date.parse(exchange.startedAt)
  const earliest = Math.floor(start / 1000) - clockTolerance
  const latest = Math.ceil((start + exchange.durationMs) / 1000) + clockTolerance
  if (at >= earliest && at <= latest) return []
  return [
    {
      message: 'CreationDateTime is not the time of the creation',
      expected: `${exchange.startedAt}, give or take ${clockTolerance} s`,
      actual: brief(value),
      place: '/Data/CreationDateTime',
    },
  ]
}
