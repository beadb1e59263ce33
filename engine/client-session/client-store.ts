import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Target } from '../configuration/resolve.ts'
import { isObject } from '../record/json.ts'
import { keep, readKept } from '../record/kept-json.ts'
import type { Exchange } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jwt-decode.ts'

export type ClientStore = ReturnType<typeof openClientStore>

/** Members of a registration response that a later run needs and that grant no access. */
const KEPT = [
  'client_id',
  'redirect_uris',
  'response_types',
  'grant_types',
  'scope',
  'org_name',
  'software_on_behalf_of',
]

/** Replaces a value that grants access: same type, but useless. */
const WITHHELD = 'withheld'

/** Members of a registration response that grant access. */
const SECRET = /secret|token$/

type Redact = (text: string) => string

/** A registration and its answer, without anything that grants access: a later run judges it again. */
interface KeptAnswer extends Pick<Exchange, 'startedAt' | 'durationMs' | 'request' | 'connection'> {
  status: number
  headers: [string, string][]
  json: unknown
}

/** Keeps values that the bank repeats from the registration, without signatures; redacts the rest. */
function keptAnswer(
  { startedAt, durationMs, request, response, connection }: Exchange,
  redact: Redact,
) {
  if (!response) return undefined
  const headers = (all: [string, string][]): [string, string][] =>
    all
      .filter(([name]) => /^(content-type|accept|cache-control|location)$/i.test(name))
      .map(([name, value]) => [name, redact(value)])
  const { method, url, body = '' } = request
  const { json } = response
  const members = isObject(json) ? Object.entries(json) : []
  const sent = claimsOf(body) ?? {}
  const safe = (name: string, value: unknown): unknown => {
    if (SECRET.test(name) && typeof value === 'string') return WITHHELD
    if (!isDeepStrictEqual(value, sent[name])) return withoutSecrets(value, redact)
    return typeof value === 'string' && claimsOf(value) ? withoutSignature(value) : value
  }
  const kept: KeptAnswer = {
    ...{ startedAt, durationMs, connection },
    request: { method, url, headers: headers(request.headers), body: unsigned(body) },
    status: response.status,
    headers: headers(response.headers),
    json: Object.fromEntries(members.map(([name, value]) => [redact(name), safe(name, value)])),
  }
  return kept
}

/** Redacts every string in a value, including names of members. */
function withoutSecrets(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((member) => withoutSecrets(member, redact))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(name), withoutSecrets(member, redact)]),
  )
}

/** A registration JWT with the same content that cannot be used: it and its software statement have no signature. */
function unsigned(jwt: string): string {
  const claims = claimsOf(jwt)
  if (!claims) return ''
  const { software_statement: statement, ...rest } = claims
  const text = typeof statement === 'string' ? withoutSignature(statement) : statement
  const payload = Buffer.from(JSON.stringify({ ...rest, software_statement: text }))
  return `${jwt.split('.', 1)[0]}.${payload.toString('base64url')}.${WITHHELD}`
}

function withoutSignature(jws: string): string {
  return [...jws.split('.').slice(0, 2), WITHHELD].join('.')
}

/** The exchange of an earlier run, in the form that the rules and checks of this run read. */
function exchangeOf(client: string, kept: KeptAnswer): Exchange {
  const { status, headers, json, ...rest } = kept
  const body = JSON.stringify(json)
  return {
    ...rest,
    id: EARLIER[client] ?? `r-${client}`,
    endpoint: 'registration',
    about: { client, earlier: true },
    response: { status, headers, body, json, bytes: Buffer.byteLength(body) },
  }
}

/** Ids of exchanges that an earlier run sent, by client. */
const EARLIER: Record<string, string> = { first: 'r1', second: 'r2' }

/** What is kept about a client: members of its registration, and the answer to it. */
type KeptClient = Record<string, unknown> & { registration?: KeptAnswer }

/**
 * The clients that earlier runs saved; none if there is no such file.
 *
 * @throws InputError if its form is wrong: to continue without it would register further clients.
 */
export function readClients(file: string): Record<string, KeptClient> {
  const mend = 'Remove it: the clients in it are registered again.'
  return readKept(file, { schema: 'clients', mend }) ?? {}
}

/**
 * Clients that were registered before, so that the next run need not leave another one behind: a registration cannot be
 * undone at the bank. The store holds no secret and no token, but the answer to the registration with its date.
 *
 * @param file JSON; an entry applies to one bank and one content of the software statement.
 * @param redact removes secrets from the answer to a registration; without it the answer is not kept.
 */
export function openClientStore(file: string, target: Target, redact?: Redact) {
  const all = readClients(file)
  const key = (name: string) => {
    const client = name === 'second' ? target.clients.second : target.clients.first
    const facts = [target.endpoints.registration, softwareOf(client?.softwareStatement ?? '')]
    return `${name} ${createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 16)}`
  }
  return {
    /** What the bank stored for the client of this name; undefined when the client is not known. */
    find(name: string): Record<string, unknown> | undefined {
      const { registration: _, ...client } = all[key(name)] ?? {}
      return all[key(name)] && client
    },
    /** The registration of this client, as an earlier run saw it. */
    answer(name: string): Exchange | undefined {
      const registration = all[key(name)]?.registration
      return registration && exchangeOf(name, registration)
    },
    keep(name: string, registered: Record<string, unknown>, exchange?: Exchange): void {
      const members = Object.entries(registered).filter(([member]) => KEPT.includes(member))
      const registration = exchange && redact && keptAnswer(exchange, redact)
      all[key(name)] = { ...Object.fromEntries(members), ...(registration && { registration }) }
      keep(file, all)
    },
  }
}

/** The lasting claims of a software statement; a directory may issue the same statement again every night. */
function softwareOf(statement: string): string {
  const claims = claimsOf(statement)
  if (!claims) return statement
  const { iat, exp, nbf, jti, ...lasting } = claims
  return JSON.stringify(lasting)
}
