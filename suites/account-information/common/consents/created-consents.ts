import {
  brief,
  type Endpoint,
  type Exchange,
  member,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { secondsOf } from '../instants.ts'

/** What a correct creation that succeeded asked for in Data; undefined for any other exchange. */
export function requestedData(exchange: Exchange, endpoint: Endpoint): unknown {
  if (exchange.endpoint !== endpoint || !succeeded(exchange)) return undefined
  if (exchange.about.deviation !== undefined || exchange.request.body === undefined)
    return undefined
  return member(JSON.parse(exchange.request.body), 'Data')
}

/** The date-times that were asked for, each with what came back under its name. */
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

/** Are these date-times, where they come back, the instants that were asked for, in whole seconds? */
export function datesAsRequested(
  exchange: Exchange,
  endpoint: Endpoint,
  names: readonly string[],
): Finding[] | undefined {
  // One that is there and no date-time is the schema's.
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

/** Do the date-times that were asked for come back at all? */
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

/** Has every creation of the run, deleted consents included, given a ConsentId of its own? */
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
      message: `the ConsentId of an earlier creation (${before}) comes again`,
      expected: 'an identifier that no consent of this run has had',
      actual: id,
      place: '/Data/ConsentId',
    },
  ]
}

/** Is CreationDateTime the time of the creation, give or take what the clocks differ? */
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
