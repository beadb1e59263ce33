import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Approval, NamedConsent } from '../../../../engine/suite-api/consents.ts'
import { visitEnd } from '../../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import { answerOf, refused } from '../../../../engine/suite-api/responses.ts'
import { everything } from '../../../consents.ts'

/**
 * The approval of a combination of permissions that version 3.1.2 does not allow and this
 * document does not exclude: not applicable where the bank refuses to create or to authorise it.
 */
export async function approvedUnlessRefused<Used extends NamedConsent>(
  { steps, approved }: Context<Used | typeof everything>,
  consent: Used,
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

/** The approval under which a requirement is judged; not applicable where the bank refuses such a consent. */
export function approvalOf<Used extends NamedConsent>(
  context: Context<Used | typeof everything>,
  consent: Used | typeof everything,
): Promise<Approval> {
  if (consent.optional) return approvedUnlessRefused<Used | typeof everything>(context, consent)
  return context.approved(consent)
}
