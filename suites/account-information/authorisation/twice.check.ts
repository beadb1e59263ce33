import { randomUUID } from 'node:crypto'
import { check } from '../../../engine/suite-api/check.ts'
import { redirectsTo } from '../../../engine/suite-api/client.ts'
import { expectThat } from '../../../engine/suite-api/expect.ts'
import { claimsOf, encodedPart } from '../../../engine/suite-api/jwt.ts'
import { everything } from '../../consents.ts'
import { elsewhere, expectAnswered, expectNoCode, wrongVisit } from '../common/visits/visits.ts'

/**
 * GET /authorize: parameters that come twice. Which of two a bank takes, or whether it refuses both, is not judged.
 * Requirements: specs/account-information/authorisation.yaml
 */

const PLACES = ['first', 'last'] as const

const beside = (text: string, other: string, place: (typeof PLACES)[number]) =>
  place === 'first' ? `${other}&${text}` : `${text}&${other}`

const OBJECT = 'a second request object that was changed after signing'

check(
  'AUTHZ-51/request',
  'A request object that was changed after signing has no effect beside the signed one',
  { uses: [everything], refusals: PLACES.map((place) => `${OBJECT}, ${place}`) },
  async (context) => {
    for (const place of PLACES) {
      const nonce = randomUUID()
      const respelled = (text: string) => {
        const signed = new URLSearchParams(text).get('request') ?? ''
        return beside(text, `request=${changed(signed, nonce)}`, place)
      }
      const purpose = `${OBJECT}, ${place}`
      const visit = await wrongVisit(context, { purpose, deviation: { respelled } })
      expectAnswered(visit)
      if (visit.kind !== 'granted') continue
      const { nonce: answered } = claimsOf(visit.redirect.idToken ?? '') ?? {}
      expectThat(answered !== nonce, {
        message: 'the ID token has the nonce of the request object that was changed',
        expected: 'an error, or the nonce of the signed request object',
        actual: 'the nonce that nobody signed',
        exchange: visit.last,
      })
    }
  },
)

/** With its signature, but another nonce. */
function changed(signed: string, nonce: string): string {
  const [header, , signature] = signed.split('.')
  return [header, encodedPart({ ...claimsOf(signed), nonce }), signature].join('.')
}

const URI = 'a second redirect URI that is not registered'

check(
  'AUTHZ-51/redirect-uri',
  'A redirect URI that is not registered receives no code beside a registered one',
  {
    uses: [everything],
    refusals: PLACES.map((place) => `${URI}, ${place}`),
    follows: ['AUTHZ-08/unregistered', 'AUTHZ-08/contradicted'],
  },
  async (context) => {
    const { tpp } = await context.caller()
    const registered = tpp.registered?.redirect_uris[0] ?? tpp.client.redirectUris[0]
    for (const place of PLACES) {
      const uri = elsewhere()
      const right = new URLSearchParams({ redirect_uri: registered ?? '' }).toString()
      const visit = await wrongVisit(context, {
        purpose: `${URI}, ${place}`,
        redirectUri: registered,
        deviation: {
          query: { redirect_uri: uri },
          respelled: (text) => beside(text, right, place === 'first' ? 'last' : 'first'),
        },
      })
      const there = visit.kind !== 'stopped' && redirectsTo(visit.redirect, uri)
      if (there) expectNoCode(visit)
      else expectAnswered(visit)
    }
  },
)
