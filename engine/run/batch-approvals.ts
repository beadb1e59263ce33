import type { NamedConsent } from '../client-session/consent.ts'
import type { Session } from '../client-session/session.ts'
import { now } from '../record/clock.ts'

/** Milliseconds for which tokens must last to be asked for early: a run with a person is slow. */
const LASTING = 3_600_000

/**
 * Asks for everything that lives long enough in one sitting. Where the bank issues neither refresh
 * tokens nor tokens that outlast the run, each approval is asked for just before its checks. So is
 * a code that is to be left alone, which lives for a minute, and a consent that is to expire soon.
 */
export async function batchApprovals(session: Session, consents: NamedConsent[]): Promise<void> {
  for (const consent of consents) {
    const { keepsCode, toExpire, client = 'first', customer = 'first' } = consent
    if (keepsCode || (toExpire && session.hooks.shortLife !== undefined)) continue
    const { clients, document } = session.target
    if (!clients[client] || !document.customers[customer]) continue
    // What goes wrong is remembered, and blocks the checks that it concerns.
    const approval = await session.approved(consent).catch(() => undefined)
    const tokens = await approval?.tokens().catch(() => undefined)
    if (!tokens) continue
    if (!tokens.refreshToken && tokens.expiresAt - now() < LASTING) return
  }
}
