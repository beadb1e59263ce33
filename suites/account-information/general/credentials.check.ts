import { check } from '../../../engine/suite-api/check.ts'
import { expectThat } from '../../../engine/suite-api/expect.ts'
import { requireExchange, requireValue } from '../../../engine/suite-api/flow.ts'
import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { member } from '../../../engine/suite-api/responses.ts'
import { everything, OF_EVERYBODY } from '../../consents.ts'

/** What a TPP learns of a customer's login. Requirements: specs/account-information/general.yaml */

/** Shorter texts could stand in a token by chance. */
const ENOUGH = 6

/** Claims whose values RFC 7519, RFC 9068 and OpenID Connect Core 1.0 define; a login does not choose them. */
const DEFINED = 'iss aud azp scope client_id acr amr nonce jti'.split(' ')

/** Claims that name somebody, or a way to reach them. */
const OF_A_PERSON = /user|name|login|mail|phone|upn|uid|principal/i

/** Credentials that are no user name, and claims that may hold one. */
const SECRET = /pass|pwd|pin|secret|code/i

/**
 * The credentials of a customer that are looked for in a claim.
 *
 * @param path the names of the claim and of the members inside that lead to it.
 */
function likelyIn(path: string, credentials: Record<string, string>): string[] {
  const known = Object.entries(credentials).filter(([, { length }]) => length >= ENOUGH)
  const isOfOne = OF_A_PERSON.test(path) || SECRET.test(path)
  const likely = known.filter(([name, value]) =>
    path === 'sub' ? SECRET.test(name) : isOfOne || !/^[a-z]+$/i.test(value),
  )
  return likely.map(([, value]) => value)
}

/**
 * The ID tokens of an approval, and its access token where that is a JWT. Fails: a claim is one of the credentials that the
 * target names for the customer, or has it before or behind the name of a realm, as in name@realm. Not judged: claims that
 * the target asks for, those whose values a standard defines, and a user name that sub has, which names the customer: customers of
 * some banks log in with their number. A credential that is a word stands by chance in a claim that names nobody.
 */
check(
  'GEN-39/in-tokens',
  'No token that the TPP can read reveals what the customer logs in with',
  { uses: [everything], over: OF_EVERYBODY },
  async ({ approved, steps, target }, consent) => {
    const { visit, tpp } = await approved(consent)
    const { credentials = {} } = target.document.customers[consent.customer ?? 'first'] ?? {}
    if (likelyIn('username', credentials).length === 0)
      throw new NotApplicable('the target names no credentials to look for')
    const exchanged = await steps.exchange(consent)
    requireValue(exchanged)
    const grant = requireExchange(exchanged)
    const told = (name: string) => member(grant.response?.json, name)
    const tokens = [
      ['ID token of the redirect', visit.redirect.idToken, visit.last],
      ['ID token of the token response', told('id_token'), grant],
      ['access token', told('access_token'), grant],
    ] as const
    const asked = Object.keys(tpp.client.requestObjectClaims?.claims?.id_token ?? {})
    for (const [what, token, exchange] of tokens) {
      const claims = (typeof token === 'string' && claimsOf(token)) || {}
      const judged = Object.entries(claims).filter(
        ([name]) => !DEFINED.includes(name) && !asked.includes(name),
      )
      const untold = Object.entries(credentials).filter(
        ([name, value]) => SECRET.test(name) || !holds(member(claims, 'sub'), value),
      )
      const secrets = Object.fromEntries(untold)
      const [name] = judged.find(([name, value]) => tells(name, value, secrets)) ?? []
      expectThat(name === undefined, {
        message: `${name} of the ${what} reveals what the customer logs in with`,
        expected: 'neither user name nor password',
        actual: 'one of them',
        exchange,
      })
    }
  },
)

/** Is a credential in a claim, or in a member of it, alone or beside a separator? */
function tells(path: string, value: unknown, credentials: Record<string, string>): boolean {
  if (Array.isArray(value)) return value.some((one) => tells(path, one, credentials))
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).some(([name, inner]) =>
      tells(`${path}.${name}`, inner, credentials),
    )
  }
  return likelyIn(path, credentials).some((one) => holds(value, one))
}

/** Is a text a value, or a part of it between separators? */
function holds(value: unknown, text: string): boolean {
  const whole = String(value).toLowerCase()
  const parts = [whole, ...whole.split(/[@/\\:|;,!() ]/)]
  return parts.includes(text.toLowerCase())
}
