import { allOf, type Event, type EventOf, type Events, inUse, lastOf } from './events.ts'

/**
 * An approval that a newer one may have replaced. No sentence forbids a bank to end an approval when the same customer
 * gives the same client a newer one (AMB-43); nothing can then be judged under the older one.
 */
export interface Older extends EventOf<'given'> {
  /** The current client_id of its client. */
  clientId?: string
  /** Milliseconds until the end of a consent takes effect: until then a replaced approval can still read. */
  settlingTime: number
}

/** True if its data were refused although the customer approved nothing else for the client since its last read. */
export function endedByItself(events: Events, older: Older): boolean {
  const { consentId, settlingTime } = older
  const read = lastOf(events, { kind: 'read', consentId })
  if (!read) return false
  const refused = allOf(events.slice(events.indexOf(read)), { kind: 'refused', consentId })[0]
  if (!refused) return false
  return !approvedAlike(events, older).some(
    (other) =>
      other.consentId !== consentId && other.at >= read.at - settlingTime && other.at <= refused.at,
  )
}

/** True if it has given data so long after a newer approval that the newer one did not replace it. */
export function hasReadSince(events: Events, older: Older, at: number): boolean {
  const read = lastOf(events, { kind: 'read', consentId: older.consentId })
  return read !== undefined && read.at >= at + older.settlingTime
}

/** True if its query may show that a newer approval replaced it. */
export function mayShowItsEnd(events: Events, older: Older): boolean {
  const approved = approvedAlike(events, older)
  const own = approved.findLastIndex(({ consentId }) => consentId === older.consentId)
  const next = own < 0 ? undefined : approved[own + 1]
  return (
    next !== undefined && !hasReadSince(events, older, next.at) && !endedByItself(events, older)
  )
}

/** True if a newer approval may have replaced it, whatever its query shows. */
export function mayBeReplaced(events: Events, older: Older): boolean {
  if (endedByItself(events, older)) return false
  const newer = newerGiven(events, older)
  if (newer && !hasReadSince(events, older, newer.at)) return true
  return newerToken(events, older) !== undefined || newerCodeWaits(events, older)
}

/** The last later approval that has tokens. `gone`: the run ended it, so it cannot be tried any more. */
export function newerGiven(events: Events, older: Older) {
  const { name, client, customer } = older
  const own = events.findIndex((event) => event.kind === 'given' && event.name === name)
  const newer = allOf(events.slice(own + 1), { kind: 'given', client, customer }).findLast(
    ({ consentId }) => inUse(events, consentId),
  )
  if (!newer) return undefined
  const { accessToken = '', refreshToken } = inUse(events, newer.consentId) ?? {}
  const expired = refreshToken === undefined && hasExpired(events, accessToken)
  return { ...newer, gone: expired || hasEnded(events, newer.consentId) }
}

/** The token of the last later code, even if only a check used it, unless this approval has read since. */
export function newerToken(events: Events, older: Older) {
  const newest = newestByCode(events, older)
  if (!newest || newest.at < older.at || hasReadSince(events, older, newest.at)) return undefined
  const { token, code } = newest
  const { consentId = '' } = lastOf(events, { kind: 'approved', code }) ?? {}
  const ended = hasEnded(events, consentId) || usesOf(events, code) > 1
  return { token, gone: ended || hasExpired(events, token) }
}

/** True if its customer has since approved another one whose code a check keeps, so that it cannot be tried. */
export function newerCodeWaits(events: Events, older: Older): boolean {
  const last = approvedAlike(events, older).at(-1)
  if (!last || last.consentId === older.consentId || usesOf(events, last.code) > 0) return false
  return !hasReadSince(events, older, last.at)
}

/** The last token that the same client got for a code of the same customer. */
export function newestByCode(events: Events, { clientId, customer }: Older) {
  return lastOf(events, { kind: 'issued', clientId, customer })
}

/** True if the run has deleted the consent, or had it revoked or expired. */
export function hasEnded(events: Events, consentId: string): boolean {
  return lastOf(events, { kind: 'ended', consentId }) !== undefined
}

/** True if a hook made the access token expire. */
export function hasExpired(events: Events, token: string): boolean {
  return lastOf(events, { kind: 'expired', token }) !== undefined
}

/** What the same customer approved for the same client, in order. */
function approvedAlike(events: Events, { clientId, customer }: Older) {
  return allOf(events, { kind: 'approved', clientId, customer })
}

/** How often the code of an approval was sent, counted from the first time that it gave a token. */
function usesOf(events: Events, code: string): number {
  const isIt = (event: Event) => event.kind === 'approved' && event.code === code
  const sent = events
    .slice(events.findLastIndex(isIt) + 1)
    .filter((event) => 'code' in event && event.code === code)
  const first = sent.findIndex(({ kind }) => kind === 'issued')
  return first < 0 ? 0 : sent.length - first
}
