import { randomBytes } from 'node:crypto'
import type { Target, TargetClient } from '../configuration/resolve.ts'
import type { Wire } from '../wire/wire.ts'
import { assertionsAhead } from './assertions-ahead.ts'
import {
  type CallEndpoint,
  type CallOptions,
  headersOf,
  methodOf,
  overMutualTls,
  urlOf,
  withHeaders,
} from './call.ts'
import {
  assertionClaims,
  type BankFacts,
  idTokenClaims,
  registrationClaims,
  requestObjectClaims,
} from './claims.ts'
import { jwt, merged, type Signer } from './jwt.ts'
import {
  type AuthorisationDeviation,
  type AuthorisationRequest,
  basic,
  type Grant,
  type RegistrationDeviation,
  registeredClient,
  type TokenDeviation,
  type Told,
  tokenForm,
} from './messages.ts'

/** A TPP client: one correct builder per message, each open to one deviation. */
export type Tpp = ReturnType<typeof createTpp>

/** Of these no sentence says whether a certificate is asked for. */
const OPEN = new Set<CallEndpoint>(['discovery', 'jwks'])

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Seconds for which a request object is good: longer where a person must open the link. */
const LIFETIME = { attended: 3500, unattended: 300 }

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
  /** Another client at the same bank, which finds out the audience that this one takes too. */
  sibling?: { readonly audience: string }
}) {
  const { name, target, wire, sibling } = parts
  const client = name === 'second' ? target.clients.second : target.clients.first
  if (!client || client.name !== name) throw new TypeError(`the target has no client ${name}`)
  const other = name === 'second' ? target.clients.first : target.clients.second
  const signer: Signer = {
    key: client.signingKey,
    kid: client.signing.kid,
    ...(other && { otherKey: other.signingKey }),
  }
  const facts: BankFacts = { issuer: target.issuer, clockTolerance: target.clockTolerance }
  let registered = client.clientId
    ? registeredClient({ client_id: client.clientId, redirect_uris: client.redirectUris })
    : undefined

  /** Requests for which it said that no customer is there. */
  let unattended = 0

  const clientId = () => {
    if (!registered) throw new TypeError(`client ${name} is not registered yet`)
    return registered.client_id
  }

  const audience = (): string =>
    sibling?.audience ??
    target.document.assertionAudience ??
    facts.tokenEndpoint ??
    target.endpoints.token

  const correctAssertion = assertionsAhead((id, aud) =>
    jwt(assertionClaims(id, facts, aud), signer),
  )

  const told = ({ about, timeout, retry, deviation, newConnection }: Told) => ({
    about: { client: name, ...(deviation !== undefined && { deviation }), ...about },
    ...(timeout !== undefined && { timeout }),
    ...(newConnection && { newConnection }),
    retry: retry ?? true,
  })

  /** `message` is made anew for every repeat: what a bank has seen once, it may refuse. */
  const post = (
    endpoint: 'registration' | 'token',
    deviation: Omit<RegistrationDeviation, 'jwt' | 'softwareStatement'>,
    type: string,
    message: () => string,
    Authorization?: string,
  ) => {
    const { body, contentType = type } = deviation
    const own = {
      Authorization,
      'Content-Type': contentType ?? undefined,
      Accept: 'application/json',
    }
    return wire.send({
      endpoint,
      identity: deviation.identity ?? name,
      method: deviation.method ?? 'POST',
      url: target.endpoints[endpoint],
      headers: withHeaders(own, deviation.headers),
      ...(body === undefined ? { body: message(), renewed: message } : { body }),
      ...told(deviation),
    })
  }

  return {
    name,
    client,
    target,
    wire,
    /** What the bank stored for the client; undefined until adopted, where none is configured. */
    get registered() {
      return registered
    },
    /** How many requests it has sent in this run for a customer who is absent. */
    get unattended() {
      return unattended
    },
    /** The audience of its client assertions. */
    get audience() {
      return audience()
    },

    /** Uses a registration response: "the client must use the returned values". */
    adopt(json: unknown) {
      registered = registeredClient(json)
      return registered
    },

    /** Uses what the bank's configuration says, as far as it can be used. */
    learn({
      issuer,
      token_endpoint: token,
      grant_types_supported: grants,
      acr_values_supported: acrValues,
    }: Record<string, unknown> = {}) {
      if (typeof token === 'string' && URL.canParse(token)) facts.tokenEndpoint = token
      if (typeof issuer === 'string' && URL.canParse(issuer)) facts.issuer = issuer
      if (Array.isArray(grants)) facts.grantTypes = grants.map(String)
      if (Array.isArray(acrValues)) facts.acrValues = acrValues.filter(isText)
    },

    /** What its request objects want of an ID token besides the intent. */
    idTokenClaims: () => idTokenClaims(client, facts),

    registrationClaims: () => registrationClaims(client, facts, client.softwareStatement),

    async register(deviation: RegistrationDeviation = {}) {
      const statement = statementFor(client, deviation.softwareStatement)
      return post('registration', deviation, 'application/jwt', () =>
        jwt(registrationClaims(client, facts, statement), signer, deviation.jwt),
      )
    },

    async token(grant: Grant, deviation: TokenDeviation = {}) {
      const scoped =
        grant.grant_type === 'client_credentials'
          ? { ...grant, scope: grant.scope ?? client.scopes.accounts }
          : grant
      const clientSecret = registered?.client_secret ?? randomBytes(24).toString('base64url')
      const assertion = () =>
        deviation.assertion
          ? jwt(assertionClaims(clientId(), facts, audience()), signer, deviation.assertion)
          : correctAssertion(clientId(), audience())
      const authentication = deviation.authentication ?? 'private_key_jwt'
      const message = { grant: scoped, clientId: clientId(), assertion, authentication }
      const { scope } = registered ?? {}
      const known = { clientId: clientId(), ...(scope !== undefined && { scope }) }
      return post(
        'token',
        { ...deviation, about: { registered: known, ...deviation.about } },
        'application/x-www-form-urlencoded',
        () => tokenForm({ ...message, clientSecret, over: deviation.form }),
        authentication === 'client_secret_basic' ? basic(clientId(), clientSecret) : undefined,
      )
    },

    async authorisation(
      message: {
        consentId: string
        scope?: string
        redirectUri?: string
        state?: string
        nonce?: string
      },
      deviation: AuthorisationDeviation = {},
    ): Promise<AuthorisationRequest> {
      const { consentId } = message
      const scope = message.scope ?? `openid ${client.scopes.accounts}`
      const redirectUri =
        message.redirectUri ?? registered?.redirect_uris[0] ?? client.redirectUris[0] ?? ''
      const state = message.state ?? randomBytes(16).toString('base64url')
      const nonce = message.nonce ?? randomBytes(16).toString('base64url')
      const lifetime = target.attended ? LIFETIME.attended : LIFETIME.unattended
      const parameters = {
        response_type: 'code id_token',
        client_id: clientId(),
        redirect_uri: redirectUri,
        scope,
        state,
      }
      const intent = { [target.intentClaim]: { value: consentId, essential: true } }
      const claims = requestObjectClaims(client, facts, lifetime, { ...parameters, nonce }, intent)
      const requestObject = jwt(claims, signer, deviation.requestObject)
      const query = merged({ ...parameters, request: requestObject }, deviation.query)
      const url = urlOf('authorisation', target.endpoints, {
        query: query as Record<string, string>,
      })
      return { url, state, nonce, redirectUri, consentId, requestObject }
    },

    /** Consents, data, products, discovery, jwks and any other address. */
    async call(endpoint: CallEndpoint, options: CallOptions & Told = {}) {
      const method = options.method ?? methodOf(endpoint)
      const { subject, body } = options
      if (options.customerPresent === false) unattended += 1
      const common = told(options)
      const { client: productsClient = 'none', headers: productsHeaders } =
        (endpoint === 'products' && target.document.products) || {}
      const own = overMutualTls(endpoint) ? name : productsClient
      return wire.send({
        ...common,
        about: { ...(subject !== undefined && { subject }), ...common.about },
        endpoint,
        identity: options.identity ?? own,
        ...(options.identity === undefined && OPEN.has(endpoint) && { elseIdentity: name }),
        method,
        url: urlOf(endpoint, target.endpoints, options),
        headers: headersOf(endpoint, method, {
          ...options,
          headers: { ...productsHeaders, ...options.headers },
        }),
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    },
  }
}

function statementFor(client: TargetClient, deviation: RegistrationDeviation['softwareStatement']) {
  if (deviation === null) return undefined
  if (typeof deviation === 'string') return deviation
  const { softwareStatement } = client
  if (deviation === undefined || softwareStatement === undefined) return softwareStatement
  return deviation(softwareStatement)
}
