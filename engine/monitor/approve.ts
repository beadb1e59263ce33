import type { NamedConsent } from '../client-session/consent.ts'
import type { Session } from '../client-session/session.ts'
import type { KeptApproval, KeptApprovals } from './kept-approvals.ts'

/**
 * Has a customer approve one consent for a monitor, and keeps its tokens. It registers a client where none is known, and
 * leaves the consent at the bank: a run that cleans up does not remove it.
 *
 * @throws Blocked, NotApplicable with why there is no approval
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
