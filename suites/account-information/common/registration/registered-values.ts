import type { Context } from '../../../../engine/suite-api/check.ts'
import { expectThat } from '../../../../engine/suite-api/expect.ts'
import { requireValue } from '../../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import { type Exchange, member, succeeded } from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { expectNoClient } from './fresh-registration.ts'

/** Members of a registered client, with the list of the configuration that has their values. */
export const LISTS = {
  grant_types: 'grant_types_supported',
  response_types: 'response_types_supported',
  token_endpoint_auth_method: 'token_endpoint_auth_methods_supported',
  token_endpoint_auth_signing_alg: 'token_endpoint_auth_signing_alg_values_supported',
  request_object_signing_alg: 'request_object_signing_alg_values_supported',
  id_token_signed_response_alg: 'id_token_signing_alg_values_supported',
} as const

/**
 * A list of the configuration. Not applicable without it: nothing else shows what must not be registered. A missing
 * list is only a warning (DISC-05, DISC-06), since the documents do not show the body of the configuration.
 */
export async function requireList(context: Context, name: string): Promise<string[]> {
  const list = requireValue(await context.steps.discovery())[name]
  if (Array.isArray(list)) return list.map(String)
  throw new NotApplicable(`the configuration has no list ${name}`)
}

/** The first of these values that the configuration does not advertise. */
export function requireUnadvertised(advertised: string[], candidates: string[]): string {
  const value = candidates.find((candidate) => !advertised.includes(candidate))
  if (value === undefined) throw new NotApplicable(`the bank advertises ${candidates.join(', ')}`)
  return value
}

/** Expects a refusal, or a registration without this value. */
export function expectNotRegistered(exchange: Exchange, name: string, value: string): void {
  if (!succeeded(exchange)) {
    expectNoClient(exchange)
    return
  }
  const finding = wronglyRegistered(exchange, name, value)
  expectThat(finding === undefined, { ...(finding as Finding), exchange })
}

/** The finding for a successful registration that has this value. */
export function wronglyRegistered(
  exchange: Exchange,
  name: string,
  value: string,
): Finding | undefined {
  if (!requireRegisteredValues(exchange, name).includes(value)) return undefined
  return {
    message: `${value} was registered`,
    expected: `a refusal, or ${name} without ${value}`,
    actual: `${name} with ${value}`,
    place: `/${name}`,
  }
}

/** One or more values of the registered client. */
export function requireRegisteredValues(exchange: Exchange, name: string): unknown[] {
  const value = stored(exchange, name)
  if (name === 'scope' && typeof value === 'string') return value.split(' ')
  if (value !== undefined) return [value].flat()
  const why = `the answer does not say which ${name} it stores`
  if (!ALWAYS_RETURNED.includes(name)) throw new NotApplicable(why)
  blockBy('REG-06/all-values', why, exchange)
}

/** "The response returns all values stored": every client has a value of each of these. */
const ALWAYS_RETURNED = [
  'grant_types',
  'redirect_uris',
  'response_types',
  'scope',
  'token_endpoint_auth_method',
]

/** A member of the registered client, as in the answer; null is no value. */
export function stored(exchange: Exchange, name: string): unknown {
  return member(exchange.response?.json, name) ?? undefined
}
