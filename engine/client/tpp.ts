import type { Target, TargetClient } from '../configuration/resolve.ts'
import type { Wire } from '../wire/wire.ts'
import { type Assertions, createAssertions } from './assertions.ts'
import { type AuthorisationMessage, authorisationRequest } from './authorisation-request.ts'
import type { CallEndpoint, CallOptions } from './call.ts'
import { type BankFacts, factsIn, idTokenClaims, registrationClaims } from './claims.ts'
import { jwt, type Signer } from './jwt.ts'
import {
  type AuthorisationDeviation,
  type Grant,
  type RegistrationDeviation,
  registeredClient,
  type TokenDeviation,
  type Told,
} from './messages.ts'
import { callMessage, postMessage, tokenMessage } from './wire-messages.ts'

/** A TPP client: one correct builder per message; each can apply one deviation. */
export type Tpp = ReturnType<typeof createTpp>

/**
 * A TPP client of a target.
 *
 * @param name of the client in the target: first or second.
 * @throws TypeError when the target has no client of that name.
 */
export function createTpp(parts: {
  name: string
  target: Target
  wire: Wire
  /** Another client at the same bank, which finds out what client assertions it accepts. */
  sibling?: { readonly assertions: Assertions }
}) {
  const { name, target, wire, sibling } = parts
  const { client, signer } = clientOf(target, name)
  const facts: BankFacts = { issuer: target.issuer, clockTolerance: target.clockTolerance }
  let registered = client.clientId
    ? registeredClient({ client_id: client.clientId, redirect_uris: client.redirectUris })
    : undefined

  /** Number of requests without a customer present. */
  let unattended = 0

  const known = () => {
    if (!registered) throw new TypeError(`client ${name} is not registered yet`)
    return registered
  }

  const assertions = createAssertions({ target, facts, signer, sibling: sibling?.assertions })

  return {
    name,
    client,
    target,
    wire,
    /** What the bank stored for the client; undefined until adopted, if no client is configured. */
    get registered() {
      return registered
    },
    /** Number of requests in this run for which the customer was absent. */
    get unattended() {
      return unattended
    },
    /** The audience of its client assertions. */
    get audience() {
      return assertions.audience()
    },
    assertions,

    /** Uses a registration response: "the client must use the returned values". */
    adopt(json: unknown) {
      registered = registeredClient(json)
      return registered
    },

    /** Uses the usable values of the bank's configuration. */
    learn(configuration: Record<string, unknown> = {}) {
      Object.assign(facts, factsIn(configuration))
    },

    /** What its request objects require from an ID token in addition to the intent. */
    idTokenClaims: () => idTokenClaims(client, facts),

    assertionClaims: () => assertions.claims(known().client_id),
    registrationClaims: () => registrationClaims(client, facts, client.softwareStatement),

    async register(deviation: RegistrationDeviation = {}) {
      const statement = statementFor(client, deviation.softwareStatement)
      const body = () => jwt(registrationClaims(client, facts, statement), signer, deviation.jwt)
      return wire.send(postMessage(parts, 'registration', deviation, 'application/jwt', body))
    },

    async token(grant: Grant, deviation: TokenDeviation = {}) {
      const isOwn = grant.grant_type === 'client_credentials'
      const scoped = isOwn ? { ...grant, scope: grant.scope ?? client.scopes.accounts } : grant
      const assertion = () => assertions.signed(known().client_id, deviation.assertion)
      return wire.send(tokenMessage(parts, known(), { grant: scoped, assertion }, deviation))
    },

    async authorisation(message: AuthorisationMessage, deviation: AuthorisationDeviation = {}) {
      const redirectUri =
        message.redirectUri ?? registered?.redirect_uris[0] ?? client.redirectUris[0] ?? ''
      const by = { clientId: known().client_id, client, signer, facts, target }
      return authorisationRequest(by, { ...message, redirectUri }, deviation)
    },

    /** Sends a request for consents, data, products, discovery, jwks or any other address. */
    async call(endpoint: CallEndpoint, options: CallOptions & Told = {}) {
      if (options.customerPresent === false) unattended += 1
      return wire.send(callMessage(parts, endpoint, options))
    },
  }
}

function clientOf({ clients: { first, second } }: Target, name: string) {
  const [client, other] = name === 'second' ? [second, first] : [first, second]
  if (!client || client.name !== name) throw new TypeError(`the target has no client ${name}`)
  const { signingKey: key, signing } = client
  const signer: Signer = { key, kid: signing.kid, ...(other && { otherKey: other.signingKey }) }
  return { client, signer }
}

function statementFor(client: TargetClient, deviation: RegistrationDeviation['softwareStatement']) {
  if (deviation === null) return undefined
  if (typeof deviation === 'string') return deviation
  const { softwareStatement } = client
  if (deviation === undefined || softwareStatement === undefined) return softwareStatement
  return deviation(softwareStatement)
}
