import { createHash } from 'node:crypto'
import { endpointName } from './endpoint-names.ts'
import { headerOf } from './queries.ts'
import type { CheckResult, ExchangeRecord } from './report.ts'

/** Facts about one exchange from which causes are derived. None of them is secret. */
export interface Trace {
  id: string
  /** `GET /accounts/{AccountId}` */
  where: string
  /** Origin of the requested address: `https://api.bank.example`. */
  origin?: string
  status?: number
  /** Why no response came. */
  failure?: string
  /** `error` of the answer, and its `error_description`. */
  said?: string
  /** The deliberate fault of the request. */
  deviation?: string
  /** Parts of the request that another one may lack: members of Data, query parameters. */
  asked?: string[]
  /** Client certificate that was offered: first, second, none, untrusted, forged, expired. */
  identity: string
  /** Digest of the access token that was sent, and the exchange and grant that issued it. */
  token?: string
  issued?: { exchange: string; grant: string }
  /** Digests of the AccountIds in the answer. */
  accountIds?: string[]
  /** Id of the consent of the token. */
  consent?: string
  /** Id of the consent or account that the request concerns. */
  subject?: string
  /** ConsentId that was returned for a creation. */
  given?: string
  /** The issuer that the configuration names, and the configuration's address. */
  configuration?: { issuer: string; url: string }
  /** Seconds by which the bank's CreationDateTime is ahead of the time of its answer. */
  ahead?: number
}

export type Evidence = ReadonlyMap<string, Trace>

/** The exchange that a result is about. */
export function traceOf({ exchanges }: CheckResult, evidence: Evidence): Trace | undefined {
  return evidence.get(exchanges[0] ?? '')
}

/** `401 (invalid_token)` */
export function answer({ status, said }: Trace): string {
  return said === undefined ? String(status) : `${status} (${said})`
}

/** An exchange from the recorder or from exchanges.jsonl. */
interface Recorded
  extends Pick<ExchangeRecord, 'id' | 'endpoint' | 'startedAt' | 'durationMs' | 'request'> {
  about: { deviation?: unknown; consent?: unknown; subject?: unknown }
  response?: Pick<Response, 'status' | 'headers' | 'body'> & { json?: unknown }
  failure?: { kind: string }
  connection: { identity: string }
}

type Response = NonNullable<ExchangeRecord['response']>

/** Maximum length, in characters, of a body that is parsed again. */
const LONGEST_BODY = 1_000_000

/** Collects the traces of exchanges as they arrive. */
export function createEvidence(): Map<string, Trace> & { note(exchange: Recorded): void } {
  const issued = new Map<string, { exchange: string; grant: string }>()
  /** Consent ids by the digest of a refresh token. */
  const consents = new Map<string, string>()
  const traces = new Map<string, Trace>()
  return Object.assign(traces, {
    note(exchange: Recorded): void {
      const { id, endpoint, about, request, response, failure, connection } = exchange
      const json = jsonOf(response)
      let { subject } = about
      if (endpoint === 'token') {
        const used = new URLSearchParams(request.body ?? '').get('refresh_token')
        subject ??= consents.get(digest(used ?? ''))
        const next = text(json, 'refresh_token')
        if (next !== undefined && typeof subject === 'string') consents.set(digest(next), subject)
        const grant = /(?:^|&)grant_type=([^&]*)/.exec(request.body ?? '')?.[1] ?? ''
        const token = text(json, 'access_token')
        if (token !== undefined) issued.set(digest(token), { exchange: id, grant })
      }
      const token = bearerOf(request.headers)
      const data = member(json, 'Data')
      const issuer = endpoint === 'discovery' ? text(json, 'issuer') : undefined
      traces.set(id, {
        id,
        where: endpointName(endpoint, request),
        origin: originOf(request.url),
        identity: connection.identity,
        status: response?.status,
        failure: failure?.kind,
        said: (response?.status ?? 0) >= 400 ? saidBy(json) : redirectSays(response),
        deviation: text(about, 'deviation'),
        asked: askedOf(request),
        consent: text(about.consent, 'id'),
        subject: typeof subject === 'string' ? subject : undefined,
        given: endpoint.startsWith('create-') ? text(data, 'ConsentId') : undefined,
        configuration: issuer === undefined ? undefined : { issuer, url: request.url },
        token,
        issued: token === undefined ? undefined : issued.get(token),
        accountIds: accountIds(data),
        ahead: clockOf(data, exchange),
      })
    },
  })
}

export function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}

function jsonOf(response: Recorded['response']): unknown {
  if (!response) return undefined
  if (response.json !== undefined) return response.json
  return response.body.length > LONGEST_BODY ? undefined : parsed(response.body)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function askedOf({ url, body }: ExchangeRecord['request']): string[] | undefined {
  const query = URL.canParse(url) ? [...new URL(url).searchParams.keys()] : []
  const sent = body?.startsWith('{') && body.length < LONGEST_BODY ? parsed(body) : undefined
  const data = member(sent, 'Data')
  const members = typeof data === 'object' && data !== null ? Object.keys(data) : []
  return query.length + members.length > 0 ? [...new Set([...query, ...members])] : undefined
}

function bearerOf(headers: [string, string][]): string | undefined {
  const token = /^Bearer (.+)$/.exec(headerOf(headers, 'authorization') ?? '')?.[1]
  return token === undefined ? undefined : digest(token)
}

/** The bank's own `error` and `error_description`. */
function saidBy(json: unknown): string | undefined {
  const error = text(json, 'error')
  const description = text(json, 'error_description')
  if (error === undefined) return description
  return description === undefined ? error : `${error}: ${description}`
}

/** The error in a redirect, in the bank's words. */
function redirectSays(response: Recorded['response']): string | undefined {
  const location = headerOf(response?.headers ?? [], 'location') ?? ''
  const said = /[?#&]error_description=([^&#]*)/.exec(location)?.[1]
  if (said === undefined) return undefined
  return new URLSearchParams(`said=${said}`).get('said') ?? undefined
}

function accountIds(data: unknown): string[] | undefined {
  const rows = [member(data, 'Account'), member(data, 'Balance'), member(data, 'Transaction')]
    .filter(Array.isArray)
    .flat()
  const ids = rows.map((row) => text(row, 'AccountId')).filter((id) => id !== undefined)
  return ids.length === 0 ? undefined : [...new Set(ids)].slice(0, 100).map(digest)
}

function clockOf(data: unknown, { startedAt, durationMs }: Recorded): number | undefined {
  const created = Date.parse(text(data, 'CreationDateTime') ?? '')
  const answered = Date.parse(startedAt) + durationMs
  return Number.isNaN(created) ? undefined : Math.round((created - answered) / 1000)
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Record<string, unknown>)[name]
}

function text(value: unknown, name: string): string | undefined {
  const found = member(value, name)
  return typeof found === 'string' ? found : undefined
}

function digest(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 16)
}
