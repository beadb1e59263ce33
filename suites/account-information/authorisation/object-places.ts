import type { CheckOptions, Context, Foreseen } from '../../../engine/suite-api/check.ts'
import { now } from '../../../engine/suite-api/clock.ts'
import type { ClientName } from '../../../engine/suite-api/consents.ts'
import { claimsOf, type JwtDeviation } from '../../../engine/suite-api/jwt.ts'
import { everything } from '../../consents.ts'
import type { Place } from '../../tables.ts'
import { jws } from '../../values/jws.ts'
import { isLawful, isWrong, JWS_GROUPS } from '../../values/jws-groups.ts'
import type { Jws, JwsRow } from '../../values/jws-rows.ts'
import { foreseenPages, usualPagePlace } from '../common/places/usual-page.ts'
import {
  authorisationOf,
  foreseenVisits,
  type Named,
  openVisits,
} from '../common/places/visit-places.ts'
import { approvedBefore } from '../common/visits/visits.ts'

/** Request objects of authorisation requests. */

/** A check of one part of a request object; its rows are chosen by their ids. */
interface ObjectCheck extends Pick<CheckOptions, 'follows' | 'needs'> {
  id: string
  title: string
  rows: (row: JwsRow) => boolean
  /** One value of each part of the grammar is enough. */
  dear?: true
}

/** A sample request object, with which a plan determines the rows in advance. */
const SOME: Jws = {
  kind: 'request-object',
  claims: { iss: 'kB1', client_id: 'kB1', aud: 'https://bank.example', exp: 300, iat: 0 },
  parties: { own: 'kB1', other: { id: 'other', kid: 'other' }, issuer: 'https://bank.example' },
  now: 0,
}

const wrong =
  (level: 'must' | 'should', ...parts: RegExp[]) =>
  (row: JwsRow): boolean =>
    isWrong(level, ...parts)(row) && row.make(SOME) !== undefined

export const OBJECT_CHECKS: readonly ObjectCheck[] = [
  {
    id: 'AUTHZ-11/unsigned',
    title: 'A request object that is not signed is refused',
    rows: wrong('must', JWS_GROUPS.unsigned),
  },
  {
    id: 'AUTHZ-11/rs256',
    title: 'A request object that is signed with RS256 is refused',
    rows: wrong('must', JWS_GROUPS.rs256),
  },
  {
    id: 'AUTHZ-11/hs256',
    title: 'A request object in HS256, with the public key of the client as its secret, is refused',
    rows: wrong('must', JWS_GROUPS.hs256),
  },
  {
    id: 'AUTHZ-11/other-algorithms',
    title: 'A request object that is signed with another algorithm than PS256 is refused',
    rows: wrong('must', JWS_GROUPS.otherAlgorithms),
    follows: ['AUTHZ-11/rs256'],
  },
  {
    id: 'AUTHZ-11/tampered',
    title: 'A request object that was changed after signing is refused',
    rows: wrong('must', JWS_GROUPS.tampered),
    follows: ['AUTHZ-11/unsigned'],
  },
  {
    id: 'AUTHZ-11/other-client',
    title: 'A request object that another client signed is refused',
    rows: wrong('must', JWS_GROUPS.otherClient),
    follows: ['AUTHZ-11/tampered'],
    needs: ['clients.second'],
  },
  {
    id: 'AUTHZ-11/key',
    title: 'A request object that no key of the client signed is refused',
    rows: wrong('must', JWS_GROUPS.otherKey),
    follows: ['AUTHZ-11/tampered', 'AUTHZ-11/other-client', 'AUTHZ-11/hs256'],
  },
  {
    id: 'AUTHZ-25/expired',
    title: 'A request object that has expired is refused',
    rows: wrong('should', JWS_GROUPS.expired),
  },
  {
    id: 'AUTHZ-25/other-audience',
    title: 'A request object that is meant for another server is refused',
    rows: wrong('should', JWS_GROUPS.audience),
  },
  {
    id: 'AUTHZ-25/not-yet-good',
    title: 'A request object that is not valid yet is refused',
    rows: wrong('should', JWS_GROUPS.notYetGood),
  },
  {
    id: 'AUTHZ-25/critical',
    title: 'A request object with an unknown critical extension is refused',
    rows: wrong('should', JWS_GROUPS.critical),
    follows: ['AUTHZ-11/tampered'],
  },
  {
    id: 'AUTHZ-37/similar',
    title: 'A request object whose client_id or iss is nearly the right one is refused',
    // Another client's are sent by AUTHZ-37/client-id and AUTHZ-37/issuer.
    rows: (row) => wrong('should', /^(client-id|iss)-/)(row) && !/-another-client/.test(row.id),
    follows: ['AUTHZ-37/client-id', 'AUTHZ-37/issuer', 'AUTHZ-10/unknown'],
    dear: true,
  },
  {
    id: 'AUTHZ-54/malformed',
    title:
      'A request object that is not a compact JWS of valid JSON, or whose alg is not PS256, is refused',
    rows: wrong('should', JWS_GROUPS.malformed),
    follows: ['AUTHZ-11/unsigned', 'AUTHZ-11/other-algorithms', 'AUTHZ-11/tampered'],
    dear: true,
  },
]

function idsOf(requirement: string): string[] {
  return OBJECT_CHECKS.map(({ id }) => id).filter((id) => id.startsWith(requirement))
}

/** The same for the second client, with one value of each part. */
export const SECOND_CLIENT_CHECKS: readonly ObjectCheck[] = [
  {
    id: 'AUTHZ-11/second-client',
    title:
      'A request object of the second client that is not signed, not with PS256, not by it, or changed, is refused',
    rows: wrong('must', /^/),
    follows: idsOf('AUTHZ-11/'),
  },
  {
    id: 'AUTHZ-25/second-client',
    title:
      'A request object of the second client that has expired, is not valid yet, is for another server, or has an unknown critical extension, is refused',
    rows: wrong(
      'should',
      JWS_GROUPS.expired,
      JWS_GROUPS.audience,
      JWS_GROUPS.notYetGood,
      JWS_GROUPS.critical,
    ),
    follows: idsOf('AUTHZ-25/'),
  },
]

const objectsOf =
  (dear?: true) =>
  (client: ClientName, attended: boolean): Named => ({
    ...authorisationOf(client, attended),
    ...((client === 'second' || dear) && { dear: true }),
  })

/** Visits with a wrong request object. */
export function objectPlace(
  context: Context<never>,
  client: ClientName,
  dear?: true,
): Place<Jws, JwtDeviation, typeof everything> {
  return {
    ...objectsOf(dear)(client, context.target.attended),
    async open(context) {
      await context.caller(client)
      const { visit } = await approvedBefore(context, everything)
      const right = rightObject(context, client, visit.request.requestObject)
      return openVisits(context, client, {
        right,
        wrong: (requestObject: JwtDeviation) => ({ requestObject }),
      })
    },
  }
}

/** Lawful forms of a request object; claims that nobody knows are sent by GEN-36/unknown. */
export const isLawfulObject = (row: JwsRow): boolean =>
  isLawful('should')(row) && row.make(SOME) !== undefined && !row.id.startsWith('claims-unknown')

/** Visits without a login, with lawful request objects. */
export const lawfulObjects = (attended: boolean): Place<Jws, JwtDeviation, typeof everything> =>
  usualPagePlace(attended, {
    dear: true,
    rightOf({ first, request }, context) {
      const right = rightObject(context, 'first', request.requestObject)
      return first ? { ...right, now: secondsOf(Date.parse(first.startedAt)) } : right
    },
    deviationOf: (made, right) => ({ requestObject: madeNow(made, right.now) }),
    expected: 'the page that the same request object leads to as it is usually written',
  })

/** Times of a deviation that was made from an earlier request object, as if it were made from one of now. */
function madeNow({ claims, ...rest }: JwtDeviation, then: number): JwtDeviation {
  const late = secondsOf(now()) - then
  const times = ['iat', 'exp'].flatMap((name) => {
    const time = claims?.[name]
    return typeof time === 'number' ? [[name, time + late] as const] : []
  })
  return { ...rest, claims: { ...claims, ...Object.fromEntries(times) } }
}

const secondsOf = (milliseconds: number) => Math.floor(milliseconds / 1000)

/** @param object a request object of the first client that the bank accepted. */
function rightObject({ target, tpp }: Context<never>, client: ClientName, object: string): Jws {
  const other = client === 'first' ? 'second' : 'first'
  const { registered, client: keys } = target.clients[other] ? tpp(other) : {}
  const own = tpp(client).registered?.client_id ?? ''
  return {
    kind: 'request-object',
    claims: { ...claimsOf(object), client_id: own, iss: own },
    parties: {
      own,
      issuer: target.issuer,
      ...(keys && { other: { id: registered?.client_id ?? '', kid: keys.signing.kid } }),
    },
    now: secondsOf(now()),
  }
}

/** Without a second client, no other client's key can sign. */
const foreseenObject = ({ target }: Foreseen): Jws => ({
  ...SOME,
  parties: target.clients.second
    ? SOME.parties
    : { own: SOME.parties.own, issuer: SOME.parties.issuer },
})

export const foreseenObjects = (
  { rows, dear }: Pick<ObjectCheck, 'rows' | 'dear'>,
  client: ClientName,
) =>
  foreseenVisits(jws, rows, client, {
    placeOf: objectsOf(dear),
    shared: false,
    rightOf: foreseenObject,
  })

export const foreseenLawfulObjects = foreseenPages(jws, isLawfulObject, {
  dear: true,
  rightOf: foreseenObject,
})
