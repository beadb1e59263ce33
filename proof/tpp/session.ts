import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Briefing } from '../../engine/certification/client.ts'
import { encodedPart } from '../../engine/wire/jwt-decode.ts'
import { type Conduct, newId } from './conduct.ts'
import type { Keys } from './id-token-check.ts'
import { decodedJwt, signature } from './jws.ts'
import { type Memory, openMemory } from './memory.ts'
import { Refusal } from './refusal.ts'
import { type Answer, openWire, refused, type Wire } from './wire.ts'

type Json = Record<string, unknown>

/** The TPP while it pursues one goal: its identity, its memory, and its functions to call the bank. */
export interface Session {
  briefing: Briefing
  conduct: Conduct
  memory: Memory
  send: Wire['send']
  discover(): Promise<Record<string, string>>
  /** The client as the bank stored it; registers it if necessary. */
  register(): Promise<NonNullable<Memory['client']>>
  jwt(claims: Json, use: 'registration' | 'assertion' | 'request'): string
  /** Sends a token request. */
  token(form: Record<string, string>): Promise<Json>
  clientToken(fresh?: boolean, scope?: string): Promise<string>
  /** Requests consents or data. */
  api(
    method: string,
    path: string,
    what: { token: string; body?: Json; present?: boolean; attempt?: number },
  ): Promise<Answer>
  keys: Keys
  /** Saves the memory. */
  end(): void
}

export const now = () => Math.floor(Date.now() / 1000)

/** Repeats a request while it is answered with 5xx, at most this many times. */
export async function repeated(ask: () => Promise<Answer>, times: number): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await ask()
    if (answer.status < 500 || attempt >= times) return answer
  }
}

/** Repeats the identical message while it is refused, at most this many times. */
async function alike(
  send: () => Promise<Answer>,
  { repeatsTheRegistration: times, repeatsItAt }: Conduct,
): Promise<Answer> {
  let answer = await send()
  for (let left = times; left > 0 && repeatsItAt(answer.status); left -= 1) answer = await send()
  return answer
}

const signingKeys = new Map<string, KeyObject>()

/** A cached signing key: reading it takes longer than anything else before the first request. */
function signingKeyOf(pem: string): KeyObject {
  const key = signingKeys.get(pem) ?? createPrivateKey(pem)
  signingKeys.set(pem, key)
  return key
}

/** Starts a goal with what the folder of the briefing remembers of earlier goals. */
export async function openSession(briefing: Briefing, conduct: Conduct): Promise<Session> {
  const { bank, client } = briefing
  const { memory, save } = openMemory(briefing, conduct)
  memory.transport ??= client.transport
  const own = conduct.keepsItsCertificate ? memory.transport : client.transport
  const identity = (await conduct.otherCertificate()) ?? own
  const wire = openWire(
    { trust: bank.trust, ...(conduct.withCertificate && identity) },
    conduct,
    memory,
  )
  const { send } = wire
  const signingKey = signingKeyOf(client.signing?.key ?? '')
  const kid = client.signing?.kid ?? ''

  // A client that is registered again for each goal has no token yet.
  if (conduct.registersEveryTime) {
    delete memory.client
    delete memory.clientToken
  }

  const jwt: Session['jwt'] = (claims, use) => {
    const header = conduct.jwtHeader({ alg: 'PS256', kid }, use)
    const input = `${encodedPart({ typ: 'JWT', ...header })}.${encodedPart(claims)}`
    return `${input}.${signature(input, header.alg, signingKey)}`
  }

  let discovered: Json | undefined
  const discover = async () => {
    discovered ??= (await send(bank.discovery, { headers: { accept: 'application/json' } })).json
    if (conduct.checksTheConfiguration && discovered.issuer !== bank.issuer) {
      throw new Refusal('the configuration is that of another issuer')
    }
    return discovered as Record<string, string>
  }

  const speech = { briefing, conduct, memory, send, discover, jwt }
  const register = registering(speech)
  const token = granting({ ...speech, register })

  const clientToken: Session['clientToken'] = async (fresh = false, scope = 'accounts') => {
    if (!fresh && !conduct.freshClientTokens && memory.clientToken) return memory.clientToken
    const { scope: registered } = await register()
    const wanted = conduct.grantScope(scope, registered)
    const { access_token: value } = await token({ grant_type: 'client_credentials', scope: wanted })
    memory.clientToken = String(value)
    return memory.clientToken
  }

  const api: Session['api'] = async (
    method,
    path,
    { token: value, present = false, attempt = 1, ...rest },
  ) => {
    const address = conduct.customerAddress(present, attempt)
    const body = conduct.apiBody(rest.body, { method, path })
    const headers = conduct.apiHeaders(
      {
        authorization: `Bearer ${value}`,
        accept: 'application/json',
        'x-fapi-interaction-id': newId(),
        'x-fapi-auth-date': new Date().toUTCString(),
        ...(body && { 'content-type': 'application/json' }),
        ...(address && !path.includes('-consents') && { 'x-fapi-customer-ip-address': address }),
      },
      { method, path },
    )
    return send(`${bank.api}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  const fetchKeys = async () => {
    const { jwks_uri: uri = '' } = await discover()
    memory.keys = (await send(uri)).json.keys as Json[]
    return memory.keys
  }

  return {
    ...speech,
    register,
    token,
    clientToken,
    api,
    keys: { known: async () => memory.keys ?? fetchKeys(), fetched: fetchKeys },
    end() {
      if (!conduct.keepsTokens) {
        memory.accessToken = undefined
        memory.refreshToken = undefined
      }
      save()
      wire.close()
    },
  }
}

/** The parts of a session that exist before registration. */
type Speech = Pick<Session, 'briefing' | 'conduct' | 'memory' | 'send' | 'discover' | 'jwt'>

/** Registers the client once. */
function registering(speech: Speech): Session['register'] {
  const { conduct, memory, send, discover, jwt } = speech
  const { client } = speech.briefing
  return async () => {
    if (memory.client) return memory.client
    const { registration_endpoint: endpoint, issuer } = await discover()
    const stated = decodedJwt(client.softwareStatement).claims
    const asked = () => {
      const claims = conduct.registrationClaims({
        iss: stated.software_id,
        aud: issuer,
        iat: now(),
        exp: now() + 300,
        jti: newId(),
        redirect_uris: client.redirectUris,
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'PS256',
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        response_types: ['code id_token'],
        id_token_signed_response_alg: 'PS256',
        request_object_signing_alg: 'PS256',
        application_type: 'web',
        scope: `openid ${client.scopes.accounts} ${client.scopes.fundsConfirmation}`,
        software_statement: client.softwareStatement,
      })
      const message = {
        method: 'POST',
        headers: conduct.registrationHeaders({
          'content-type': conduct.registrationType,
          accept: 'application/json',
        }),
        body: jwt(claims, 'registration'),
      }
      return alike(() => send(endpoint ?? '', message), conduct)
    }
    const answer = await repeated(asked, conduct.repeatsTheRest)
    if (answer.status !== 201) {
      if (!conduct.goesOnUnregistered) throw refused('registration', answer)
      const grants = ['authorization_code', 'refresh_token', 'client_credentials']
      const made = { client_id: newId(), scope: 'openid accounts', grant_types: grants }
      return made as NonNullable<Memory['client']>
    }
    const { software_on_behalf_of: name } = stated
    if (conduct.needs.onBehalfOf && answer.json.software_on_behalf_of !== name) {
      throw new Refusal('the registration is for somebody else')
    }
    memory.client = answer.json as unknown as NonNullable<Memory['client']>
    const { registration_client_uri: own, registration_access_token: value } = memory.client
    for (const method of conduct.managesItsRegistration)
      await send(own, { method, headers: { authorization: `Bearer ${value}` } })
    return memory.client
  }
}

/** Sends token requests, with retries as the conduct says. */
function granting(session: Speech & Pick<Session, 'register'>): Session['token'] {
  const { conduct, memory, send, discover, jwt, register } = session
  return async (form) => {
    const { client_id: clientId, grant_types: grants } = await register()
    if (conduct.heedsGrantTypes && !grants.includes(form.grant_type ?? '')) {
      throw new Refusal(`the grant ${form.grant_type} is not registered`)
    }
    const { token_endpoint: endpoint = '' } = await discover()
    let signed: string | undefined
    for (let attempt = 0; ; attempt += 1) {
      const claims = conduct.assertionClaims({
        iss: clientId,
        sub: clientId,
        aud: endpoint,
        jti: newId(),
        iat: now(),
        exp: now() + 60,
      })
      const assertion = conduct.signsAgain ? undefined : signed
      signed = assertion ?? jwt(claims, 'assertion')
      memory.assertion = signed
      const full = conduct.tokenForm({
        ...form,
        client_id: clientId,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: signed,
      })
      const answer = await send(endpoint, {
        method: 'POST',
        headers: conduct.tokenHeaders({
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        }),
        body: conduct.tokenBody(full),
      })
      if (answer.status === 200) return answer.json
      const repeats = answer.status < 500 ? conduct.repeatsGrants : conduct.repeatsUnavailable
      if (attempt >= repeats) throw refused(`the grant ${form.grant_type}`, answer)
    }
  }
}
