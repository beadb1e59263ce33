import { randomUUID } from 'node:crypto'
import type { CheckOptions, Context } from '../../../engine/suite-api/check.ts'
import type { RegistrationDeviation, Tpp } from '../../../engine/suite-api/client.ts'
import { now } from '../../../engine/suite-api/clock.ts'
import type { ClientName } from '../../../engine/suite-api/consents.ts'
import {
  claimsOf,
  headerOf,
  type JwtDeviation,
  jwt,
  tamperedWith,
} from '../../../engine/suite-api/jwt.ts'
import type { Exchange } from '../../../engine/suite-api/responses.ts'
import type { Place } from '../../tables.ts'
import { isWrong, JWS_GROUPS } from '../../values/jws-groups.ts'
import type { Jws, JwsKind, JwsRow } from '../../values/jws-rows.ts'
import { clientMade, correctClaims, register } from '../common/registration/fresh-registration.ts'

/** Registration JWTs and their software statements. */

/** A check of one part of such a JWT; its rows are chosen by their ids. */
interface RegistrationCheck extends Pick<CheckOptions, 'follows'> {
  id: string
  title: string
  kind: 'registration' | 'software-statement'
  rows: (row: JwsRow) => boolean
}

/** Attacks that most libraries once accepted: always asked, while the others are drawn. */
const UNSIGNED = /^alg-none-in-/

/** Not signed by a known party. */
const FORGED = [
  /^alg-none-other-case/,
  JWS_GROUPS.hs256,
  JWS_GROUPS.otherKey,
  JWS_GROUPS.tampered,
] as const

export const REGISTRATION_CHECKS: readonly RegistrationCheck[] = [
  {
    id: 'REG-03/unsigned',
    title: 'A software statement without a signature is refused',
    kind: 'software-statement',
    rows: isWrong('must', UNSIGNED),
  },
  {
    id: 'REG-03/forged',
    title: 'A software statement that the directory did not sign is refused',
    kind: 'software-statement',
    rows: isWrong('must', JWS_GROUPS.otherAlgorithms, ...FORGED),
    follows: ['REG-03/unsigned'],
  },
  {
    id: 'REG-24/unsigned',
    title: 'A registration without a signature is refused',
    kind: 'registration',
    rows: isWrong('should', UNSIGNED),
  },
  {
    id: 'REG-24/forged',
    title: 'A registration that the holder of the software statement did not sign is refused',
    kind: 'registration',
    rows: isWrong('should', JWS_GROUPS.otherClient, JWS_GROUPS.otherAlgorithms, ...FORGED),
    follows: ['REG-24/unsigned'],
  },
  {
    id: 'REG-24/expired',
    title: 'A registration that has expired is refused',
    kind: 'registration',
    rows: isWrong('should', JWS_GROUPS.expired),
  },
  {
    id: 'REG-24/not-yet-good',
    title: 'A registration that is valid only from a later time is refused',
    kind: 'registration',
    rows: isWrong('should', JWS_GROUPS.notYetGood),
    follows: ['REG-24/unsigned', 'REG-24/forged', 'REG-24/expired'],
  },
  {
    id: 'REG-24/other-audience',
    title: 'A registration that is meant for another server is refused',
    kind: 'registration',
    rows: isWrong('should', JWS_GROUPS.audience),
  },
]

/** What a bank accepts if it does not check signatures. */
const BY_SOMEBODY = /^(alg-none-in|key-unknown-in)-/

/** Registrations of the second client, with its software statement and its signature. */
export const SECOND_CLIENT_CHECKS: readonly RegistrationCheck[] = [
  {
    id: 'REG-03/second-client',
    title: "The second client's software statement is refused where the directory did not sign it",
    kind: 'software-statement',
    rows: isWrong('must', BY_SOMEBODY),
    follows: ['REG-03/unsigned', 'REG-03/forged'],
  },
  {
    id: 'REG-24/second-client',
    title: 'A registration that the second client’s key did not sign is refused',
    kind: 'registration',
    rows: isWrong('should', BY_SOMEBODY),
    follows: ['REG-24/unsigned', 'REG-24/forged'],
  },
]

const named = (client: ClientName) =>
  ({
    name: client === 'first' ? 'registration' : 'registration, second client',
    kind: 'registration',
    dear: true,
    // Each accepted registration creates a client that cannot be removed.
    enough: 1,
  }) as const

/** @param second the second client, if it is the one that registers. */
export function registrationObject(
  kind: RegistrationCheck['kind'],
  second?: Tpp,
): Place<Jws, JwtDeviation> {
  return {
    ...named(second ? 'second' : 'first'),
    async open(context) {
      const tpp = second ?? context.tpp()
      const send = (deviation: RegistrationDeviation & { deviation: string }): Promise<Exchange> =>
        second ? second.register(deviation) : register(context, deviation)
      return {
        right: { ...partiesOf(context, tpp), kind, claims: await claimsFor(context, kind, tpp) },
        ask: (object, deviation) => send({ deviation, ...carried(tpp, kind, object) }),
        judge: clientMade,
      }
    },
  }
}

/** The claims of a correct JWT. */
async function claimsFor(
  context: Context,
  kind: JwsKind,
  tpp: Tpp,
): Promise<Record<string, unknown>> {
  if (kind === 'software-statement') return claimsOf(tpp.client.softwareStatement ?? '') ?? {}
  if (tpp.name === 'first') return correctClaims(context)
  return { ...tpp.registrationClaims(), jti: randomUUID() }
}

function partiesOf(
  { target }: Context,
  { name, registered, client }: Tpp,
): Pick<Jws, 'parties' | 'now'> {
  const other = target.clients[name === 'first' ? 'second' : 'first']
  const [jwksUri, own] = [other, client].map(
    (one) => claimsOf(one?.softwareStatement ?? '')?.software_jwks_endpoint,
  )
  return {
    parties: {
      own: registered?.client_id ?? '',
      issuer: target.issuer,
      ...(other && {
        other: {
          id: other.clientId ?? '',
          kid: other.signing.kid,
          // Two softwares of one organisation may have one JWK Set.
          ...(typeof jwksUri === 'string' && jwksUri !== own && { jwksUri }),
        },
      }),
    },
    now: Math.floor(now() / 1000),
  }
}

/** The registration that carries a wrong JWT, or a wrong software statement. */
function carried(
  tpp: Tpp,
  kind: RegistrationCheck['kind'],
  object: JwtDeviation,
): RegistrationDeviation {
  if (kind === 'registration') return { jwt: object }
  return { softwareStatement: (statement) => statementAs(tpp, statement, object) }
}

/**
 * A wrong software statement: a genuine one that was changed, or its
 * claims under another signature with the kid of the directory’s key.
 */
function statementAs({ client }: Tpp, statement: string, deviation: JwtDeviation): string {
  const { tampered, sent, ...others } = deviation
  if (Object.keys(others).length === 0) {
    const genuine = tampered ? tamperedWith(statement, tampered) : statement
    return sent ? sent(genuine) : genuine
  }
  const signer = { key: client.signingKey, kid: String(headerOf(statement)?.kid) }
  return jwt(claimsOf(statement) ?? {}, signer, deviation)
}
