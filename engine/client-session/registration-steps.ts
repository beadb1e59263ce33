import type { Tpp } from '../client/tpp.ts'
import type { ClientName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { member } from '../judge/data-rows.ts'
import { requireReachable } from '../judge/expect.ts'
import { succeeded } from '../judge/matchers.ts'
import { NotApplicable } from '../judge/outcome.ts'
import type { Exchange } from '../wire/exchange.ts'
import { type Audiences, wasRefused } from './audiences.ts'
import type { ClientStore } from './client-store.ts'
import type { DiscoverySteps } from './discovery-steps.ts'
import type { SharedBySteps } from './step-owners.ts'

export const BY_AN_EARLIER_RUN = 'the client was registered by an earlier run'

/** The clients of earlier runs, and how to use them. */
export interface EarlierClients {
  store?: ClientStore
  /** If true, a client is registered again even if an earlier one is known. */
  anew: boolean
  /** Passes the kept answer of a registration to the rules, as if it came now. */
  heed(exchange: Exchange): void
}

/** Registers the clients, or continues as those that an earlier run registered. */
export function createRegistrationSteps(
  { target, memory, owners }: SharedBySteps,
  { tpp, discovery }: DiscoverySteps,
  audiences: Audiences,
  { store, anew, heed }: EarlierClients,
) {
  /** True if the bank still knows a client of an earlier run. A bank that was set up again does not. */
  const isKnown = async (client: Tpp): Promise<boolean> => {
    const deviation = 'a client that an earlier run registered'
    const ask = () => client.token({ grant_type: 'client_credentials' }, { deviation })
    const answer = await audiences.answerTo(client, ask)
    if (answer.response?.status === 401) return false
    return member(answer.response?.json, 'error') !== 'invalid_client'
  }

  /** The client of an earlier run, where the bank still knows it; the answer to its registration is judged again. */
  const ofEarlierRun = async (name: ClientName, client: Tpp) => {
    const kept = store?.find(name)
    if (!kept) return undefined
    client.adopt(kept)
    await audiences.settle(client)
    if (!(await isKnown(client))) return undefined
    const exchange = store?.answer(name)
    if (!exchange) return { value: client, why: `${BY_AN_EARLIER_RUN}, and its answer is not kept` }
    heed(exchange)
    return { exchange, value: client, why: BY_AN_EARLIER_RUN }
  }

  let madeBefore: Exchange | undefined

  const registration = (name: ClientName = 'first') =>
    memory.once(`registration ${name}`, owners.steps.registration, async () => {
      const client = tpp(name)
      client.learn((await discovery()).value)
      if (client.registered) {
        await audiences.settle(client)
        return { value: client, why: 'the client was registered before the run' }
      }
      if (target.absent.has('registration')) {
        throw new NotApplicable('the target declares registration absent and gives no clientId')
      }
      const before = anew ? undefined : await ofEarlierRun(name, client)
      if (before) return before
      const sent = await client.register()
      requireReachable(sent)
      const exchange = (name === 'first' && wasRefused(sent) && madeBefore) || sent
      // A bank that registers each software only once keeps the client that it has.
      const known = anew && wasRefused(exchange) ? await ofEarlierRun(name, client) : undefined
      if (known) return known
      const id = member(exchange.response?.json, 'client_id')
      const usable = succeeded(exchange) && typeof id === 'string' && id !== ''
      if (usable) {
        const registered = client.adopt(exchange.response?.json)
        store?.keep(name, registered, exchange)
        await audiences.settle(client)
      }
      return {
        exchange,
        value: usable ? client : undefined,
        why: `the ${name} client was not registered: ${answerOf(exchange)}`,
      }
    })

  return {
    registration,
    /**
     * Takes a registration of the first client's software that created a client although it was not quite correct: "the
     * service may modify or discard any supplied value". Where the bank keeps one client for each software and refuses
     * the correct registration, this is the client.
     */
    registeredBefore(exchange: Exchange) {
      madeBefore = exchange
    },
  }
}
