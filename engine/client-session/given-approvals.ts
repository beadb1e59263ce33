import { member } from '../judge/data-rows.ts'
import { refused, succeeded } from '../judge/matchers.ts'
import { NotApplicable } from '../judge/outcome.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Approval, CallDeviation } from './caller.ts'
import { dataPaths, type NamedConsent } from './consent.ts'
import type { HeldTokens } from './held-tokens.ts'
import type { IssuedTokens } from './issued-tokens.ts'

/**
 * Approvals in the order in which customers gave them. No sentence forbids a bank to end an approval when
 * the same customer gives the same client a newer one (AMB-43): then nothing is to judge under the older one. One whose
 * data were refused before that has ended for another reason.
 *
 * @param queried the query of a consent, by its client
 * @param settlingTime milliseconds within which the end of a consent takes effect: until then what was replaced reads
 */
export function createGivenApprovals(
  held: HeldTokens,
  issued: IssuedTokens,
  queried: (consent: NamedConsent, id: string) => Promise<Exchange>,
  settlingTime: number,
) {
  const given: Given[] = []

  const givenOf = (name: string) => given.find(({ approval }) => approval.name === name)

  const besides = ({ name, client = 'first', customer = 'first' }: NamedConsent) => {
    const older = givenOf(name)
    const newer = given
      .slice(older && given.indexOf(older) + 1)
      .filter(({ approval }) => approval.tpp.name === client && approval.customer === customer)
      .filter(({ approval }) => held.of(approval.facts))
      .at(-1)
    return older && newer && { older, newer, gone: isGone(newer.approval) }
  }

  /** Has it ended, or its token expired where no refresh token gives another one? */
  const isGone = ({ consentId, facts }: Approval) => {
    const { accessToken = '', refreshToken } = held.of(facts) ?? {}
    return (
      issued.hasEnded(consentId) || (refreshToken === undefined && issued.hasExpired(accessToken))
    )
  }

  /** What the same customer approved for the same client later, for a check alone. */
  const approvedLater = ({ name }: NamedConsent) => {
    const older = givenOf(name)
    if (!older) return undefined
    const { tpp, customer, consentId } = older.approval
    const latest = issued.latestOf(tpp.registered?.client_id, customer)
    if (!latest || latest.at < older.at || hasReadSince(consentId, latest.at)) return undefined
    return { older, ...latest }
  }

  /** Has its customer approved another one since whose code is kept, so that nobody can ask by that? */
  const waitsForAnother = ({ name }: NamedConsent) => {
    const older = givenOf(name)
    if (!older) return false
    const { tpp, customer, consentId } = older.approval
    const at = issued.waitingSince(consentId, tpp.registered?.client_id, customer)
    return at !== undefined && !hasReadSince(consentId, at)
  }

  /** Were its data refused although the customer had approved nothing else for the client since it gave some? */
  const endedByItself = ({ name }: NamedConsent) => {
    const older = givenOf(name)
    if (!older) return false
    const { tpp, customer, consentId } = older.approval
    const to = issued.refusedSince(consentId)
    const from = issued.lastRead(consentId) - settlingTime
    if (to === undefined || from <= 0) return false
    return !issued.approvedWithin(consentId, tpp.registered?.client_id, customer, { from, to })
  }

  /** Has it given data since another one was given so long ago that it was not replaced by that? */
  const hasReadSince = (consentId: string, at: number) =>
    issued.lastRead(consentId) >= at + settlingTime

  /** Does it give data all the same? Then something was refused for another reason than its end. */
  const stillReads = async ({ name }: NamedConsent) => {
    const older = givenOf(name)
    const bearer = older && held.of(older.approval.facts)?.accessToken
    if (!older || bearer === undefined) return false
    return reads(older, { bearer, deviation: 'does this approval still give data?' })
  }

  const ended = ({ name }: NamedConsent, newer: string) =>
    new NotApplicable(`the bank ended the approval “${name}” when ${newer} was given`)

  return {
    all: (): readonly Approval[] => given.map(({ approval }) => approval),
    add(approval: Approval, permissions: readonly string[]) {
      given.push({ approval, paths: dataPaths(permissions), at: Date.now() })
    },
    /** Did the same customer give the same client a newer one, and has this one read nothing since that took effect? */
    mayBeReplaced(consent: NamedConsent) {
      if (endedByItself(consent)) return false
      const { older, newer } = besides(consent) ?? {}
      if (older && newer && !hasReadSince(older.approval.consentId, newer.at)) return true
      return approvedLater(consent) !== undefined || waitsForAnother(consent)
    },
    /**
     * Where data are refused with whatever status.
     *
     * @throws NotApplicable when its query shows that it ended, and it read nothing since a newer one took effect.
     */
    async requireNotReplaced(consent: NamedConsent) {
      const older = givenOf(consent.name)
      if (!older || endedByItself(consent)) return
      const { tpp, customer, consentId } = older.approval
      const at = issued.approvedAnother(consentId, tpp.registered?.client_id, customer)
      if (at === undefined || hasReadSince(consentId, at)) return
      if (showsTheEnd(await queried(consent, consentId))) throw ended(consent, 'a later one')
    },
    /**
     * Where its access token was refused.
     *
     * @throws NotApplicable when it reads no data any more, and a newer approval does, or did before it ended, or is
     *   one whose code is kept.
     */
    async requireNewestReads(consent: NamedConsent) {
      if (endedByItself(consent) || (await stillReads(consent))) return
      const { older, newer, gone } = besides(consent) ?? {}
      if (older && newer) {
        // What has ended cannot be asked: only data that the older one gave beside it say that both stood.
        const replaced = gone
          ? !hasReadSince(older.approval.consentId, newer.at)
          : await reads(newer)
        if (replaced) throw ended(consent, `“${newer.approval.name}”`)
      }
      if (waitsForAnother(consent)) throw ended(consent, 'a later one')
      const later = approvedLater(consent)
      if (!later) return
      if (later.gone) throw ended(consent, 'a later one')
      const message = { bearer: later.token, deviation: 'the token of a later approval' }
      if (await reads(later.older, message)) throw ended(consent, 'a later one')
    },
    /**
     * Where its refresh token was refused.
     *
     * @throws NotApplicable when that of a newer approval gives tokens, or it has ended and the older one reads nothing.
     */
    async requireNewestRefreshes(consent: NamedConsent) {
      if (endedByItself(consent)) return
      const { newer, gone } = besides(consent) ?? {}
      if (newer && !gone && (await held.refresh(newer.approval.facts, newer.approval.tpp))) {
        throw ended(consent, `“${newer.approval.name}”`)
      }
      const older = givenOf(consent.name)
      // Refused data end at requireNewestReads.
      if (older && (gone || approvedLater(consent))) await reads(older)
    },
  }
}

/** The transition to Authorised is not shown: a Status may lag behind the approval. */
function showsTheEnd(query: Exchange): boolean {
  const status = member(query.response?.json, 'Data', 'Status')
  if (!succeeded(query)) return refused(query)
  return typeof status === 'string' && !['AwaitingAuthorisation', 'Authorised'].includes(status)
}

/** Does any address that its permissions open give data? */
async function reads({ approval, paths }: Given, message?: CallDeviation): Promise<boolean> {
  for (const path of paths) if (succeeded(await approval.get(path, message))) return true
  return false
}

/** An approval, addresses that it may read, and when it was given, in milliseconds since the epoch. */
interface Given {
  approval: Approval
  paths: string[]
  at: number
}
