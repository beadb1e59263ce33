import { member } from '../../judge/data-rows.ts'
import { refused, succeeded } from '../../judge/matchers.ts'
import { NotApplicable } from '../../judge/outcome.ts'
import type { Exchange } from '../../wire/exchange.ts'
import type { Approval, CallDeviation } from '../caller.ts'
import { dataPaths, type NamedConsent } from '../consent.ts'
import { inUse, type Ledger, lastOf } from './events.ts'
import type { HeldTokens } from './held-tokens.ts'
import {
  endedByItself,
  hasReadSince,
  mayShowItsEnd,
  newerCodeWaits,
  newerGiven,
  newerToken,
  type Older,
} from './newer-approvals.ts'

export type ReplacedApprovals = ReturnType<typeof createReplacedApprovals>

/** Asks the bank whether a newer approval replaced an older one, where the ledger shows that it may have (AMB-43). */
export function createReplacedApprovals(parts: {
  ledger: Ledger
  held: HeldTokens
  /** Queries a consent as its client. */
  queried(consent: NamedConsent, id: string): Promise<Exchange>
  settlingTime: number
}) {
  const { ledger, held, queried, settlingTime } = parts
  const { events } = ledger
  const approvals = new Map<string, { approval: Approval; paths: string[] }>()

  const olderOf = (name: string): Older | undefined => {
    const given = lastOf(events, { kind: 'given', name })
    const clientId = approvals.get(name)?.approval.tpp.registered?.client_id
    return given && { ...given, clientId, settlingTime }
  }

  /** True if any address that its permissions open gives data. */
  const reads = async (name: string, message?: CallDeviation): Promise<boolean> => {
    const { approval, paths = [] } = approvals.get(name) ?? {}
    for (const path of paths)
      if (approval && succeeded(await approval.get(path, message))) return true
    return false
  }

  /** True if it still gives data: then the refusal has another reason than its end. */
  const stillReads = async ({ name, consentId }: Older): Promise<boolean> => {
    const bearer = inUse(events, consentId)?.accessToken
    if (bearer === undefined) return false
    return reads(name, { bearer, deviation: 'does this approval still give data?' })
  }

  const replaced = (name: string, newer = 'a later one') =>
    new NotApplicable(`the bank ended the approval “${name}” when ${newer} was given`)

  return {
    all: (): readonly Approval[] => [...approvals.values()].map(({ approval }) => approval),
    of: olderOf,
    add(approval: Approval, permissions: readonly string[]): void {
      const { name, tpp, customer, consentId } = approval
      approvals.set(name, { approval, paths: dataPaths(permissions) })
      ledger.add({ kind: 'given', name, client: tpp.name, customer, consentId })
    },
    /**
     * For data that were refused with any status.
     *
     * @throws NotApplicable when its query shows that it ended, and it has read nothing since a newer one took effect.
     */
    async requireNotReplaced(consent: NamedConsent): Promise<void> {
      const older = olderOf(consent.name)
      if (!older || !mayShowItsEnd(events, older)) return
      if (showsTheEnd(await queried(consent, older.consentId))) throw replaced(older.name)
    },
    /**
     * For an access token that was refused.
     *
     * @throws NotApplicable when it no longer reads data, and a newer approval does, or did before it ended, or has a
     *   code that a check keeps.
     */
    async requireNewestReads({ name }: NamedConsent): Promise<void> {
      const older = olderOf(name)
      if (!older || endedByItself(events, older) || (await stillReads(older))) return
      const newer = newerGiven(events, older)
      if (newer) {
        // An ended approval cannot be tried: only data that the older one gave beside it show that both were valid.
        const alone = newer.gone ? !hasReadSince(events, older, newer.at) : await reads(newer.name)
        if (alone) throw replaced(name, `“${newer.name}”`)
      }
      if (newerCodeWaits(events, older)) throw replaced(name)
      const later = newerToken(events, older)
      if (!later) return
      const message = { bearer: later.token, deviation: 'the token of a later approval' }
      if (later.gone || (await reads(name, message))) throw replaced(name)
    },
    /**
     * For a refresh token that was refused.
     *
     * @throws NotApplicable when a newer approval's gives tokens, or that one has ended and the older one reads
     *   nothing.
     */
    async requireNewestRefreshes({ name }: NamedConsent): Promise<void> {
      const older = olderOf(name)
      if (!older || endedByItself(events, older)) return
      const newer = newerGiven(events, older)
      const approval = newer && approvals.get(newer.name)?.approval
      if (approval && !newer.gone && (await held.refresh(approval.facts, approval.tpp))) {
        throw replaced(name, `“${newer.name}”`)
      }
      // If these data are refused, requireNewestReads throws.
      if (newer?.gone || newerToken(events, older)) await reads(name)
    },
  }
}

/** AwaitingAuthorisation does not show an end either: a Status may lag behind the approval. */
function showsTheEnd(query: Exchange): boolean {
  const status = member(query.response?.json, 'Data', 'Status')
  if (!succeeded(query)) return refused(query)
  return typeof status === 'string' && !['AwaitingAuthorisation', 'Authorised'].includes(status)
}
