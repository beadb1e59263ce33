import { createTpp, type Tpp } from '../client/tpp.ts'
import type { ClientName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { member } from '../judge/data-rows.ts'
import { requireReachable } from '../judge/expect.ts'
import { succeeded } from '../judge/matchers.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { isObject } from '../record/json.ts'
import { addressProblem } from '../wire/outside-address.ts'
import { requireValue, type SharedBySteps } from './step-owners.ts'

export type DiscoverySteps = ReturnType<typeof createDiscoverySteps>

/** The clients of the target, and what they read from the bank before registration. */
export function createDiscoverySteps({ target, wire, memory, owners }: SharedBySteps) {
  const tpps = new Map<ClientName, Tpp>()

  /** A client of the target, registered or not; not applicable when the target does not have it. */
  const tpp = (name: ClientName = 'first'): Tpp => {
    if (!target.clients[name]) throw new NotApplicable(`the target has no ${name} client`)
    const known = tpps.get(name) ?? createTpp({ name, target, wire })
    tpps.set(name, known)
    return known
  }

  const discovery = () =>
    memory.once('discovery', owners.steps.discovery, async () => {
      const exchange = await tpp().call('discovery')
      requireReachable(exchange)
      const { json } = exchange.response ?? {}
      const served = succeeded(exchange) && json !== undefined
      return {
        exchange,
        value: served && isObject(json) ? json : undefined,
        ...(served && !isObject(json) && { owner: owners.shapes.configuration }),
        why: `no configuration was served: ${answerOf(exchange)}`,
      }
    })

  /**
   * The address of the bank's keys according to its configuration.
   *
   * @throws Blocked by the check of its members, where the address must not be fetched.
   */
  const jwksAddress = async () => {
    const step = await discovery()
    const { jwks_uri: address } = requireValue(step)
    const given = typeof address === 'string'
    const problem = given ? await addressProblem(address, target) : 'it is not there'
    if (given && problem === undefined) return address
    const why = `the jwks_uri of the configuration is not fetched: ${problem}`
    throw new Blocked({ kind: 'check', id: owners.shapes.members }, why, step.exchange)
  }

  const jwks = () =>
    memory.once('jwks', owners.steps.jwks, async () => {
      const exchange = await tpp().call('jwks', { path: await jwksAddress() })
      requireReachable(exchange)
      const { json } = exchange.response ?? {}
      const served = succeeded(exchange) && json !== undefined
      const keys = member(json, 'keys')
      return {
        exchange,
        value: Array.isArray(keys) ? { keys } : undefined,
        ...(served && !Array.isArray(keys) && { owner: owners.shapes.jwks }),
        why: `no JWK Set was served: ${answerOf(exchange)}`,
      }
    })

  return { tpp, discovery, jwksAddress, jwks }
}
