import type { TokenDeviation } from '../../../engine/suite-api/client.ts'
import { requireValue, tokensOf } from '../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { codeOfAnotherClient, everything } from '../../consents.ts'
import { partiesOf, REPLAYED, WRONG_AUTHENTICATIONS } from './wrong-authentications.ts'

/** The requirement's id within that of a check. */
export const requirementOf = (id: string): string => id.slice(0, id.indexOf('/'))

/** One attempt to exchange a code with something wrong about the client. */
interface Attempt {
  /** The check that tries the same with client_credentials. */
  id: string
  wrong: TokenDeviation
  answer: Exchange
}

/**
 * One code, at once, since it lives for a minute: tried by the second client, then by its own with each
 * wrong authentication, until a token comes; then as it should be. The approval goes on with its tokens.
 */
export const tryOwnCode = sharedFixture([everything, codeOfAnotherClient], async (context) => {
  requireValue(await context.steps.exchange(everything))
  const parties = await partiesOf(context)
  const approval = await context.approved(codeOfAnotherClient)
  const { code, request } = approval.visit
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: request.redirectUri,
  } as const
  const foreign = await parties.other?.token(grant, { deviation: 'a code of the first client' })
  const tried: Attempt[] = []
  for (const { id, attempts, byAnother } of [...WRONG_AUTHENTICATIONS, REPLAYED]) {
    if (byAnother && !parties.other) continue
    for (const wrong of attempts(parties)) {
      if ([foreign, ...tried.map(({ answer }) => answer)].some((x) => x && tokensOf(x))) break
      tried.push({ id, wrong, answer: await parties.tpp.token(grant, wrong) })
    }
  }
  const right = await parties.tpp.token(grant, { deviation: 'a code that was refused before' })
  const tokens = tokensOf(right)
  if (tokens) approval.use(tokens)
  return { foreign, tried, right, approval }
})
