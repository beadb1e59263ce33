import type { Approval } from '../../../engine/journey/approvals.ts'
import type { NamedConsent } from '../../../engine/journey/consent.ts'
import type { Context } from '../../../engine/journey/context.ts'
import { visitEnd } from '../../../engine/journey/visit.ts'
import { answerOf, refused } from '../../../engine/judge/matchers.ts'
import { NotApplicable } from '../../../engine/judge/outcome.ts'
import { everything } from '../../consents.ts'

/**
 * The approval of a combination of permissions that version 3.1.2 doesn't know and that this
 * document doesn't exclude: not applicable where the bank refuses to create or to authorise it.
 */
export async function approvedUnlessRefused(
  { steps, approved }: Context,
  consent: NamedConsent,
): Promise<Approval> {
  await approved(everything)
  const { exchange } = await steps.consent(consent)
  if (exchange && refused(exchange)) {
    const answer = answerOf(exchange)
    throw new NotApplicable(`the bank creates no such consent (${consent.name}): ${answer}`)
  }
  const { value, visit } = await steps.visit(consent)
  if (!value && visit) {
    const end = visitEnd(visit)
    throw new NotApplicable(`the bank authorises no such consent (${consent.name}): ${end}`)
  }
  return approved(consent)
}
