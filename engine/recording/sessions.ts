import { type About, DATA, type Exchange } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import { createApprovals } from './approvals.ts'
import { createConsents } from './consents.ts'
import { isRedacted, type Lack, textIn } from './recorded.ts'
import type { RecordingTarget } from './recording-target.ts'
import { createVisits } from './visits.ts'

/**
 * Joins the exchanges of a recording into sessions, as far as it shows them: client, consent, approval, visit. What it
 * does not show stays unknown, and is listed.
 */
export function createSessions({ clients, intentClaim }: RecordingTarget) {
  const consents = createConsents()
  const visits = createVisits(intentClaim)
  const approvals = createApprovals(intentClaim)
  /** Scope by client_id. */
  const registrations = new Map<string, string>()
  const clientName = (id: string) => clients.get(id) ?? id

  const ofData = (exchange: Exchange, lacks: Set<Lack>): Partial<About> => {
    const token = bearerOf(exchange)
    if (token === undefined) {
      lacks.add('the consent behind the access token')
      return {}
    }
    const approval = approvals.ofToken(token)
    const facts = consents.factsOf(approval.consentId)
    const id = approvals.keyOf(approval, Date.parse(exchange.startedAt))
    lacks.add(facts ? 'what no visit between two requests has changed' : 'what the consent allows')
    return {
      approval: approval.name,
      consent: facts ? { ...facts, id } : { id, permissions: [] },
    }
  }

  const ofToken = (exchange: Exchange, lacks: Set<Lack>): Partial<About> => {
    const form = new URLSearchParams(exchange.request.body ?? '')
    const { name, consentId, front, visit } = approvals.ofForm(form) ?? {}
    const nonce = visit?.nonce
    if (form.get('grant_type') !== 'client_credentials' && (!front || nonce === undefined)) {
      lacks.add('the first ID token of the approval')
    }
    const clientId = clientIn(form)
    const scope = registrations.get(clientId ?? '')
    if (scope === undefined) lacks.add('the registration of the client')
    return {
      ...(clientId !== undefined && {
        client: clientName(clientId),
        registered: { clientId, ...(scope !== undefined && { scope }) },
      }),
      ...(name !== undefined && { approval: name }),
      ...(consentId !== undefined && { subject: consentId }),
      ...(front && nonce !== undefined && { idToken: { ...front, nonce } }),
    }
  }

  const ofVisit = (exchange: Exchange, lacks: Set<Lack>): Partial<About> => {
    if (exchange.endpoint === 'authorisation') visits.note(exchange)
    const landing = visits.landing(exchange)
    if (!landing) return {}
    const { visit } = landing
    if (!visit || visit.nonce === undefined) {
      lacks.add('the authorisation request of the customer')
      return {}
    }
    const { clientId, redirectUri, nonce, state, consentId } = visit
    return {
      client: clientName(clientId),
      visit: { clientId, redirectUri, nonce, ...(state !== undefined && { state }) },
      ...(consentId !== undefined && { subject: consentId }),
    }
  }

  const learnLanding = (exchange: Exchange) => {
    const { redirect, visit } = visits.landing(exchange) ?? {}
    if (!visit || redirect?.code === undefined || isRedacted(redirect.code)) return
    approvals.learnCode(redirect.code, visit, redirect.idToken)
  }

  return {
    /** What the sender of a request knew, as far as earlier exchanges show it; what is unknown is added to `lacks`. */
    aboutOf(exchange: Exchange, lacks: Set<Lack>): Partial<About> {
      const { endpoint } = exchange
      if (DATA.includes(endpoint)) return ofData(exchange, lacks)
      if (endpoint === 'token') return ofToken(exchange, lacks)
      if (endpoint === 'authorisation' || endpoint === 'elsewhere') return ofVisit(exchange, lacks)
      return {}
    },
    /** Learns clients, consents, codes and tokens from an exchange. */
    learn(exchange: Exchange): void {
      const { endpoint, about, response } = exchange
      if (about.visit) learnLanding(exchange)
      const status = response?.status ?? 0
      if (status < 200 || status > 299) return
      if (endpoint === 'token') approvals.learnTokens(exchange)
      if (endpoint === 'registration') {
        const [id, scope] = ['client_id', 'scope'].map((name) => textIn(response?.json, name))
        if (id !== undefined && scope !== undefined) registrations.set(id, scope)
      }
      consents.learn(exchange)
    },
  }
}

function bearerOf({ request }: Exchange): string | undefined {
  const [, value = ''] =
    request.headers.find(([name]) => name.toLowerCase() === 'authorization') ?? []
  const [, token] = /^Bearer +(\S+)$/i.exec(value) ?? []
  return token === undefined || isRedacted(value) || isRedacted(token) ? undefined : token
}

/** The client of a token request: RFC 6749 2.3.1, RFC 7521 4.2. */
function clientIn(form: URLSearchParams): string | undefined {
  const said = form.get('client_id') ?? claimsOf(form.get('client_assertion') ?? '')?.sub
  return typeof said === 'string' && !isRedacted(said) ? said : undefined
}
