import { member } from '../judge/data-rows.ts'
import { isObject } from '../record/json.ts'
import { createApprovals } from '../recording/approvals.ts'
import { createConsents } from '../recording/consents.ts'
import { kept } from '../recording/kept.ts'
import { isRedacted, textIn } from '../recording/recorded.ts'
import type { RecordingTarget } from '../recording/recording-target.ts'
import { createVisits } from '../recording/visits.ts'
import { type ConsentFacts, DATA, type Exchange, type Seen } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jwt-decode.ts'

/** What a bank would know about a request, as far as earlier exchanges show it, and what they do not show. */
export interface KnownFacts {
  facts: Partial<Omit<Seen, 'scenario' | 'goal' | 'present' | 'fired' | 'certificate'>>
  unknown: (keyof Seen)[]
}

type Token = NonNullable<Seen['token']> & { expires: number }

/** True for endpoints to which an access token is sent. */
const withToken = (endpoint: string) =>
  DATA.includes(endpoint as never) || /-consent$/.test(endpoint)

/**
 * What an observer between a TPP and its bank learns about both: clients, tokens, codes, consents. What existed before
 * stays unknown.
 */
export function createKnown(target: RecordingTarget) {
  const memory = createMemory(target)
  return {
    /** What is known about a request before it is answered. */
    of(exchange: Exchange): KnownFacts {
      const [general, own] = [expectedAt(exchange, memory), particular(exchange, memory)]
      const addressed = exchange.endpoint !== 'elsewhere' && { addressed: true as const }
      return {
        facts: { ...general.facts, ...own.facts, ...addressed },
        unknown: [...general.unknown, ...own.unknown],
      }
    },
    /** Learns from an exchange what later ones need. */
    learn: memory.learn,
  }
}

type Memory = ReturnType<typeof createMemory>

const NOTHING: KnownFacts = { facts: {}, unknown: [] }

function createMemory({ clients: named, intentClaim, clockTolerance }: RecordingTarget) {
  const consents = createConsents()
  const visits = createVisits(intentClaim)
  const approvals = createApprovals(intentClaim)
  const clients = new Map<string, Record<string, unknown>>(
    [...named.keys()].map((id) => [id, { client_id: id }]),
  )
  const credentials = createCredentials()
  let configuration: Record<string, unknown> | undefined
  return {
    ...{ consents, approvals, clients, credentials, tolerance: clockTolerance * 1000 },
    /** The last content of the bank's discovery document. */
    configuration: () => configuration,
    learn(exchange: Exchange): void {
      const { endpoint, response } = exchange
      if (endpoint === 'authorisation') visits.note(exchange)
      const { redirect, visit } = visits.landing(exchange) ?? {}
      if (visit && redirect?.code !== undefined && !isRedacted(redirect.code)) {
        approvals.learnCode(redirect.code, visit, redirect.idToken)
        kept(credentials.others, redirect.code, 'an authorisation code')
      }
      const status = response?.status ?? 0
      if (status < 200 || status > 299) return
      if (endpoint === 'discovery' && isObject(response?.json)) configuration = response.json
      if (endpoint === 'token') {
        approvals.learnTokens(exchange)
        credentials.learn(exchange)
      }
      const id = endpoint === 'registration' ? textIn(response?.json, 'client_id') : undefined
      if (id !== undefined && isObject(response?.json)) kept(clients, id, response.json)
      consents.learn(exchange)
    },
  }
}

function expectedAt({ endpoint, request }: Exchange, memory: Memory): KnownFacts {
  const configuration = memory.configuration()
  if (!configuration) return { facts: {}, unknown: ['expected'] }
  const named = (name: string) => textIn(configuration, name) ?? ''
  const address = request.url.split('?', 1)[0] ?? ''
  const audiences = [claimsIn(formOf(request.body), 'client_assertion')?.aud].flat()
  // A bank may have a second address of its token endpoint, for mutual TLS (RFC 8705 5), which is as good an audience.
  const second = endpoint === 'token' && audiences.includes(address)
  const expected = {
    issuer: named('issuer'),
    tokenEndpoint: second ? address : named('token_endpoint'),
    registrationEndpoint: named('registration_endpoint'),
  }
  return { facts: { expected }, unknown: [] }
}

function particular(exchange: Exchange, memory: Memory): KnownFacts {
  const { endpoint } = exchange
  if (endpoint === 'token') return ofToken(exchange, memory)
  if (endpoint === 'authorisation') return ofVisit(exchange, memory)
  return withToken(endpoint) ? ofBearer(exchange, memory) : NOTHING
}

function ofClient(id: string | undefined, { clients }: Memory): KnownFacts {
  if (id === undefined) return NOTHING
  const client = clients.get(id)
  return client
    ? { facts: { clientId: id, client }, unknown: [] }
    : { facts: { clientId: id }, unknown: ['client'] }
}

function ofBearer({ request, endpoint, startedAt }: Exchange, memory: Memory): KnownFacts {
  const { credentials, consents, approvals, tolerance } = memory
  const bearer = bearerIn(request.headers)
  if (bearer === undefined) return NOTHING
  const token = credentials.tokens.get(bearer)
  const other = credentials.others.get(bearer)
  if (!token && other !== undefined) return { facts: { otherCredential: other }, unknown: [] }
  if (!token) return { facts: {}, unknown: ['token', 'otherCredential', 'consent', 'client'] }
  const { expires, ...known } = token
  const left = expires - Date.parse(startedAt)
  // Files of several machines have several clocks, and some write whole seconds.
  if (Math.abs(left) < tolerance) return { facts: {}, unknown: ['token', 'consent', 'client'] }
  const facts = { token: { ...known, live: left > 0 } }
  if (token.kind === 'client' || !DATA.includes(endpoint)) return { facts, unknown: [] }
  const consent = consents.factsOf(approvals.ofToken(bearer).consentId)
  if (!consent) return { facts, unknown: ['consent'] }
  return { facts: { ...facts, consent: seenConsent(consent, token.clientId) }, unknown: [] }
}

function ofToken({ request }: Exchange, memory: Memory): KnownFacts {
  const form = formOf(request.body)
  const { facts, unknown } = ofClient(clientIn(form), memory)
  const redirectUri = memory.approvals.ofForm(form)?.visit?.redirectUri
  const redeems = form.get('grant_type') === 'authorization_code' && redirectUri !== undefined
  const code = redeems && { code: { used: false, redirectUri } }
  return { facts: { ...facts, ...code }, unknown }
}

function ofVisit({ request }: Exchange, memory: Memory): KnownFacts {
  const query = new URL(request.url).searchParams
  const id = query.get('client_id') ?? claimsIn(query, 'request')?.client_id
  return ofClient(typeof id === 'string' && !isRedacted(id) ? id : undefined, memory)
}

/** A consent in the terms of a bank; members that no rule reads have their usual value. */
function seenConsent(
  { id, permissions, transactionFrom, transactionTo }: ConsentFacts,
  clientId: string,
): NonNullable<Seen['consent']> {
  const [from, to] = [Date.parse(transactionFrom ?? ''), Date.parse(transactionTo ?? '')]
  return {
    ...{ id, permissions, clientId, status: '', deleted: false, approved: true },
    ...(!Number.isNaN(from) && { transactionsFrom: from }),
    ...(!Number.isNaN(to) && { transactionsTo: to }),
  }
}

/** Tokens that the bank issued, and other credentials that are not access tokens. */
function createCredentials() {
  const tokens = new Map<string, Token>()
  const others = new Map<string, string>()
  return {
    tokens,
    others,
    learn({ request, response, startedAt }: Exchange): void {
      const form = formOf(request.body)
      const json = response?.json
      const text = (name: string) => textIn(json, name)
      const [access, refresh] = [text('access_token'), text('refresh_token')]
      const idToken = text('id_token')
      const seconds = Number(member(json, 'expires_in') ?? Number.POSITIVE_INFINITY)
      if (access !== undefined) {
        kept(tokens, access, {
          kind: form.get('grant_type') === 'client_credentials' ? 'client' : 'customer',
          live: true,
          scope: text('scope') ?? form.get('scope') ?? '',
          clientId: clientIn(form) ?? '',
          expires: Date.parse(startedAt) + seconds * 1000,
        })
      }
      if (refresh !== undefined) kept(others, refresh, 'a refresh token')
      if (idToken !== undefined) kept(others, idToken, 'an ID token')
    },
  }
}

const formOf = (body = '') => new URLSearchParams(body)

const claimsIn = (form: URLSearchParams, name: string) => claimsOf(form.get(name) ?? '')

/** The client that a token request names: RFC 7521 4.2, RFC 6749 2.3.1. */
function clientIn(form: URLSearchParams): string | undefined {
  const said = claimsIn(form, 'client_assertion')?.sub ?? form.get('client_id')
  return typeof said === 'string' && !isRedacted(said) ? said : undefined
}

function bearerIn(headers: readonly [string, string][]): string | undefined {
  const [, value = ''] = headers.find(([name]) => name.toLowerCase() === 'authorization') ?? []
  return /^Bearer +(\S+)$/i.exec(value)?.[1]
}
