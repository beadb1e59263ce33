import type { Context } from '../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../engine/suite-api/consents.ts'
import { blockForData } from '../../../engine/suite-api/outcomes.ts'

/** A scope that is not registered for a client: one that the bank advertises, if possible. */
export async function unregisteredScope(
  context: Context,
  name: ClientName = 'first',
): Promise<{ beyond: string; registered: string }> {
  const { registered } = (await context.caller(name)).tpp
  if (registered?.scope === undefined) blockForData('the scopes that are registered for the client')
  const { scopes_supported: supported } = (await context.steps.discovery()).value ?? {}
  const known = ['openid', ...registered.scope.split(' ')]
  const offered = Array.isArray(supported) ? supported : []
  const beyond = offered.find((one) => typeof one === 'string' && !known.includes(one))
  return { beyond: beyond ?? 'payments', registered: registered.scope }
}
