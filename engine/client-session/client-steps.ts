import { createTpp, type Tpp } from '../client/tpp.ts'
import type { ClientName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { member } from '../judge/data-rows.ts'
import { requireReachable } from '../judge/expect.ts'
import { succeeded } from '../judge/matchers.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { now } from '../record/clock.ts'
import { isObject } from '../record/json.ts'
import type { Exchange } from '../wire/exchange.ts'
import { addressProblem } from '../wire/outside-address.ts'
import { createCaller } from './caller.ts'
import type { ClientStore } from './client-store.ts'
import { createdId, DATA_PERMISSIONS } from './consent.ts'
import { anotherForClient } from './ledger/another-client-token.ts'
import { inUse } from './ledger/events.ts'
import type { RefusedToken } from './ledger/refused-token.ts'
import { isOutdated } from './ledger/why.ts'
import { requireValue, type SharedBySteps } from './step-owners.ts'
import { MARGIN, tokensOf } from './tokens.ts'

export const BY_AN_EARLIER_RUN = 'the client was registered by an earlier run'

/** What a TPP client does before any customer comes into it. */
export type ClientSteps = ReturnType<typeof createClientSteps>

/**
 * Does a text of scopes leave this one out? One with none of our names says nothing, it may spell them otherwise.
 *
 * @param own our names of scopes
 */
function lacks(
  scope: string,
  own: readonly (string | undefined)[],
  given: string | undefined,
): boolean {
  const words = given?.split(' ') ?? []
  return !words.includes(scope) && own.some((name) => name !== undefined && words.includes(name))
}

/** Does a token create account access consents, whatever its scope is said to be? The consent is deleted again. */
async function createsConsents(client: Tpp, bearer: string): Promise<boolean> {
  const body = { Data: { Permissions: DATA_PERMISSIONS }, Risk: {} }
  const subject = createdId(await client.call('create-account-access-consent', { bearer, body }))
  if (subject === undefined) return false
  await client.call('delete-account-access-consent', { bearer, subject })
  return true
}

/** What is known of the clients of earlier runs, and what is done with it. */
interface EarlierClients {
  store?: ClientStore
  /** Is a client registered anew, though an earlier one is known? */
  anew: boolean
  /** Has the rules judge the kept answer of a registration, as if it came now. */
  heed(exchange: Exchange): void
}

export function createClientSteps(parts: SharedBySteps, { store, anew, heed }: EarlierClients) {
  const { target, wire, memory, owners, ledger, funds } = parts
  const tpps = new Map<ClientName, Tpp>()

  /** A client of the target, registered or not; not applicable when the target has none. */
  const tpp = (name: ClientName = 'first'): Tpp => {
    if (!target.clients[name]) throw new NotApplicable(`the target has no ${name} client`)
    const known = tpps.get(name) ?? createTpp({ name, target, wire })
    tpps.set(name, known)
    return known
  }

  const discovery = () =>
    memory.once('discovery', owners.steps.discovery, async () => {
      const exchange = await tpp().call('discovery')
      requireReachable(exchange)
      const { json } = exchange.response ?? {}
      const served = succeeded(exchange) && json !== undefined
      return {
        exchange,
        value: served && isObject(json) ? json : undefined,
        ...(served && !isObject(json) && { owner: owners.shapes.configuration }),
        why: `no configuration was served: ${answerOf(exchange)}`,
      }
    })

  /**
   * Where the configuration says that the bank's keys are.
   *
   * @throws Blocked by the check of its members, where nothing is to be fetched from there.
   */
  const jwksAddress = async () => {
    const step = await discovery()
    const { jwks_uri: address } = requireValue(step)
    const given = typeof address === 'string'
    const problem = given ? await addressProblem(address, target) : 'it is not there'
    if (given && problem === undefined) return address
    const why = `the jwks_uri of the configuration is not fetched: ${problem}`
    throw new Blocked({ kind: 'check', id: owners.shapes.members }, why, step.exchange)
  }

  const jwks = () =>
    memory.once('jwks', owners.steps.jwks, async () => {
      const exchange = await tpp().call('jwks', { path: await jwksAddress() })
      requireReachable(exchange)
      const { json } = exchange.response ?? {}
      const served = succeeded(exchange) && json !== undefined
      const keys = member(json, 'keys')
      return {
        exchange,
        value: Array.isArray(keys) ? { keys } : undefined,
        ...(served && !Array.isArray(keys) && { owner: owners.shapes.jwks }),
        why: `no JWK Set was served: ${answerOf(exchange)}`,
      }
    })

  /** Clients of which it is known which audience the bank takes. */
  const settled = new Set<Tpp>()

  /**
   * AMB-25: an audience that is advertised and is not the address asked is a guess; where the bank
   * refuses it, the address is the audience.
   */
  const settleAudience = async (client: Tpp) => {
    const advertised = member((await discovery()).value, 'token_endpoint')
    const address = target.endpoints.token
    if (settled.has(client) || typeof advertised !== 'string' || advertised === address) return
    settled.add(client)
    const deviation = `the audience ${advertised}, a guess`
    const tried = await client.token({ grant_type: 'client_credentials' }, { deviation })
    if (!succeeded(tried)) client.learn({ token_endpoint: address })
  }

  /** AMB-25: a bank that refuses the address of its token endpoint may want its issuer there. */
  const takesIssuer = async (client: Tpp): Promise<boolean> => {
    const issuer = member((await discovery()).value, 'issuer')
    if (askedForIssuer.has(client) || target.document.assertionAudience !== undefined) return false
    askedForIssuer.add(client)
    if (typeof issuer !== 'string' || issuer === client.audience) return false
    const deviation = `the audience ${issuer}, a guess`
    const claims = { aud: issuer }
    const tried = await client.token(
      { grant_type: 'client_credentials' },
      { deviation, assertion: { claims } },
    )
    if (!succeeded(tried)) return false
    client.learn({ token_endpoint: issuer })
    return true
  }

  const askedForIssuer = new Set<Tpp>()

  /** Does the bank still know a client of an earlier run? One that was set up anew does not. */
  const isKnown = async (client: Tpp): Promise<boolean> => {
    const deviation = 'is the client of an earlier run still known?'
    const ask = () => client.token({ grant_type: 'client_credentials' }, { deviation })
    const first = await ask()
    const answer = wasRefused(first) && (await takesIssuer(client)) ? await ask() : first
    if (answer.response?.status === 401) return false
    return member(answer.response?.json, 'error') !== 'invalid_client'
  }

  /** The client of an earlier run, where the bank still knows it; the answer of its registration is judged again. */
  const ofEarlierRun = async (name: ClientName, client: Tpp) => {
    const kept = store?.find(name)
    if (!kept) return undefined
    client.adopt(kept)
    await settleAudience(client)
    if (!(await isKnown(client))) return undefined
    const exchange = store?.answer(name)
    if (!exchange) return { value: client, why: `${BY_AN_EARLIER_RUN}, and its answer is not kept` }
    heed(exchange)
    return { exchange, value: client, why: BY_AN_EARLIER_RUN }
  }

  let madeBefore: Exchange | undefined

  const registration = (name: ClientName = 'first') =>
    memory.once(`registration ${name}`, owners.steps.registration, async () => {
      const client = tpp(name)
      client.learn((await discovery()).value)
      if (client.registered) {
        await settleAudience(client)
        return { value: client, why: 'the client was registered before the run' }
      }
      if (target.absent.has('registration')) {
        throw new NotApplicable('the target declares registration absent and gives no clientId')
      }
      const before = anew ? undefined : await ofEarlierRun(name, client)
      if (before) return before
      const sent = await client.register()
      requireReachable(sent)
      const exchange = (name === 'first' && wasRefused(sent) && madeBefore) || sent
      // A bank that registers a software once keeps to the client that it has.
      const known = anew && wasRefused(exchange) ? await ofEarlierRun(name, client) : undefined
      if (known) return known
      const id = member(exchange.response?.json, 'client_id')
      const usable = succeeded(exchange) && typeof id === 'string' && id !== ''
      if (usable) {
        const registered = client.adopt(exchange.response?.json)
        store?.keep(name, registered, exchange)
        await settleAudience(client)
      }
      return {
        exchange,
        value: usable ? client : undefined,
        why: `the ${name} client was not registered: ${answerOf(exchange)}`,
      }
    })

  const grant = async (name: ClientName, forFunds: boolean) => {
    const client = requireValue(await registration(name))
    const { accounts, fundsConfirmation } = client.client.scopes
    if (forFunds && fundsConfirmation === undefined) {
      throw new NotApplicable('the target names no scope for funds confirmation')
    }
    const scope = (forFunds && fundsConfirmation) || accounts
    const own = [accounts, fundsConfirmation]
    // "The service may modify or discard any supplied value": what it refuses then is not to be asked for.
    const without = (who: string) => new NotApplicable(`${who} without the scope ${scope}`)
    const send = () => client.token({ grant_type: 'client_credentials', scope })
    const first = await send()
    const exchange = wasRefused(first) && (await takesIssuer(client)) ? await send() : first
    if (wasRefused(exchange) && lacks(scope, own, client.registered?.scope)) {
      throw without('the bank registered the client')
    }
    const token = tokensOf(exchange)
    if (!token || !lacks(scope, own, token.scope)) return exchange
    if (forFunds || !(await createsConsents(client, token.accessToken))) {
      throw without('the bank issues tokens')
    }
    return exchange
  }

  const keyOf = (name: ClientName, forFunds: boolean) => `management ${name} ${forFunds}`

  /** An access token from a client_credentials grant, renewed when it is about to expire. */
  const management = async (name: ClientName = 'first', forFunds = false) => {
    const key = keyOf(name, forFunds)
    const step = await memory.once(key, owners.steps.management, async () => {
      const exchange = await grant(name, forFunds)
      requireReachable(exchange)
      const token = tokensOf(exchange)
      if (token) ledger.add({ kind: 'in use', key, tokens: token })
      return {
        exchange,
        value: token?.accessToken,
        why: `no client_credentials token was issued: ${answerOf(exchange)}`,
      }
    })
    const token = inUse(ledger.events, key)
    const outdated = token && isOutdated(ledger.events, name, token.accessToken)
    if (!token || (now() < token.expiresAt - MARGIN && !outdated))
      return { ...step, value: token?.accessToken }
    // A run may be longer than the life of such a token, and a bank may keep the newest alone.
    return { ...step, value: (await renewed(name, forFunds))?.accessToken ?? token.accessToken }
  }

  const renewed = async (name: ClientName, forFunds: boolean) => {
    const next = tokensOf(await grant(name, forFunds))
    if (next) ledger.add({ kind: 'in use', key: keyOf(name, forFunds), tokens: next })
    return next
  }

  /** Goes on as the client that a later registration of the same software made. */
  const replace = async (name: ClientName, registered: unknown) => {
    const adopted = tpp(name).adopt(registered)
    store?.keep(name, adopted)
    for (const forFunds of [false, true]) {
      if (inUse(ledger.events, keyOf(name, forFunds))) await renewed(name, forFunds)
    }
  }

  /** Another token for consents, where the bank refused one of ours. */
  const another = (name: ClientName, refused: RefusedToken, forFunds: boolean) =>
    anotherForClient(ledger, name, refused, () => renewed(name, forFunds))

  /** A registered client with tokens of its own. */
  const caller = async (name: ClientName = 'first') =>
    createCaller(requireValue(await registration(name)), {
      ledger,
      management: async (forFunds) => requireValue(await management(name, forFunds)),
      funds: () => funds,
      anotherForConsents: (refused, forFunds) => another(name, refused, forFunds),
    })

  return {
    ...{ tpp, discovery, jwksAddress, jwks, registration, management, replace, another, caller },
    /**
     * A registration of the first client's software that made a client although it was not quite the
     * correct one: "the service may modify or discard any supplied value". Where the bank keeps one
     * client for each software and refuses the correct one for it, this is the client.
     */
    registeredBefore(exchange: Exchange) {
      madeBefore = exchange
    },
  }
}

/** Did the bank say no, rather than that it cannot now? */
function wasRefused({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 400 && response.status < 500
}
