import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { expect } from '../../../../engine/suite-api/expect.ts'
import { tokensOf, type Visit, type VisitOptions } from '../../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import { exchangeCode, expectCode } from './visits.ts'

/** The results of a re-confirmation: a code, a token for it, data with that token. */
export interface Confirmed {
  visit: Visit
  answer?: Exchange
  data?: Exchange
}

/** The customer authorises a consent again; from then on, the tokens for the new code are used. */
export async function confirmAgain(
  context: Context<never>,
  approval: Approval,
  purpose: string,
  options: Pick<VisitOptions, 'oneAccount'> = {},
): Promise<Confirmed> {
  const { consentId } = approval
  const visit = await context.visit({ ...options, purpose, consentId, correct: true })
  if (visit.kind !== 'granted') return { visit }
  const answer = await exchangeCode(approval, visit)
  const tokens = tokensOf(answer)
  if (tokens) approval.use(tokens)
  return { visit, answer, data: await approval.get('/accounts') }
}

/** Ends the check with a finding unless the re-confirmation gave a code, a token and data. */
export function expectConfirmed({ visit, answer, data }: Confirmed): void {
  expectCode(visit)
  if (answer) expect(answer).toGiveAToken()
  if (data) expect(data).toSucceed()
}
