import { compactVerify, createLocalJWKSet, decodeJwt, type JSONWebKeySet } from 'jose'
import type { RegistrationRefusal } from '../policies/registration.ts'
import type { Services } from '../state/services.ts'
import { keySetAt } from './key-sets.ts'

type Claims = Record<string, unknown>
type KeySet = ReturnType<typeof createLocalJWKSet>

/** Thrown to refuse a registration with an error code of RFC 7591 3.2.2. */
export class RegistrationRefused extends Error {
  readonly refusal: RegistrationRefusal

  constructor(error: RegistrationRefusal['error'], description: string) {
    super(description)
    this.refusal = { error, description }
  }
}

export const refuse = ({ error, description }: RegistrationRefusal) =>
  new RegistrationRefused(error, description)
/** Refuses the claims that the TPP sent. */
export const metadata = (description: string) =>
  new RegistrationRefused('invalid_client_metadata', description)

/** Checks who registers: the software statement and the JWT around it. Each jti is accepted once. */
export function createProver(
  services: Pick<Services, 'policies' | 'endpoints' | 'directory' | 'settings' | 'keys'>,
) {
  const { policies, endpoints, directory, settings } = services
  const used = new Set<string>()
  const directoryKeys = createLocalJWKSet({ keys: [directory.signing.jwk] } as JSONWebKeySet)

  /** Claims of the statement, which the directory signed and issued to the owner of the certificate. */
  async function softwareStatement(jws: string, organisationId: string | undefined) {
    const claims = claimsOf(jws, 'the software statement')
    if (!policies.softwareStatementSigned(await verifies(jws, directoryKeys))) {
      const description = 'the directory did not sign the software statement'
      throw refuse({ error: 'invalid_software_statement', description })
    }
    const refusal = policies.softwareStatementRefusal(claims, directory.issuer, organisationId)
    if (refusal) throw refuse(refusal)
    return claims
  }

  /** The software that is registered signed the registration, for this bank, and it is not a replay. */
  async function proveSender(jws: string, claims: Claims, statement: Claims) {
    const keys = await keySetAt(services, String(statement.software_jwks_endpoint)).catch(
      () => undefined,
    )
    if (!keys) throw metadata('the keys of the software cannot be had')
    if (!policies.registrationSigned(await verifies(jws, keys))) {
      throw metadata('the registration is not signed with PS256 by a key of the software')
    }
    const reason = policies.registrationClaimsRefusal(claims, {
      softwareId: statement.software_id,
      audiences: [endpoints.issuer, endpoints.registration, endpoints.at.registration],
      now: Date.now() / 1000,
      tolerance: settings.clockTolerance,
    })
    if (reason) throw metadata(reason)
    if (claims.jti === undefined) return
    const jti = String(claims.jti)
    if (used.has(jti)) throw metadata('jti was used before')
    used.add(jti)
  }

  return { softwareStatement, proveSender }
}

/** Claims of a JWT, without verifying it. */
export function claimsOf(jws: string, what: string): Claims {
  try {
    return decodeJwt(jws)
  } catch {
    throw metadata(`${what} is not a JWT`)
  }
}

async function verifies(jws: string, keys: KeySet): Promise<boolean> {
  const verified = compactVerify(jws, keys, { algorithms: ['PS256'] })
  return verified.then(
    () => true,
    () => false,
  )
}
