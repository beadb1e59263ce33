import type { Context } from '../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../engine/suite-api/consents.ts'

/** No client has registered it. */
const MADE_UP = 'assay-made-up'

/**
 * A scope that is not registered for a client: one that the bank advertises, if possible.
 * If the client was registered outside Assay and its scopes are unknown, a made-up one.
 */
export async function unregisteredScope(
  context: Context,
  name: ClientName = 'first',
): Promise<{ beyond: string; registered: string }> {
  const { registered } = (await context.caller(name)).tpp
  if (registered?.scope === undefined) return { beyond: MADE_UP, registered: 'those registered' }
  const { scopes_supported: supported } = (await context.steps.discovery()).value ?? {}
  const known = ['openid', ...registered.scope.split(' ')]
  const offered = Array.isArray(supported) ? supported : []
  const beyond = offered.find((one) => typeof one === 'string' && !known.includes(one))
  return { beyond: beyond ?? 'payments', registered: registered.scope }
}
