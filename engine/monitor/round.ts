import { routeOf } from '../client/call.ts'
import { createTpp, type Tpp } from '../client/tpp.ts'
import { dataPaths } from '../client-session/consent.ts'
import { createIdTokenSignatures } from '../client-session/id-token-signatures.ts'
import { refreshed, type TokenSet, tokensOf } from '../client-session/tokens.ts'
import type { Target } from '../configuration/resolve.ts'
import type { ClientName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import type { RuleEngine } from '../judge/rule-engine.ts'
import { now } from '../record/clock.ts'
import { isObject } from '../record/json.ts'
import { percentEncoded } from '../record/percent.ts'
import type { Exchange } from '../wire/exchange.ts'
import { addressProblem } from '../wire/outside-address.ts'
import { isPassing } from '../wire/retry-after.ts'
import { createWire } from '../wire/wire.ts'
import type { KeptApproval, KeptApprovals } from './kept-approvals.ts'

/** Maximum number of requests in one round. */
export const MOST_REQUESTS = 40

/** One message may be sent with another HTTP version, with a certificate, and over another connection. */
const MOST_OF_ONE = 4

/** Milliseconds of validity that an access token must have left. */
const LEFT = 60_000

/** The state of one part of the interface in a round. */
export interface PartSeen {
  part: string
  /** `limited`: the bank answered 429, which shows neither. */
  is: 'served' | 'away' | 'limited'
  /** Start of the request that showed it, milliseconds since the epoch. */
  at: number
  /** The failure or answer of a part that is away. */
  why?: string
}

export interface RoundSeen {
  parts: PartSeen[]
  /** The keys that the bank served; undefined if it served none. */
  keys?: unknown[]
  /** Address of the bank's keys. */
  jwksAddress?: string
  /** What is not watched, and how it can be. */
  unwatched: string[]
  requests: number
  /** True if data were requested. */
  data: boolean
}

export interface RoundParts {
  target: Target
  kept: KeptApprovals
  /** What the bank stored for a client with this name, if an earlier run registered it. */
  registered(name: ClientName): Record<string, unknown> | undefined
  /** Judges the exchanges. */
  engine: RuleEngine
  /** True if data are due in this round. */
  data: boolean
  /** Called with each exchange after it was judged. */
  onExchange(exchange: Exchange): void
  signal?: AbortSignal
}

/**
 * One round: each request of the plan once, in this order, no customer present, and nothing created. Requests
 * configuration, keys, product list and a token of the client. If data are due, for each kept approval: refreshes an
 * access token that has expired, then requests accounts, balances, transactions, and those of the first account.
 */
export async function monitorRound(parts: RoundParts): Promise<RoundSeen> {
  const { target, engine, onExchange } = parts
  const wire = createWire(target)
  const verify = createIdTokenSignatures(engine, async () => undefined, 0)
  wire.onExchange(async (exchange) => {
    await verify(exchange)
    // A gateway fault or a limit is temporary: it is reported as such, and no rule judges it.
    if (!isPassing(exchange)) engine.judge(exchange)
    onExchange(exchange)
  })
  const round = createRound(parts, () => wire.requests)
  const tpps = new Map<ClientName, Tpp>()
  const tpp = (name: ClientName) => {
    const made = tpps.get(name) ?? createTpp({ name, target, wire })
    tpps.set(name, made)
    if (!made.registered) {
      const known = parts.registered(name)
      if (known) made.adopt(known)
    }
    return made
  }
  try {
    await configuration(round, tpp('first'), target)
    if (!target.absent.has('account-information')) {
      await clientToken(round, tpp('first'))
      if (parts.data) await everyApproval(round, parts, tpp)
    }
    return { ...round.seen, requests: wire.requests }
  } finally {
    await wire.close()
  }
}

type Round = ReturnType<typeof createRound>

function createRound({ data, signal }: RoundParts, requests: () => number) {
  const seen: RoundSeen = { parts: [], unwatched: [], requests: 0, data }
  return {
    seen,
    /** Sends one request, unless the round is over; undefined if it was not sent. */
    async ask(part: string, send: () => Promise<Exchange>): Promise<Exchange | undefined> {
      if (signal?.aborted) return undefined
      if (requests() + MOST_OF_ONE > MOST_REQUESTS) {
        seen.unwatched.push(`${part}: a round has ${MOST_REQUESTS} requests, and they are used`)
        return undefined
      }
      const exchange = await send()
      const at = Date.parse(exchange.startedAt)
      if (succeeded(exchange)) seen.parts.push({ part, is: 'served', at })
      else if (exchange.response?.status === 429) seen.parts.push({ part, is: 'limited', at })
      else seen.parts.push({ part, is: 'away', at, why: whyOf(exchange) })
      return exchange
    },
  }
}

function whyOf(exchange: Exchange): string {
  const { failure } = exchange
  // Without addresses: parts that are away for the same reason are one outage.
  return failure ? `${failure.kind}, ${failure.code}` : `answered ${answerOf(exchange)}`
}

/** True for a part that is requested only if data are due. */
export const isOfData = (part: string): boolean => /^(?:GET |refresh of )/.test(part)

/** No request is retried: each shows what a customer would meet. */
const ONCE = { retry: false } as const

async function configuration(round: Round, client: Tpp, target: Target): Promise<void> {
  const read = await round.ask('configuration', () => client.call('discovery', ONCE))
  const { json } = read?.response ?? {}
  if (read && succeeded(read) && isObject(json)) {
    client.learn(json)
    const address = json.jwks_uri
    if (typeof address === 'string' && (await addressProblem(address, target)) === undefined) {
      round.seen.jwksAddress = address
      const keys = await round.ask('keys', () => client.call('jwks', { path: address, ...ONCE }))
      const served = keys && succeeded(keys) ? member(keys.response?.json, 'keys') : undefined
      if (Array.isArray(served)) round.seen.keys = served
    } else round.seen.unwatched.push('keys: the configuration names no address of them')
  }
  if (target.absent.has('products')) return
  await round.ask('products', () => client.call('products', ONCE))
}

async function clientToken(round: Round, client: Tpp): Promise<void> {
  if (!client.registered) {
    round.seen.unwatched.push('token: no client is registered; --approve registers one')
    return
  }
  await round.ask('token', () => client.token({ grant_type: 'client_credentials' }, ONCE))
}

async function everyApproval(
  round: Round,
  { kept }: RoundParts,
  tpp: (name: ClientName) => Tpp,
): Promise<void> {
  const all = kept.all()
  if (all.length === 0) {
    round.seen.unwatched.push('data: no approval is kept; --approve asks a customer for one')
  }
  for (const { approval, tokens } of all) {
    const client = tpp(approval.client)
    const part = `data of “${approval.name}”`
    if (client.registered?.client_id !== approval.clientId) {
      round.seen.unwatched.push(`${part}: it was approved for another client; approve it again`)
      continue
    }
    const good = await current(round, { client, approval, tokens, kept })
    if (good) await dataOf(round, client, approval, good)
  }
}

/** Tokens that are still valid; refreshed if the access token expires within a minute. */
async function current(
  round: Round,
  of: { client: Tpp; approval: KeptApproval; tokens: TokenSet; kept: KeptApprovals },
): Promise<TokenSet | undefined> {
  const { client, approval, tokens, kept } = of
  const part = `data of “${approval.name}”`
  const { expiration, id } = approval.facts
  if (expiration !== undefined && Date.parse(expiration) < now()) {
    round.seen.unwatched.push(`${part}: the consent has expired; --approve asks for another`)
    return undefined
  }
  if (now() < tokens.expiresAt - LEFT) return tokens
  const { refreshToken, authorised } = tokens
  if (!refreshToken) {
    const why = 'its access token has ended, and the bank issues no refresh token'
    round.seen.unwatched.push(`${part}: ${why}; --approve asks again`)
    return undefined
  }
  const sent = await round.ask(`refresh of “${approval.name}”`, () =>
    client.token(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      { about: { idToken: authorised, subject: id }, ...ONCE },
    ),
  )
  const next = sent && tokensOf(sent) && refreshed(tokens, sent)
  // Stored before anything else: a bank may accept a refresh token only once.
  if (next) kept.hold(id, next)
  return next
}

async function dataOf(
  round: Round,
  client: Tpp,
  { name, facts, permissions }: KeptApproval,
  { accessToken }: TokenSet,
): Promise<void> {
  const about = { approval: name, consent: facts }
  const get = (path: string) => {
    const { endpoint, ...named } = routeOf('GET', path)
    const options = { bearer: accessToken, customerPresent: false, about, ...named, ...ONCE }
    return round.ask(`${pathWords(path)} (${name})`, () => client.call(endpoint, options))
  }
  const paths = dataPaths(permissions)
  let first: unknown
  for (const path of paths) {
    const answer = await get(path)
    if (path === '/accounts')
      first = member(answer?.response?.json, 'Data', 'Account', '0', 'AccountId')
  }
  if (typeof first !== 'string' || first === '') return
  const account = `/accounts/${percentEncoded(first)}`
  await get(account)
  for (const path of paths) if (path !== '/accounts') await get(`${account}${path}`)
}

/** In the spelling of the documents: without the AccountId, which belongs to a customer. */
const pathWords = (path: string): string =>
  `GET ${path.replace(/^\/accounts\/[^/]+/, '/accounts/{AccountId}')}`
