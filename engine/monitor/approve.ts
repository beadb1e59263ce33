import type { NamedConsent } from '../client-session/consent.ts'
import type { Session } from '../client-session/session.ts'
import type { KeptApproval, KeptApprovals } from './kept-approvals.ts'

/**
 * Asks a customer to approve one consent for a monitor, and keeps its tokens. Registers a client if none is known.
 * Leaves the consent at the bank: the cleanup of a run does not delete it.
 *
 * @throws Blocked, NotApplicable with the reason if there is no approval
 */
export async function approveForMonitor(
  session: Session,
  named: NamedConsent,
  kept: KeptApprovals,
): Promise<KeptApproval> {
  const approval = await session.approved(named)
  const { name, client = 'first', permissions } = named
  const { facts, tpp } = approval
  const clientId = tpp.registered?.client_id ?? ''
  const approved: KeptApproval = { name, client, clientId, permissions, facts }
  kept.add(approved, await approval.tokens())
  session.leftovers.leave(facts.id)
  return approved
}
