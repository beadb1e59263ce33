import { now } from '../../record/clock.ts'
import type { Exchange } from '../../wire/exchange.ts'
import { type EventOf, type Events, inUse, lastOf } from './events.ts'
import { hasEnded, hasExpired, mayBeReplaced, newestByCode, type Older } from './newer-approvals.ts'

/** Why a request was refused, as far as the events of the run show. */
export type Why =
  /** Because of the content of the request: the refusal stands. */
  | 'the request'
  /** Because of a missing right: another token would not help, and the refusal stands. */
  | 'no right'
  /** The run itself ended the consent. */
  | 'consent ended'
  /** Another token of the same consent is now in use. */
  | 'refreshed'
  /** A newer token of the client, or a newer approval of the customer, may have replaced it (AMB-43). */
  | 'superseded'
  /** Its lifetime is over, or the bank never gave a lifetime. */
  | 'expired'
  /** No known reason ends the token before its time. */
  | 'too early'

/** The parts of a refusal on which the reason depends. */
type Refusal = Pick<Exchange, 'about' | 'response'>

/**
 * Why a token was refused.
 *
 * @param approval for which it was sent; absent for a token of a client alone.
 * @param at milliseconds since the epoch.
 */
export function why(
  events: Events,
  token: string,
  answer: Refusal,
  approval?: Older,
  at = now(),
): Why {
  const issued = lastOf(events, { kind: 'issued', token })
  if (!issued) return 'the request'
  const reason = approval
    ? whyOfApproval(events, issued, answer, approval)
    : whyOfClient(events, token, answer)
  const unexpected = reason === 'too early' || reason === 'superseded'
  return unexpected && !isPromised(events, token, at) ? 'expired' : reason
}

function whyOfClient(events: Events, token: string, { about, response }: Refusal): Why {
  const unauthorised = response?.status === 401
  // A bank may answer 401 to a wrong request, and to a token that a newer one ended.
  if (about.deviation !== undefined && !unauthorised) return 'the request'
  if (!isNewest(events, token)) return 'superseded'
  if (about.deviation !== undefined) return 'the request'
  return unauthorised ? 'too early' : 'no right'
}

function whyOfApproval(
  events: Events,
  { token, at }: EventOf<'issued'>,
  { about, response }: Refusal,
  approval: Older,
): Why {
  if (about.deviation !== undefined) return 'the request'
  if (hasEnded(events, approval.consentId)) return 'consent ended'
  // The status for data that are refused because of an invalid token is left open (Errors, AMB-41).
  const unauthorised = response?.status === 401
  if (!unauthorised && !mayBeReplaced(events, approval)) return 'no right'
  const latest = inUse(events, approval.consentId)?.accessToken
  if (latest !== undefined && latest !== token) return 'refreshed'
  // A newer approval may end the access token but not the refresh token.
  const newer = newestByCode(events, approval)
  return !unauthorised || (newer && newer.at > at) ? 'superseded' : 'too early'
}

/** Milliseconds at the end of a token's life in which clocks may disagree. */
const MARGIN = 5000

/** True if the access token should still be valid according to the bank. */
export function isPromised(events: Events, token: string, at = now()): boolean {
  const issued = lastOf(events, { kind: 'issued', token })
  if (!issued || hasExpired(events, token)) return false
  return at < issued.at + issued.expiresIn * 1000 - MARGIN
}

/** True if the bank has ended an older token of this client before, and this token is not the newest either. */
export function isOutdated(events: Events, client: string, token: string): boolean {
  return lastOf(events, { kind: 'superseded', client }) !== undefined && !isNewest(events, token)
}

/** True if it is the client's last token from a client_credentials grant. */
function isNewest(events: Events, token: string): boolean {
  const { client } = lastOf(events, { kind: 'issued', token }) ?? {}
  if (client === undefined) return false
  return lastOf(events, { kind: 'issued', client, grant: 'client_credentials' })?.token === token
}
