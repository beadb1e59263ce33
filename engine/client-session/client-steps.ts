import type { Tpp } from '../client/tpp.ts'
import type { ClientName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { requireReachable } from '../judge/expect.ts'
import { NotApplicable } from '../judge/outcome.ts'
import { now } from '../record/clock.ts'
import { createAudiences, wasRefused } from './audiences.ts'
import { createCaller } from './caller.ts'
import { createdId, DATA_PERMISSIONS } from './consent.ts'
import { createDiscoverySteps } from './discovery-steps.ts'
import { anotherForClient } from './ledger/another-client-token.ts'
import { inUse } from './ledger/events.ts'
import type { RefusedToken } from './ledger/refused-token.ts'
import { isOutdated } from './ledger/why.ts'
import { createRegistrationSteps, type EarlierClients } from './registration-steps.ts'
import { requireValue, type SharedBySteps } from './step-owners.ts'
import { MARGIN, type TokenSet, tokensOf } from './tokens.ts'
import { oneAtATime } from './under-way.ts'

/** The steps of a TPP client before any customer is involved. */
export type ClientSteps = ReturnType<typeof createClientSteps>

/**
 * True if a scope string lacks this scope. A string without any configured name proves nothing: spellings may differ.
 *
 * @param own the configured names of scopes
 */
function lacks(
  scope: string,
  own: readonly (string | undefined)[],
  given: string | undefined,
): boolean {
  const words = given?.split(' ') ?? []
  return !words.includes(scope) && own.some((name) => name !== undefined && words.includes(name))
}

/** True if the token can create account access consents, whatever scope is reported. Deletes the consent again. */
async function createsConsents(client: Tpp, bearer: string): Promise<boolean> {
  const body = { Data: { Permissions: DATA_PERMISSIONS }, Risk: {} }
  const subject = createdId(await client.call('create-account-access-consent', { bearer, body }))
  if (subject === undefined) return false
  await client.call('delete-account-access-consent', { bearer, subject })
  return true
}

/** Composes the steps of a client from discovery to its own tokens. */
export function createClientSteps(parts: SharedBySteps, earlier: EarlierClients) {
  const { target, memory, owners, ledger, funds } = parts
  const before = createDiscoverySteps(parts)
  const audiences = createAudiences(target, before.discovery)
  const registering = createRegistrationSteps(parts, before, audiences, earlier)
  const { registration } = registering

  const grant = async (name: ClientName, forFunds: boolean) => {
    const client = requireValue(await registration(name))
    const { accounts, fundsConfirmation } = client.client.scopes
    if (forFunds && fundsConfirmation === undefined) {
      throw new NotApplicable('the target names no scope for funds confirmation')
    }
    const scope = (forFunds && fundsConfirmation) || accounts
    const own = [accounts, fundsConfirmation]
    // "The service may modify or discard any supplied value": a discarded scope that is then refused is not applicable.
    const without = (who: string) => new NotApplicable(`${who} without the scope ${scope}`)
    const exchange = await audiences.answerTo(client, () =>
      client.token({ grant_type: 'client_credentials', scope }),
    )
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
    // A run may outlast such a token, and a bank may accept only the newest one.
    return { ...step, value: (await renewed(name, forFunds))?.accessToken ?? token.accessToken }
  }

  const oneRenewal = oneAtATime<TokenSet | undefined>()
  /** Simultaneous requests share one: a bank may accept only the newest token. */
  const renewed = (name: ClientName, forFunds: boolean) => {
    const key = keyOf(name, forFunds)
    return oneRenewal(key, async () => {
      const next = tokensOf(await grant(name, forFunds))
      if (next) ledger.add({ kind: 'in use', key, tokens: next })
      return next
    })
  }

  /** Continues as the client that a later registration of the same software created. */
  const replace = async (name: ClientName, registered: unknown) => {
    const adopted = before.tpp(name).adopt(registered)
    earlier.store?.keep(name, adopted)
    for (const forFunds of [false, true]) {
      if (inUse(ledger.events, keyOf(name, forFunds))) await renewed(name, forFunds)
    }
  }

  /** Another token for consents, where the bank refused one of the client: one that came meanwhile, or a new one. */
  const another = (name: ClientName, refused: RefusedToken, forFunds: boolean) =>
    anotherForClient(ledger, name, refused, async () => {
      const known = inUse(ledger.events, keyOf(name, forFunds))
      const isOther = known && known.accessToken !== refused.token
      if (isOther && !isOutdated(ledger.events, name, known.accessToken)) return known
      return renewed(name, forFunds)
    })

  /** A registered client with its own tokens. */
  const caller = async (name: ClientName = 'first') =>
    createCaller(requireValue(await registration(name)), {
      ledger,
      management: async (forFunds) => requireValue(await management(name, forFunds)),
      funds: () => funds,
      anotherForConsents: (refused, forFunds) => another(name, refused, forFunds),
    })

  return { ...before, ...registering, management, replace, another, caller }
}
