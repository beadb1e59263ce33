import type { NamedConsent } from '../client-session/consent.ts'
import type { Session } from '../client-session/session.ts'
import { now } from '../record/clock.ts'
import { HOUR } from '../record/durations.ts'

/** Minimum token lifetime, in milliseconds, for asking early: a run with a person is slow. */
const LASTING = HOUR

/**
 * Asks for all approvals that live long enough in one sitting. Where the bank issues neither refresh tokens nor tokens
 * that outlast the run, each approval is requested just before its checks. The same applies to a code that a check
 * keeps, which lives for a minute, and to a consent that must expire soon.
 */
export async function batchApprovals(session: Session, consents: NamedConsent[]): Promise<void> {
  for (const consent of consents) {
    const { keepsCode, toExpire, client = 'first', customer = 'first' } = consent
    if (keepsCode || (toExpire && session.hooks.shortLife !== undefined)) continue
    const { clients, document } = session.target
    if (!clients[client] || !document.customers[customer]) continue
    // A failure is remembered and blocks the checks that it concerns.
    const approval = await session.approved(consent).catch(() => undefined)
    const tokens = await approval?.tokens().catch(() => undefined)
    if (!tokens) continue
    if (!tokens.refreshToken && tokens.expiresAt - now() < LASTING) return
  }
}
