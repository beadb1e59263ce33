import { now } from '../../record/clock.ts'
import type { Exchange } from '../../wire/exchange.ts'
import { type EventOf, type Events, inUse, lastOf } from './events.ts'
import { hasEnded, hasExpired, mayBeReplaced, newestByCode, type Older } from './newer-approvals.ts'

/** Why a request of ours was refused, as far as the events of the run tell. */
export type Why =
  /** For what the request says: the answer stands. */
  | 'the request'
  /** For want of a right: another token would not help, the answer stands. */
  | 'no right'
  /** The run itself ended the consent. */
  | 'consent ended'
  /** Another token of the same consent is in use by now. */
  | 'refreshed'
  /** A newer token of the client, or a newer approval of the customer, may have replaced it (AMB-43). */
  | 'superseded'
  /** Its time is over, or the bank never said how long it lives. */
  | 'expired'
  /** Nothing is known that ends a token before its time. */
  | 'too early'

/** An answer that refuses, as far as the reason depends on it. */
type Refusal = Pick<Exchange, 'about' | 'response'>

/**
 * Why a token was refused.
 *
 * @param approval for which it was sent; absent where it is one of a client alone.
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
  // What is wrong with a request may be answered 401 too; so may a token that a newer one ended.
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
  // By which status data are refused with a token that is not taken any more is left open (Errors, AMB-41).
  const unauthorised = response?.status === 401
  if (!unauthorised && !mayBeReplaced(events, approval)) return 'no right'
  const latest = inUse(events, approval.consentId)?.accessToken
  if (latest !== undefined && latest !== token) return 'refreshed'
  // A newer approval may end the access token, and leave the refresh token.
  const newer = newestByCode(events, approval)
  return !unauthorised || (newer && newer.at > at) ? 'superseded' : 'too early'
}

/** Milliseconds of a token's life at whose end clocks may disagree. */
const MARGIN = 5000

/** Should the access token still live, by what the bank said of it? */
export function isPromised(events: Events, token: string, at = now()): boolean {
  const issued = lastOf(events, { kind: 'issued', token })
  if (!issued || hasExpired(events, token)) return false
  return at < issued.at + issued.expiresIn * 1000 - MARGIN
}

/** Has the bank ended an older token of this client before, and is this one older too? */
export function isOutdated(events: Events, client: string, token: string): boolean {
  return lastOf(events, { kind: 'superseded', client }) !== undefined && !isNewest(events, token)
}

/** Is it the last one of its client's from a client_credentials grant? */
function isNewest(events: Events, token: string): boolean {
  const { client } = lastOf(events, { kind: 'issued', token }) ?? {}
  if (client === undefined) return false
  return lastOf(events, { kind: 'issued', client, grant: 'client_credentials' })?.token === token
}
