import type { Approval } from '../../engine/journey/approvals.ts'
import type { NamedConsent } from '../../engine/journey/consent.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { exchangeOf, OWNERS } from '../../engine/journey/steps.ts'
import { relyOn } from '../../engine/judge/expect.ts'
import { Blocked, Nonconformance } from '../../engine/judge/outcome.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import {
  accountsOnly,
  basicCredits,
  debitsInPeriod,
  everything,
  secondClient,
} from '../consents.ts'
import { changedSince, newlyQueried } from './common/consent-comparisons.ts'
import { consentPath } from './common/consent-requests.ts'
import { statusOf } from './common/ended-consents.ts'
import { expectMoved } from './common/status-updates.ts'

/**
 * GET /account-access-consents/{ConsentId} once a customer has approved it.
 * Requirements: specs/account-information/consents.yaml
 */

/** The creation of an approved consent, and a query after its approval. */
async function aroundApproval(
  { approved, steps }: Context,
  consent: NamedConsent,
): Promise<{ approval: Approval; creation: Exchange; query: Exchange }> {
  const approval = await approved(consent)
  const creation = exchangeOf(await steps.consent(consent))
  const query = await approval.get(consentPath(approval.consentId))
  relyOn(OWNERS.query, query)
  return { approval, creation, query }
}

check(
  'CONS-22/after-approval',
  'The query of an approved consent shows it as it was created',
  { uses: ['basic credits', 'debits in a period', 'accounts only', 'second client'] },
  async (context) => {
    // Not the first one: it has been re-confirmed, and what that does is AUTHZ-17's.
    const ofSecond = context.target.clients.second ? [secondClient] : []
    for (const consent of [basicCredits, debitsInPeriod, accountsOnly, ...ofSecond]) {
      const { creation, query } = await aroundApproval(context, consent)
      const finding = changedSince({ creation, query })
      if (!finding) continue
      const fresh = await newlyQueried(context)
      if (changedSince(fresh, ['Status'])) {
        const because = { kind: 'check', id: 'CONS-22/as-created' } as const
        throw new Blocked(because, 'a new consent is shown otherwise too', fresh.query)
      }
      throw new Nonconformance({ ...finding, exchange: query })
    }
  },
)

check(
  'CONS-29/after-approval',
  'Approval moves StatusUpdateDateTime where it changes Status',
  { uses: ['everything'] },
  async (context) => {
    const { approval, creation, query } = await aroundApproval(context, everything)
    if (statusOf(query) === statusOf(creation)) return
    const at = Date.parse((approval.visit.first ?? creation).startedAt)
    expectMoved({ before: creation, after: query, at, since: creation }, context)
  },
)
