import { parseRedirect } from '../client/redirect.ts'
import type { Tpp } from '../client/tpp.ts'
import { type Target, USUAL_INTENT_CLAIM } from '../configuration/resolve.ts'
import { header } from '../wire/exchange.ts'
import type { Wire } from '../wire/wire.ts'
import { type DoctorFinding, wrong } from './finding.ts'

/**
 * Whether the bank takes a request object that carries the intent ID in the claim of the usual name, and refuses one that
 * carries it in the claim that the target file names. No document names that claim. Nobody logs in.
 *
 * @param consentId a consent that waits for its approval.
 * @returns undefined where the target file names the usual one, or the bank makes no difference.
 */
export async function intentClaimMistake(
  { target, wire }: { target: Pick<Target, 'intentClaim'>; wire: Pick<Wire, 'send'> },
  tpp: Pick<Tpp, 'authorisation'>,
  consentId: string,
): Promise<DoctorFinding | undefined> {
  const { intentClaim } = target
  if (intentClaim === USUAL_INTENT_CLAIM) return undefined
  /** The error with which a request is sent back before anybody has seen a page. */
  const refusal = async (claim: string) => {
    const claims = { id_token: { [claim]: { value: consentId, essential: true } } }
    const { url } = await tpp.authorisation(
      { consentId },
      { requestObject: { claims: { claims } } },
    )
    const exchange = await wire.send({
      ...{ endpoint: 'authorisation', identity: 'none', method: 'GET', url },
      headers: [['Accept', 'text/html']],
      about: { client: 'first', deviation: 'another name of the intent claim, and nobody logs in' },
    })
    const { status = 500 } = exchange.response ?? {}
    if (status >= 400) return `status ${status}`
    return parseRedirect(header(exchange, 'location') ?? '')?.error
  }
  const refused = await refusal(intentClaim)
  if (refused === undefined || (await refusal(USUAL_INTENT_CLAIM)) !== undefined) return undefined
  const text = `the bank refuses request objects with the claim ${intentClaim} (${refused}), and takes them with ${USUAL_INTENT_CLAIM}`
  return wrong('configuration', text, 'Correct literals.intentClaim, or leave it out.')
}
