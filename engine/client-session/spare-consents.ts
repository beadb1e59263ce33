import type { ClientName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { requireReachable } from '../judge/expect.ts'
import type { ClientSteps } from './client-steps.ts'
import { consentFacts, DATA_PERMISSIONS } from './consent.ts'
import { requireValue, type SharedBySteps } from './step-owners.ts'

export type SpareConsents = ReturnType<typeof createSpareConsents>

/** Consents for visits that must fail: nobody ever approves them. */
export function createSpareConsents({ owners }: SharedBySteps, clients: ClientSteps) {
  const spares = new Map<ClientName, string>()
  return {
    async of(name: ClientName): Promise<string> {
      const known = spares.get(name)
      if (known) return known
      const data = { Permissions: DATA_PERMISSIONS }
      const exchange = await (await clients.caller(name)).post('/account-access-consents', {
        Data: data,
        Risk: {},
      })
      requireReachable(exchange)
      const facts = consentFacts(exchange, data)
      const why = `no consent was created: ${answerOf(exchange)}`
      const { id } = requireValue({ owner: owners.steps.consent, exchange, value: facts, why })
      spares.set(name, id)
      return id
    },
    /** The next visit of this client gets another consent. */
    spend(name: ClientName): void {
      spares.delete(name)
    },
  }
}
