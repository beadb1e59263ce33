import { randomBytes } from 'node:crypto'
import type { Target, TargetClient } from '../configuration/resolve.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Wire } from '../wire/wire.ts'
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
  registrationClaims,
  requestObjectClaims,
} from './claims.ts'
import { jwt, merged, type Signer } from './jwt.ts'
import type {
  AuthorisationDeviation,
  AuthorisationRequest,
  RegistrationDeviation,
  TokenDeviation,
  Told,
} from './messages.ts'
import { type RegisteredClient, registeredClient } from './registered-client.ts'
import { type Grant, tokenForm } from './token-form.ts'

export type {
  AuthorisationDeviation,
  AuthorisationRequest,
  RegistrationDeviation,
  TokenDeviation,
  Told,
} from './messages.ts'

/** A TPP client: one correct builder per message, each open to one deviation. */
export interface Tpp {
  readonly name: string
  readonly client: TargetClient
  readonly target: Target
  readonly wire: Wire
  /** What the bank stored for the client; undefined until adopted, where none is configured. */
  readonly registered: RegisteredClient | undefined
  /** The audience of its client assertions. */
  readonly audience: string
  /** Uses a registration response: "the client must use the returned values". */
  adopt(json: unknown): RegisteredClient
  /** Uses what the bank's configuration says, as far as it can be used. */
  learn(configuration: Record<string, unknown> | undefined): void
  /** Claims of a correct registration. */
  registrationClaims(): Record<string, unknown>
  register(deviation?: RegistrationDeviation): Promise<Exchange>
  token(grant: Grant, deviation?: TokenDeviation): Promise<Exchange>
  authorisation(
    message: { consentId: string; scope?: string; redirectUri?: string; state?: string },
    deviation?: AuthorisationDeviation,
  ): Promise<AuthorisationRequest>
  /** Consents, data, products, discovery, jwks and any other address. */
  call(endpoint: CallEndpoint, options?: CallOptions & Told): Promise<Exchange>
}

/** Of these no sentence says whether a certificate is asked for. */
const OPEN = new Set<CallEndpoint>(['discovery', 'jwks'])

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
  sibling?: Tpp
}): Tpp {
  const { name, target, wire } = parts
  const client = name === 'second' ? target.clients.second : target.clients.first
  if (!client || client.name !== name) throw new TypeError(`the target has no client ${name}`)
  const other = name === 'second' ? target.clients.first : target.clients.second
  const signer: Signer = {
    key: client.signingKey,
    kid: client.signing.kid,
    ...(other && { otherKey: other.signingKey }),
  }
  const { assertionAudience } = target.document
  const facts: BankFacts = {
    issuer: target.issuer,
    clockTolerance: target.clockTolerance,
    ...(assertionAudience !== undefined && { assertionAudience }),
  }
  let registered = client.clientId
    ? registeredClient({ client_id: client.clientId, redirect_uris: client.redirectUris })
    : undefined

  const clientId = () => {
    if (!registered) throw new TypeError(`client ${name} is not registered yet`)
    return registered.client_id
  }

  const audience = (): string =>
    parts.sibling?.audience ??
    facts.assertionAudience ??
    facts.tokenEndpoint ??
    target.endpoints.token

  const told = ({ about, timeout, retry, deviation }: Told) => ({
    about: { client: name, ...(deviation !== undefined && { deviation }), ...about },
    ...(timeout !== undefined && { timeout }),
    retry: retry ?? true,
  })

  return {
    name,
    client,
    target,
    wire,
    get registered() {
      return registered
    },
    get audience() {
      return audience()
    },

    adopt(json) {
      registered = registeredClient(json)
      return registered
    },

    learn({ issuer, token_endpoint: token, grant_types_supported: grants } = {}) {
      if (typeof token === 'string' && URL.canParse(token)) facts.tokenEndpoint = token
      if (typeof issuer === 'string' && URL.canParse(issuer)) facts.issuer = issuer
      if (Array.isArray(grants)) facts.grantTypes = grants.map(String)
    },

    registrationClaims: () => registrationClaims(client, facts, client.softwareStatement),

    async register(deviation = {}) {
      const statement = statementFor(client, deviation.softwareStatement)
      // Made anew for every repeat: what a bank has seen once, it may refuse.
      const message = () => jwt(registrationClaims(client, facts, statement), signer, deviation.jwt)
      const headers: [string, string][] = []
      if (deviation.contentType !== null) {
        headers.push(['Content-Type', deviation.contentType ?? 'application/jwt'])
      }
      headers.push(['Accept', 'application/json'])
      return wire.send({
        endpoint: 'registration',
        identity: deviation.identity ?? name,
        method: deviation.method ?? 'POST',
        url: target.endpoints.registration,
        headers: withHeaders(headers, deviation.headers),
        ...(deviation.body === undefined
          ? { body: message(), renewed: message }
          : { body: deviation.body }),
        ...told(deviation),
      })
    },

    async token(grant, deviation = {}) {
      const scoped =
        grant.grant_type === 'client_credentials'
          ? { ...grant, scope: grant.scope ?? client.scopes.accounts }
          : grant
      const clientSecret = registered?.client_secret ?? randomBytes(24).toString('base64url')
      const formNow = () =>
        tokenForm({
          grant: scoped,
          clientId: clientId(),
          assertion: () =>
            jwt(assertionClaims(clientId(), facts, audience()), signer, deviation.assertion),
          authentication: deviation.authentication ?? 'private_key_jwt',
          clientSecret,
          over: deviation.form,
        })
      const textOf = (form: Record<string, string>) => new URLSearchParams(form).toString()
      const { form, authorisation } = formNow()
      const headers: [string, string][] = []
      if (authorisation) headers.push(['Authorization', authorisation])
      if (deviation.contentType !== null) {
        const contentType = deviation.contentType ?? 'application/x-www-form-urlencoded'
        headers.push(['Content-Type', contentType])
      }
      headers.push(['Accept', 'application/json'])
      return wire.send({
        endpoint: 'token',
        identity: deviation.identity ?? name,
        method: 'POST',
        url: target.endpoints.token,
        headers: withHeaders(headers, deviation.headers),
        ...(deviation.body === undefined
          ? { body: textOf(form), renewed: () => textOf(formNow().form) }
          : { body: deviation.body }),
        ...told({
          ...deviation,
          about: {
            registered: {
              clientId: clientId(),
              ...(registered?.scope !== undefined && { scope: registered.scope }),
            },
            ...deviation.about,
          },
        }),
      })
    },

    async authorisation(message, deviation = {}) {
      const { consentId } = message
      const scope = message.scope ?? `openid ${client.scopes.accounts}`
      const redirectUri =
        message.redirectUri ?? registered?.redirect_uris[0] ?? client.redirectUris[0] ?? ''
      const state = message.state ?? randomBytes(16).toString('base64url')
      const nonce = randomBytes(16).toString('base64url')
      const claims = requestObjectClaims({
        clientId: clientId(),
        bank: facts,
        redirectUri,
        scope,
        state,
        nonce,
        consentId,
        intentClaim: target.intentClaim,
        lifetime: target.attended ? LIFETIME.attended : LIFETIME.unattended,
      })
      const requestObject = jwt(claims, signer, deviation.requestObject)
      const query = merged(
        {
          response_type: 'code id_token',
          client_id: clientId(),
          redirect_uri: redirectUri,
          scope,
          state,
          request: requestObject,
        },
        deviation.query,
      )
      const url = urlOf('authorisation', target.endpoints, {
        query: query as Record<string, string>,
      })
      return { url, state, nonce, redirectUri, consentId, requestObject }
    },

    async call(endpoint, options = {}) {
      const method = options.method ?? methodOf(endpoint)
      const { subject, body } = options
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

function statementFor(
  client: TargetClient,
  deviation: RegistrationDeviation['softwareStatement'],
): string | undefined {
  if (deviation === null) return undefined
  if (typeof deviation === 'string') return deviation
  const { softwareStatement } = client
  if (deviation === undefined || softwareStatement === undefined) return softwareStatement
  return deviation(softwareStatement)
}
