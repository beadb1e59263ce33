import { matchers } from '../../../engine/suite-api/expect.ts'
import { percentDecoded } from '../../../engine/suite-api/responses.ts'
import type { everything } from '../../consents.ts'
import type { Place } from '../../tables.ts'
import { type ConsentIds, consentIdInClaim } from '../../values/identifier.ts'
import type { Value } from '../../values/value-type.ts'
import { accountAccess } from '../common/consents/consent-kinds.ts'
import { dearAuthorisation, foreseenVisits, openVisits } from '../common/places/visit-places.ts'
import { accountsGiven } from '../common/visits/visits.ts'

/** Places for the consent that a request object names. */

/** An id in a common format. */
const USUAL = { id: 'f47ac10b-58cc-4372-a567-0e02b2c3d479', ofOthers: {} }

/** The id names no consent that exists. Other existing consents are judged by AUTHZ-14 and AUTHZ-15. */
export const isOfNobody = ({ lawful, level, make }: Value<ConsentIds, unknown>) =>
  !lawful && level === 'must' && make(USUAL) !== undefined

export const foreseenIntents = foreseenVisits(consentIdInClaim, isOfNobody, 'first', {
  placeOf: dearAuthorisation,
  shared: false,
})

/** A visit of the first client whose request object has this value in place of the ConsentId. */
export function intentPlace(attended: boolean): Place<ConsentIds, unknown, typeof everything> {
  return {
    ...dearAuthorisation('first', attended),
    async open(context) {
      const caller = await context.caller()
      const { path } = await accountAccess.create(context, 'first')
      const id = percentDecoded(path.slice(path.lastIndexOf('/') + 1))
      const usual = caller.tpp.idTokenClaims()
      return openVisits(context, 'first', {
        right: { id, ofOthers: {} },
        wrong(value: unknown) {
          const intent = { [context.target.intentClaim]: { value, essential: true } }
          return { requestObject: { claims: { claims: { id_token: { ...usual, ...intent } } } } }
        },
        async judge(visit, words) {
          const answer = await accountsGiven(caller, visit, words)
          return answer && matchers.toBeRefused(answer)
        },
      })
    },
  }
}
