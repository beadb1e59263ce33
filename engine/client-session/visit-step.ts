import type { Tpp } from '../client/tpp.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { Visits } from './authorisation.ts'
import type { Approval } from './caller.ts'
import type { ClientSteps } from './client-steps.ts'
import { type NamedConsent, requireInTime } from './consent.ts'
import type { ReplacedApprovals } from './ledger/replaced-approvals.ts'
import { untilTimeHasMoved } from './status-times.ts'
import { ownersOf, requireValue, type SharedBySteps, type Step } from './step-owners.ts'
import { type Granted, type Visit, type VisitOptions, visitEnd } from './visit.ts'

/** `before`: for a re-confirmation, a query of the consent just before the visit. */
export type VisitStep = Step<Granted> & { visit?: Visit; before?: Exchange }

/** What comes before a visit, and what must follow it immediately. */
interface AroundVisit {
  consent(named: NamedConsent): Promise<Step<ConsentFacts>>
  queried(named: NamedConsent, id: string): Promise<Exchange>
  approved(named: NamedConsent): Promise<Approval>
  accounts(named: NamedConsent): Promise<unknown>
  exchanged(named: NamedConsent, visited: Granted): Promise<unknown>
}

/** The step in which a customer is sent to the bank to approve a consent, or to confirm it again. */
export function createVisitStep(
  parts: SharedBySteps & { clients: ClientSteps; visits: Visits; seed(): number },
  replaced: ReplacedApprovals,
  steps: AroundVisit,
) {
  const { memory, owners, clients, visits, seed } = parts
  return (named: NamedConsent): Promise<VisitStep> =>
    memory.once(`visit ${named.name}`, ownersOf(named, owners).visit, async () => {
      visits.customer(named.customer)
      if (named.reconfirms) {
        await steps.approved(named.reconfirms)
        // Read before the customer is asked again: ACC-04 judges whether the accounts keep their ids.
        await steps.accounts(named.reconfirms).catch(() => {})
      }
      const { id, expiration } = requireValue(await steps.consent(named.reconfirms ?? named))
      const client = requireValue(await clients.registration(named.client))
      const before = named.reconfirms && (await steps.queried(named, id))
      if (named.watched) {
        const created = (await steps.consent(named)).exchange
        await untilTimeHasMoved(created, created)
      }
      const message = messageOf(named, id, client)
      const made = await visits.visit({ ...message, ...textsOf(named, seed()) })
      const special = named.withoutState || named.state || named.nonce
      // The failed visit without a state is evidence already; what is read under the approval is still judged.
      const again = special && made.kind !== 'granted' ? await visits.visit(message) : made
      if (again.kind === 'granted') {
        // A code lives for one minute, and nobody is asked twice.
        if (!named.keepsCode) await steps.exchanged(named, again).catch(() => {})
        void steps.approved(named).catch(() => {})
      } else {
        requireInTime(named.name, expiration)
        if (named.reconfirms) await replaced.requireNotReplaced(named.reconfirms)
      }
      return {
        exchange: made.last ?? made.first,
        visit: made,
        before,
        value: again.kind === 'granted' ? again : undefined,
        // If the visit with a state fails too, the refusal has another reason.
        ...(again.kind !== 'granted' && named.withoutState && { owner: owners.steps.visit }),
        why: `the customer's approval of ${named.name} ended with ${visitEnd(made)}`,
      }
    }) as Promise<VisitStep>
}

/** The content of a visit's request, apart from its state. */
export function messageOf(named: NamedConsent, consentId: string, { registered }: Tpp) {
  const uris = registered?.redirect_uris ?? []
  return {
    client: named.client,
    customer: named.customer,
    consentId,
    purpose: `${named.name}: ${named.purpose}`,
    redirectUri: uris[named.redirectUri ?? 0] ?? uris[0],
    ...(named.oneAccount && { oneAccount: true }),
    ...(named.browser !== undefined && { browser: named.browser }),
    correct: true,
  }
}

/** The request has no state, neither in the request object nor in the query. */
const WITHOUT_STATE = {
  requestObject: { claims: { state: undefined } },
  query: { state: undefined },
}

/** The values that the bank must return. */
function textsOf(
  { withoutState, state, nonce }: NamedConsent,
  seed: number,
): Partial<VisitOptions> {
  return {
    ...(withoutState && { deviation: WITHOUT_STATE }),
    ...(state && { state: state(seed) }),
    ...(nonce && { nonce: nonce(seed) }),
  }
}
