import { answerOf } from '../judge/answer-words.ts'
import { requireReachable } from '../judge/expect.ts'
import { refused } from '../judge/matchers.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { ClientSteps } from './client-steps.ts'
import {
  type ConsentData,
  consentData,
  consentFacts,
  type NamedConsent,
  spelled,
  withOptional,
} from './consent.ts'
import type { Hooks } from './hooks.ts'
import { ownersOf, type SharedBySteps } from './step-owners.ts'

interface Created {
  exchange: Exchange
  asked: ConsentData
}

export interface ConsentParts extends SharedBySteps {
  hooks: Hooks
  clients: ClientSteps
  /** The seed of this run's draw. */
  seed(): number
}

/**
 * The step that creates a consent.
 *
 * @param chosenDates dates that another approval shows to be suitable; undefined if there are none.
 */
export function createConsentStep(
  { hooks, memory, owners, clients, seed }: ConsentParts,
  chosenDates: (dates: NamedConsent['dates']) => Promise<Partial<ConsentData> | undefined>,
) {
  return (named: NamedConsent) =>
    memory.once(`consent ${named.name}`, ownersOf(named, owners).consent, async () => {
      const data = { ...consentData(named, hooks.shortLife), ...(await chosenDates(named.dates)) }
      const client = await clients.caller(named.client)
      const written = spelled(named, data, seed())
      const attempts = [withOptional(named, written ?? data), written, data].flatMap((one) =>
        one ? [one] : [],
      )
      // A bank may refuse each of these except the last.
      const create = async ([Data = data, ...others]: ConsentData[]): Promise<Created> => {
        const optional = others.length > 0 || named.optional
        const about = { optional }
        const body = { Data, Risk: {} }
        const exchange = await client.post('/account-access-consents', body, { about })
        return others.length > 0 && refused(exchange) ? create(others) : { exchange, asked: Data }
      }
      const { exchange, asked } = await create(attempts)
      requireReachable(exchange)
      return {
        exchange,
        value: consentFacts(exchange, asked),
        why: `the consent ${named.name} was not created: ${answerOf(exchange)}`,
      }
    })
}
