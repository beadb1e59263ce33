import { succeeded } from '../judge/matchers.ts'
import { NotApplicable } from '../judge/outcome.ts'
import type { Approval } from './approvals.ts'
import type { NamedConsent } from './consent.ts'
import type { HeldTokens } from './held-tokens.ts'
import type { IssuedTokens } from './issued-tokens.ts'

/**
 * Approvals in the order in which customers gave them. No sentence forbids a bank to end an approval when
 * the same customer gives the same client a newer one (AMB-43): then nothing is to judge under the older one.
 */
export interface GivenApprovals {
  add(approval: Approval, permissions: readonly string[]): void
  /**
   * Where its access token was refused.
   *
   * @throws NotApplicable when a newer approval reads data.
   */
  requireNewestReads(consent: NamedConsent): Promise<void>
  /**
   * Where its refresh token was refused.
   *
   * @throws NotApplicable when that of a newer approval gives tokens.
   */
  requireNewestRefreshes(consent: NamedConsent): Promise<void>
}

export function createGivenApprovals(held: HeldTokens, issued: IssuedTokens): GivenApprovals {
  const given: { approval: Approval; path: string }[] = []

  const newerThan = ({ name, client = 'first', customer = 'first' }: NamedConsent) => {
    const at = given.findIndex(({ approval }) => approval.name === name)
    const newer = given
      .slice(at + 1)
      .filter(({ approval }) => approval.tpp.name === client && approval.customer === customer)
      .filter(({ approval }) => held.of(approval.facts))
      .at(-1)
    return at < 0 || !newer || issued.hasEnded(newer.approval.consentId) ? undefined : newer
  }

  const ended = ({ name }: NamedConsent, newer: Approval) =>
    new NotApplicable(`the bank ended the approval “${name}” when “${newer.name}” was given`)

  return {
    add(approval, permissions) {
      given.push({ approval, path: readableWith(permissions) })
    },
    async requireNewestReads(consent) {
      const newer = newerThan(consent)
      if (!newer) return
      if (succeeded(await newer.approval.get(newer.path))) throw ended(consent, newer.approval)
    },
    async requireNewestRefreshes(consent) {
      const newer = newerThan(consent)?.approval
      if (newer && (await held.refresh(newer.facts, newer.tpp))) throw ended(consent, newer)
    },
  }
}

/** An address that a consent with these permissions opens. */
function readableWith(permissions: readonly string[]): string {
  if (permissions.some((name) => name.startsWith('ReadAccounts'))) return '/accounts'
  return permissions.includes('ReadBalances') ? '/balances' : '/transactions'
}
