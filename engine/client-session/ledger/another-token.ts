import type { Tpp } from '../../client/tpp.ts'
import { NotApplicable } from '../../judge/outcome.ts'
import type { ConsentFacts } from '../../wire/exchange.ts'
import type { NamedConsent } from '../consent.ts'
import { inUse, type Ledger } from './events.ts'
import type { HeldTokens } from './held-tokens.ts'
import { ageOf, type RefusedToken, type Replacement } from './refused-token.ts'
import type { ReplacedApprovals } from './replaced-approvals.ts'
import { isPromised, why } from './why.ts'

/**
 * Another token for data, where the bank refused one of an approval: the token that followed it, or the result of a
 * refresh; undefined: the refusal stands.
 *
 * @throws NotApplicable if the run, or a newer approval, ended this one.
 */
export async function anotherForApproval(
  { ledger, held, replaced }: { ledger: Ledger; held: HeldTokens; replaced: ReplacedApprovals },
  { named, facts, client }: { named: NamedConsent; facts: ConsentFacts; client: Tpp },
  { token, answer }: RefusedToken,
): Promise<Replacement | undefined> {
  const { events } = ledger
  const approval = replaced.of(named.name)
  if (!approval) return undefined
  const whyNow = () => why(events, token, answer, approval)
  const { status = 0 } = answer.response ?? {}
  const atFirst = whyNow()
  if (atFirst === 'the request') return undefined
  // A check that is judged this late verifies what an ending check relied on, where its own chapter is not selected.
  if (atFirst === 'consent ended') {
    throw new NotApplicable(`the run has ended the approval “${named.name}” before`)
  }
  const withdrawn = [401, 403].includes(status) && !answer.about.optional
  if (withdrawn && isPromised(events, token)) {
    ledger.add({ kind: 'refused', consentId: facts.id }, Date.parse(answer.startedAt))
  }
  await replaced.requireNotReplaced(named)
  const reason = whyNow()
  if (reason === 'no right') return undefined
  const latest = inUse(events, facts.id)?.accessToken
  if (reason === 'refreshed' && latest !== undefined) return { token: latest }
  const instead = { ...ageOf(events, token, answer), newest: true }
  const next = await held.refresh(facts, client)
  // A refusal for lack of a right is judged as it is, unless a newer approval took that right.
  if (!next || status !== 401) {
    await replaced.requireNewestReads(named)
    return undefined
  }
  return { token: next.accessToken, ...(reason === 'too early' && { instead }) }
}
