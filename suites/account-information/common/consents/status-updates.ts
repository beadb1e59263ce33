import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../../../../engine/suite-api/check.ts'
import { expectThat, relyOn } from '../../../../engine/suite-api/expect.ts'
import {
  type CallDeviation,
  type Caller,
  standsStillFor,
  untilTimeHasMoved,
} from '../../../../engine/suite-api/flow.ts'
import { blockBy, blockForFreedom } from '../../../../engine/suite-api/outcomes.ts'
import { brief, type Exchange, member } from '../../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../../owners.ts'
import { nearlySameInstant, sameInstant, secondsOf } from '../instants.ts'
import { consentPath } from './consent-requests.ts'

/** A change of Status between two answers about one consent. */
interface Change {
  before: Exchange
  after: Exchange
  /** When it changed, by our clock, in milliseconds since 1970. */
  at: number
  /** The previous update, or an exchange after it: the creation, or a query. */
  since: Exchange
}

/**
 * Ends the check unless StatusUpdateDateTime moved with the change, to the
 * time of the change. Before its first update a consent need not have one.
 */
export function expectMoved({ before, after, at, since }: Change, { target }: Context): void {
  const [old, now] = [updateTold(before), updateTold(after)]
  const moved = secondsOf(now)
  if (now === undefined) {
    blockBy('CONS-30/status-update-date-time', 'there is no StatusUpdateDateTime', after)
  }
  const earlier = old === undefined ? -Infinity : secondsOf(old)
  if (earlier === undefined || moved === undefined) {
    const exchange = moved === undefined ? after : before
    blockBy('CONS-07/date-time', 'StatusUpdateDateTime is not a date-time', exchange)
  }
  // The time that was shown may be of any moment until that answer arrived.
  const apart = at - Date.parse(since.startedAt) - since.durationMs
  const same = old !== undefined && sameInstant(String(old), String(now))
  if (same && apart < Math.max(standsStillFor(String(old)), standsStillFor(String(now)))) {
    blockForFreedom('more time between two changes of Status than their spelling tells apart')
  }
  const earliest = Math.floor(at / 1000) - target.clockTolerance
  const latest = Math.ceil(answeredAt(after)) + target.clockTolerance
  const created = secondsOf(member(before.response?.json, 'Data', 'CreationDateTime'))
  const unmoved = isCreation(before, after, at)
  if (
    moved > latest &&
    created !== undefined &&
    created > answeredAt(before) + target.clockTolerance
  ) {
    blockBy('CONS-06/at-creation', 'CreationDateTime was in the future as well', before)
  }
  expectThat(!same && !unmoved && moved >= earlier && moved >= earliest && moved <= latest, {
    message: 'StatusUpdateDateTime is not the time at which Status changed',
    expected: `${new Date(at).toISOString()}, give or take ${target.clockTolerance} s`,
    actual: `${brief(now)}, before it ${old === undefined ? 'none' : brief(old)}`,
    exchange: after,
    place: '/Data/StatusUpdateDateTime',
  })
}

/**
 * Does the answer after a change still show the time of the creation as its update, although that was too
 * long before? Servers that create and update consents have different clocks, which may differ by a second.
 */
function isCreation(before: Exchange, after: Exchange, at: number): boolean {
  const now = updateTold(after)
  const created = member(before.response?.json, 'Data', 'CreationDateTime')
  if (secondsOf(now) === undefined || secondsOf(created) === undefined) return false
  const still = Math.max(standsStillFor(String(now)), standsStillFor(String(created)))
  const apart = at - Date.parse(before.startedAt) - before.durationMs
  return sameInstant(String(created), String(now)) && apart >= (still > 0 ? still + 1000 : 0)
}

/** StatusUpdateDateTime of an answer; undefined where it has none, or null (AMB-17). */
const updateTold = ({ response }: Exchange) =>
  member(response?.json, 'Data', 'StatusUpdateDateTime') ?? undefined

/** When an answer had arrived, in seconds since 1970. */
const answeredAt = ({ startedAt, durationMs }: Exchange) =>
  (Date.parse(startedAt) + durationMs) / 1000

/** Do two queries show the same StatusUpdateDateTime, to the precision of both, or one of them none? */
export function showSameUpdate(before: Exchange, after: Exchange): boolean {
  const [old, now] = [updateTold(before), updateTold(after)]
  if (secondsOf(old) === undefined || secondsOf(now) === undefined) return true
  return nearlySameInstant(String(old), String(now))
}

/**
 * Ends the check where StatusUpdateDateTime moves with what is done, at a time when a move would differ. Where it does, that
 * is done again after the settling time: one of the servers may have heard only then of an earlier change.
 */
export async function expectUntouchedBy(
  words: string,
  { settlingTime }: Context['target'],
  query: () => Promise<Exchange>,
  attempt: () => Promise<unknown>,
): Promise<void> {
  const around = async () => {
    const before = await query()
    relyOn(OWNERS.query, before).toSucceed()
    await untilTimeHasMoved(before, before)
    await wait(20)
    await attempt()
    const after = await query()
    relyOn(OWNERS.query, after).toSucceed()
    return [before, after] as const
  }
  if (showSameUpdate(...(await around()))) return
  await wait(settlingTime)
  expectUntouched(...(await around()), words)
}

/** Ends the check unless two queries show the same StatusUpdateDateTime. */
export function expectUntouched(before: Exchange, after: Exchange, by: string): void {
  expectThat(showSameUpdate(before, after), {
    message: `StatusUpdateDateTime was moved by ${by}`,
    expected: brief(updateTold(before)),
    actual: brief(updateTold(after)),
    exchange: after,
    place: '/Data/StatusUpdateDateTime',
  })
}

/**
 * Ends the check unless requests that are refused leave StatusUpdateDateTime of a consent. Each has a made-up token or
 * comes from another client.
 *
 * @param attempts sends them, and relies on the check that judges each
 */
export async function expectUntouchedByRefusals(
  target: Context['target'],
  owner: Pick<Caller, 'get'>,
  consentId: string,
  attempts: (path: string, madeUp: CallDeviation, foreign: CallDeviation) => Promise<void>,
): Promise<void> {
  const path = consentPath(consentId)
  const bearer = randomBytes(32).toString('base64url')
  const madeUp = { bearer, deviation: 'a made-up token' }
  await expectUntouchedBy(
    'a refused request',
    target,
    () => owner.get(path),
    () => attempts(path, madeUp, { deviation: 'a consent of another client' }),
  )
}
