import { succeeded } from '../../engine/judge/matchers.ts'
import { member } from '../../engine/judge/rows.ts'
import type { Finding } from '../../engine/judge/rule.ts'
import { brief } from '../../engine/judge/schemas.ts'
import type { Endpoint, Exchange } from '../../engine/wire/exchange.ts'
import { secondsOf } from './instants.ts'

/** What a correct creation that succeeded asked for in Data; undefined for any other exchange. */
export function requestedData(exchange: Exchange, endpoint: Endpoint): unknown {
  if (exchange.endpoint !== endpoint || !succeeded(exchange)) return undefined
  if (exchange.about.deviation !== undefined || exchange.request.body === undefined)
    return undefined
  return member(JSON.parse(exchange.request.body), 'Data')
}

/** Do these date-times come back as the instants that were asked for, in whole seconds? */
export function datesAsRequested(
  exchange: Exchange,
  endpoint: Endpoint,
  names: readonly string[],
): Finding[] | undefined {
  const asked = requestedData(exchange, endpoint)
  const given = member(exchange.response?.json, 'Data')
  if (typeof given !== 'object' || given === null) return undefined
  const sent = names.filter((name) => secondsOf(member(asked, name)) !== undefined)
  if (sent.length === 0) return undefined
  return sent.flatMap((name): Finding[] => {
    const value = member(given, name)
    const at = secondsOf(value)
    // One that is there and no date-time is the schema's.
    if (at === secondsOf(member(asked, name)) || (value !== undefined && at === undefined))
      return []
    const message = value === undefined ? `${name} is missing` : `${name} is another instant`
    const expected = brief(member(asked, name))
    return [{ message, expected, actual: brief(value), place: `/Data/${name}` }]
  })
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
