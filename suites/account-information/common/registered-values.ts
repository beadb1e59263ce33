import type { Context } from '../../../engine/journey/context.ts'
import { taken } from '../../../engine/journey/steps.ts'
import { expectThat } from '../../../engine/judge/expect.ts'
import { succeeded } from '../../../engine/judge/matchers.ts'
import { Blocked, NotApplicable } from '../../../engine/judge/outcome.ts'
import { member } from '../../../engine/judge/rows.ts'
import type { Exchange } from '../../../engine/wire/exchange.ts'
import { expectNoClient } from './fresh-registration.ts'

/** A list of the configuration; without it nothing says what must not be registered. */
export async function listOf(context: Context, name: string): Promise<string[]> {
  const list = taken(await context.steps.discovery())[name]
  if (Array.isArray(list)) return list.map(String)
  const owner = REQUIRED_LISTS[name]
  if (owner)
    throw new Blocked({ kind: 'check', id: owner }, `the configuration has no list ${name}`)
  throw new NotApplicable(`the configuration has no list ${name}`)
}

const REQUIRED_LISTS: Record<string, string> = {
  response_types_supported: 'DISC-05/code-id-token',
  token_endpoint_auth_methods_supported: 'DISC-06/private-key-jwt',
}

/** The first of these values that the configuration does not advertise. */
export function notIn(advertised: string[], candidates: string[]): string {
  const value = candidates.find((candidate) => !advertised.includes(candidate))
  if (value === undefined) throw new NotApplicable(`the bank advertises ${candidates.join(', ')}`)
  return value
}

/** Refused, or registered without this value. */
export function expectNotRegistered(exchange: Exchange, name: string, value: string): void {
  if (!succeeded(exchange)) {
    expectNoClient(exchange)
    return
  }
  expectThat(!registeredValues(exchange, name).includes(value), {
    message: `${value} was registered`,
    expected: `a refusal, or ${name} without ${value}`,
    actual: `${name} with ${value}`,
    exchange,
    place: `/${name}`,
  })
}

/** One value or several of the registered client. */
export function registeredValues(exchange: Exchange, name: string): unknown[] {
  const value = stored(exchange, name)
  if (name === 'scope' && typeof value === 'string') return value.split(' ')
  if (value !== undefined) return [value].flat()
  const why = `the answer does not say which ${name} it stores`
  if (!ALWAYS_RETURNED.includes(name)) throw new NotApplicable(why)
  throw new Blocked({ kind: 'check', id: 'REG-06/all-values' }, why, exchange)
}

/** "The response returns all values stored": of these a client stores one always. */
const ALWAYS_RETURNED = [
  'grant_types',
  'redirect_uris',
  'response_types',
  'scope',
  'token_endpoint_auth_method',
]

/** A member of the registered client as the answer gives it. */
export function stored(exchange: Exchange, name: string): unknown {
  return member(exchange.response?.json, name)
}
