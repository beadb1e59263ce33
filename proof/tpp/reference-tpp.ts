import type { Briefing } from '../../engine/certification/client.ts'
import type { Conduct } from './conduct.ts'
import { confirmFunds, createConsent, disconnect, products, tidyUp } from './managing.ts'
import { readAll } from './reading.ts'
import { Refusal } from './refusal.ts'
import { openSession } from './session.ts'
import { type SendCustomer, visit } from './visit.ts'

/**
 * The reference TPP: pursues one goal at the bank of a briefing, and resolves when the goal is reached. It uses only
 * Node.
 *
 * @throws Refusal with its reason.
 */
export async function pursue(
  briefing: Briefing,
  conduct: Conduct,
  sendCustomer?: SendCustomer,
): Promise<void> {
  const session = await openSession(briefing, conduct)
  const { memory } = session
  const visitAndRead = async (consentId: string) => {
    const earlier = memory.consentId
    await visit(session, consentId, sendCustomer).catch(async (error) => {
      if (error instanceof Refusal && briefing.goal !== 'reconfirm')
        await tidyUp(session, consentId)
      throw error
    })
    if (earlier !== consentId) await tidyUp(session, earlier)
    if (briefing.goal === 'reconfirm' && !conduct.readsAtReconfirmation) return
    await readAll(session)
    for (const { method, path } of conduct.alsoAsks) {
      await session.api(method, path, { token: await session.clientToken() })
    }
  }
  const goals = {
    connect: async () => {
      if (memory.consentId && !conduct.connectsAgain)
        throw new Refusal('there is a consent already')
      const consentId = await createConsent(session)
      if (conduct.leavesConsents) await createConsent(session)
      await visitAndRead(consentId)
    },
    'connect-another': async () => {
      const shared = conduct.sharesConsents ? memory.consentId : undefined
      await visitAndRead(shared ?? (await createConsent(session)))
    },
    read: () =>
      readAll(session).catch(async (error) => {
        if (!(error instanceof Refusal && conduct.asksAgainAfter(error.message))) throw error
        await visitAndRead(await createConsent(session))
      }),
    reconfirm: async () => {
      const own = conduct.consentOf(memory.consentId ?? '', memory.lastConsent, 'reconfirm')
      const existing = conduct.reconfirmsExisting ? own : undefined
      await visitAndRead(existing ?? (await createConsent(session)))
    },
    disconnect: () => disconnect(session),
    'confirm-funds': () => confirmFunds(session),
    products: () => products(session),
  }
  const { goal } = briefing
  try {
    if (conduct.discoversFirst) await session.discover()
    if (conduct.cannot.includes(goal)) throw new Refusal(`${goal} is not built yet`)
    await goals[goal]()
  } catch (error) {
    if (!(error instanceof Refusal && conduct.claimsSuccess(error.message, goal))) throw error
  } finally {
    session.end()
  }
}
