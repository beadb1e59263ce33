import type { CheckOptions, Context } from '../../../engine/suite-api/check.ts'
import { now } from '../../../engine/suite-api/clock.ts'
import type { ClientName } from '../../../engine/suite-api/consents.ts'
import { matchers } from '../../../engine/suite-api/expect.ts'
import { claimsOf, type JwtDeviation } from '../../../engine/suite-api/jwt.ts'
import type { Place } from '../../tables.ts'
import { isWrong, JWS_GROUPS } from '../../values/jws-groups.ts'
import type { Jws, JwsRow } from '../../values/jws-rows.ts'
import { partiesOf } from '../common/tokens/wrong-authentications.ts'

/** Client assertions of the client_credentials grant. */

const CLIENT = { grant_type: 'client_credentials' } as const

/** A check of one part of a client assertion; its rows are chosen by their ids. */
interface AssertionCheck extends Pick<CheckOptions, 'follows' | 'needs'> {
  id: string
  title: string
  part: RegExp
}

export const ASSERTION_CHECKS: readonly AssertionCheck[] = [
  {
    id: 'TOK-07/tampered',
    title: 'A client assertion that was changed after signing is refused',
    part: JWS_GROUPS.tampered,
    follows: ['TOK-08/unsigned'],
  },
  {
    id: 'TOK-07/other-client',
    title: 'A client assertion that another client signed is refused',
    part: JWS_GROUPS.otherClient,
    follows: ['TOK-07/tampered'],
    needs: ['clients.second'],
  },
  {
    id: 'TOK-07/key',
    title: 'A client assertion that no key of the client signed is refused',
    part: JWS_GROUPS.otherKey,
    follows: ['TOK-07/tampered', 'TOK-07/other-client', 'TOK-08/hs256'],
  },
  {
    id: 'TOK-07/issuer',
    title: 'A client assertion whose iss is not the client_id is refused',
    part: /^iss-(?!and-sub)/,
  },
  {
    id: 'TOK-07/subject',
    title: 'A client assertion whose sub is not the client_id is refused',
    part: /^(sub|iss-and-sub)-/,
  },
  {
    id: 'TOK-07/audience',
    title: 'A client assertion for another server is refused',
    part: JWS_GROUPS.audience,
  },
  {
    id: 'TOK-07/expired',
    title: 'A client assertion that has expired is refused',
    part: JWS_GROUPS.expired,
  },
  {
    id: 'TOK-08/rs256',
    title: 'A client assertion that is signed with RS256 is refused',
    part: JWS_GROUPS.rs256,
  },
  {
    id: 'TOK-08/unsigned',
    title: 'A client assertion that is not signed is refused',
    part: JWS_GROUPS.unsigned,
  },
  {
    id: 'TOK-08/hs256',
    title:
      'A client assertion in HS256, with the public key of the client as its secret, is refused',
    part: JWS_GROUPS.hs256,
  },
  {
    id: 'TOK-08/other-algorithms',
    title: 'A client assertion that is signed with another algorithm than PS256 is refused',
    part: JWS_GROUPS.otherAlgorithms,
    follows: ['TOK-08/rs256'],
  },
]

/** The wrong rows of a part that a requirement forbids. */
export const wrongAssertions = (part: RegExp) => isWrong('must', part)

/** Rows of an assertion that is not good yet, or that must be understood in a way that nobody knows. */
export const isSelfRefusing = isWrong('should', JWS_GROUPS.notYetGood, JWS_GROUPS.critical)

/** Rows of claims that have no value, or one of another type. Missing claims have checks of their own. */
export const isOfOtherType = (row: JwsRow): boolean =>
  isWrong('should', /^(iss|sub|aud|exp|jti|assertion-made)-/)(row) && !/-missing/.test(row.id)

/** Rows of assertions that are no compact JWS, or none in PS256. */
export const isMalformed = isWrong('should', JWS_GROUPS.malformed)

/** The token endpoint, for each client: the bank looks up the keys and names of each separately. */
export function assertionPlaces(clients: readonly ClientName[]): Place<Jws, JwtDeviation>[] {
  return clients.map((name) => ({
    name: name === 'first' ? 'token' : 'token, second client',
    kind: 'token',
    async open(context: Context) {
      const { tpp, other, used = '' } = await partiesOf(context, name)
      const theirs = other?.registered?.client_id
      return {
        right: {
          kind: 'client-assertion',
          claims: claimsOf(used) ?? {},
          parties: {
            own: tpp.registered?.client_id ?? '',
            issuer: context.target.issuer,
            ...(other &&
              theirs !== undefined && { other: { id: theirs, kid: other.client.signing.kid } }),
          },
          now: Math.floor(now() / 1000),
        },
        ask: (assertion, deviation) => tpp.token(CLIENT, { assertion, deviation }),
        judge: matchers.toGiveNoToken,
      }
    },
  }))
}
