import { parseRedirect } from '../client/redirect.ts'
import type { Tpp } from '../client/tpp.ts'
import { type Target, USUAL_INTENT_CLAIM } from '../configuration/resolve.ts'
import { header } from '../wire/exchange.ts'
import type { Wire } from '../wire/wire.ts'
import { type DoctorFinding, wrong } from './finding.ts'

/**
 * Checks whether the bank refuses a request object with the intent ID in the claim that the target file names, but
 * accepts it in the usual claim. No document names that claim. Nobody logs in.
 *
 * @param consentId a consent that awaits approval.
 * @returns undefined if the target file names the usual claim, or if the bank makes no difference.
 */
export async function intentClaimMistake(
  { target, wire }: { target: Pick<Target, 'intentClaim'>; wire: Pick<Wire, 'send'> },
  tpp: Pick<Tpp, 'authorisation'>,
  consentId: string,
): Promise<DoctorFinding | undefined> {
  const { intentClaim } = target
  if (intentClaim === USUAL_INTENT_CLAIM) return undefined
  /** The error that a request gets before any page is shown; undefined if there is none. */
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
