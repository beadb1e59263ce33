import { decodeJwt } from 'jose'
import type { Context } from 'koa'
import type { Role } from '../listeners/endpoints.ts'
import type { Services } from '../state/services.ts'

type Json = Record<string, unknown>

/** What the bank knew about a request when it arrived, whether it then served it or not. */
export interface SeenFacts {
  /** Values that a correct message of the client contains. */
  expected: { issuer: string; tokenEndpoint: string; registrationEndpoint: string }
  /** The client that the request identifies by its access token, client assertion or query. */
  clientId?: string
  /** What is stored for that client; absent when it is not registered. */
  client?: Json
  /** The access token of the request, if the bank ever issued it. */
  token?: {
    kind: 'client' | 'customer'
    /** Absent for a token of the client itself. */
    consentId?: string
    /** Was it neither expired nor revoked? */
    live: boolean
    scope: string
    clientId: string
  }
  /** What was sent in place of an access token, if the bank knows it: for example a refresh token. */
  otherCredential?: string
  /** The authorisation code of a token request, if the bank ever issued it. */
  code?: { used: boolean; redirectUri: string; consentId?: string }
  /** The refresh token of a token request, if the bank ever issued it and it was not revoked. */
  refreshToken?: { superseded: boolean; consentId?: string }
  /** The consent that the path, the token or the request object refers to, if it exists. */
  consent?: {
    id: string
    status: string
    clientId: string
    deleted: boolean
    /** Has a customer approved it? */
    approved: boolean
    permissions: string[]
    transactionsFrom?: number
    transactionsTo?: number
  }
  /** Does a customer's card number end with the digits of this funds confirmation consent? */
  endsACard?: boolean
}

/** Read before the request is served, because the request may end the token, code or consent that it uses. */
export function factsOf(ctx: Context, role: Role, services: Services, body: string): SeenFacts {
  const { endpoints, records, consents } = services
  const facts: SeenFacts = {
    expected: {
      issuer: endpoints.issuer,
      tokenEndpoint: endpoints.token,
      registrationEndpoint: endpoints.registration,
    },
  }
  const nameConsent = (id: string | undefined) => {
    const consent = id === undefined ? undefined : consents.get(id)
    if (!consent) return
    facts.consent = {
      id: consent.id,
      status: consent.status,
      clientId: consent.clientId,
      deleted: consent.deleted !== undefined,
      approved: consent.confirmed !== undefined,
      permissions: consent.permissions,
      transactionsFrom: consent.transactionsFrom,
      transactionsTo: consent.transactionsTo,
    }
  }
  const consentOfGrant = (grantId: unknown) => consents.ofGrant(String(grantId))?.id
  if (role === 'api') {
    const value = ctx.get('authorization').replace(/^Bearer +/i, '')
    const customer = records.peek('AccessToken', value)
    const token = customer ?? records.peek('ClientCredentials', value)
    if (token?.clientId) {
      facts.clientId = token.clientId
      facts.token = {
        kind: customer ? 'customer' : 'client',
        consentId: customer && consentOfGrant(token.grantId),
        live: (token.exp ?? 0) > Date.now() / 1000,
        scope: String(token.scope ?? ''),
        clientId: token.clientId,
      }
    } else {
      facts.otherCredential = credentialOf(value, services)
    }
    const [, segment] = /-consents\/([^/?]+)/.exec(ctx.path) ?? []
    nameConsent(segment === undefined ? facts.token?.consentId : unescaped(segment))
    const digits = /\/funds-confirmation-consents$/.test(ctx.path) && debtorIn(body)
    if (digits) facts.endsACard = endsACard(digits, services)
  }
  if (role === 'token') {
    const form = new URLSearchParams(body)
    const claims = claimsOf(form.get('client_assertion'))
    facts.clientId = text(claims?.sub) ?? form.get('client_id') ?? undefined
    const code = records.peek('AuthorizationCode', form.get('code') ?? '')
    if (code) {
      facts.code = {
        used: code.consumed !== undefined,
        redirectUri: String(code.redirectUri),
        consentId: consentOfGrant(code.grantId),
      }
    }
    const refresh = records.peek('RefreshToken', form.get('refresh_token') ?? '')
    if (refresh) {
      facts.refreshToken = {
        superseded: refresh.consumed !== undefined,
        consentId: consentOfGrant(refresh.grantId),
      }
    }
  }
  if (role === 'authorisation') {
    const query = new URLSearchParams(ctx.querystring)
    const claims = claimsOf(query.get('request'))
    facts.clientId = query.get('client_id') ?? text(claims?.client_id)
    nameConsent(services.policies.intentOf(claims ?? {}))
  }
  const client = facts.clientId && records.peek('Client', facts.clientId)
  if (client) facts.client = { ...client }
  return facts
}

/** What a value is that is not an access token; undefined when the bank does not know it. */
function credentialOf(
  value: string,
  { records, endpoints, directory }: Services,
): string | undefined {
  if (records.peek('RefreshToken', value)) return 'a refresh token'
  if (records.peek('AuthorizationCode', value)) return 'an authorisation code'
  if (records.peek('RegistrationAccessToken', value)) return 'a registration access token'
  const { iss, sub, aud } = claimsOf(value) ?? {}
  const isClient = (id: unknown) => records.peek('Client', String(id)) !== undefined
  if (iss === endpoints.issuer && [aud].flat().some(isClient)) return 'an ID token'
  if (iss === directory.issuer) return 'a software statement'
  if (!isClient(iss)) return undefined
  return sub === iss ? 'a client assertion' : 'a request object'
}

/** A path segment without percent-encoding; unchanged when the encoding is not valid. */
export function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Identification of the debtor account in a create request. */
function debtorIn(body: string): string | undefined {
  try {
    return text(JSON.parse(body)?.Data?.DebtorAccount?.Identification)
  } catch {
    return undefined
  }
}

const endsACard = (digits: string, { customers }: Services) =>
  customers.some(({ cards }) => cards.some(({ pan }) => pan.endsWith(digits)))

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

function claimsOf(jws: string | null): Json | undefined {
  try {
    return jws === null ? undefined : (decodeJwt(jws) as Json)
  } catch {
    return undefined
  }
}
