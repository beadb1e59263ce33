import { routeOf } from '../client/call.ts'
import type { TargetDocument } from '../configuration/target.ts'
import type { Exchange, Seen } from '../wire/exchange.ts'
import { jsonOf } from '../wire/json-body.ts'

/** One request as a bank saw it, in the form in which a bank reports it. */
export interface BankSighting {
  startedAt: number
  durationMs: number
  role: string
  request: { method: string; url: string; headers: [string, string][]; body: string }
  response?: { status: number; headers: [string, string][]; body: string }
  failure?: { code: string; message: string }
  connection: {
    protocol?: string
    cipher?: string
    certificate: string
    organisationId?: string
    acceptedAt?: number
  }
  refusal?: { reason: string; detail: string }
  facts?: Omit<
    Seen,
    'scenario' | 'goal' | 'present' | 'fired' | 'certificate' | 'acceptedAt' | 'refusal'
  >
  fired: string[]
}

/** The party whose certificate is renewed. */
export type Renewed = 'bank' | 'TPP'

/** A bank that runs for one scenario. */
export interface HostedBank {
  /** How to reach it, with every credential, in the form of a target file. */
  document: TargetDocument
  issuer: string
  /** What the TPP has of its own, instead of that in the document. */
  own: { signing: boolean; transport: boolean }
  /**
   * Renews the certificate of one side.
   *
   * @throws NotApplicable if the client cannot be given another one
   */
  renew(side: Renewed): void
  /**
   * Shows new connections a certificate of an untrusted authority, or one of the directory's authority for
   * another host: all of them, or those to registration, tokens, consents and data.
   *
   * @throws NotApplicable if there is none to show
   */
  impersonate(by: 'stranger' | 'other-host', at?: 'api'): Promise<void>
  close(): Promise<void>
}

/** Opens banks for scenarios; the code that composes the certification provides it. */
export interface BankHost {
  /** @throws Error when there is no `alteration` of that name. */
  open(options: {
    alteration?: string
    onSighting(sighting: BankSighting): void
  }): Promise<HostedBank>
  close(): Promise<void>
}

/** The exchange of a sighting, in the terms of rules and reports. */
export function exchangeOf(
  sighting: BankSighting,
  id: string,
  about: Pick<Seen, 'scenario' | 'goal' | 'present'> & { owns?: string[] },
): Exchange {
  const { request, response, failure, connection, refusal, facts, fired } = sighting
  const { owns, ...during } = about
  const { body: sent, ...rest } = request
  const body = Buffer.from(response?.body ?? '')
  return {
    id,
    endpoint: endpointOf(sighting),
    about: {
      check: during.scenario,
      ...(owns && { owns }),
      seen: {
        ...during,
        fired,
        certificate: connection.certificate,
        ...(connection.acceptedAt !== undefined && { acceptedAt: connection.acceptedAt }),
        ...(refusal && { refusal }),
        ...facts,
      },
    },
    startedAt: new Date(sighting.startedAt).toISOString(),
    durationMs: Math.round(sighting.durationMs * 10) / 10,
    request: { ...rest, ...(sent !== '' && { body: sent }) },
    ...(response && {
      response: { ...response, bytes: body.length, json: jsonOf(body, response.body) },
    }),
    ...(failure && { failure: { kind: 'closed' as const, ...failure } }),
    connection: {
      protocol: connection.protocol,
      cipher: connection.cipher,
      identity: connection.organisationId ?? connection.certificate,
    },
  }
}

const DATA = /\/(?:accounts(?:\/[^/]+(?:\/(?:balances|transactions))?)?|balances|transactions)$/

const CONSENT = /\/((?:account-access|funds-confirmation)-consents)(\/.+)?$/s

function endpointOf({ role, request }: BankSighting): Exchange['endpoint'] {
  if (role === 'handshake') return 'elsewhere'
  const pathname = new URL(request.url).pathname.replace(/(?<=[^/])\/+$/, '')
  if (role === 'discovery') {
    return pathname.endsWith('/jwks') ? 'jwks' : 'discovery'
  }
  // "Client management (reading, updating or deleting a registration after creation) is not supported."
  if (role === 'registration') return request.method === 'POST' ? role : 'elsewhere'
  if (role === 'token') return role
  // A preflight, and a check whether the host is up, are not the request of the document.
  if (role === 'products') {
    return request.method === 'GET' && pathname.endsWith('/consumer-credit-cards')
      ? role
      : 'elsewhere'
  }
  if (role === 'authorisation') {
    return /\/auth(orize)?$/.test(pathname) ? 'authorisation' : 'elsewhere'
  }
  const [, kind, id] = CONSENT.exec(pathname) ?? []
  // The document's operations on consents; no other path is one of its endpoints.
  if (kind) return routeOf(request.method, `/${kind}${id ? '/id' : ''}`).endpoint
  const data = DATA.exec(pathname)?.[0].replace(/^\/accounts\/[^/]+/, '/accounts/id')
  return data ? routeOf('GET', data).endpoint : 'elsewhere'
}
