import type { Tpp } from '../client/tpp.ts'
import { environment } from '../judge/expect.ts'
import { answerOf, succeeded } from '../judge/matchers.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { member } from '../judge/rows.ts'
import type { Target } from '../target/resolve.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { Approval } from './approvals.ts'
import type { Caller } from './caller.ts'
import {
  type ClientName,
  type CustomerName,
  consentData,
  consentFacts,
  fundsConfirmationBody,
  type NamedConsent,
  SCHEMES,
} from './consent.ts'
import type { Facts } from './facts.ts'
import type { KeptApproval } from './kept-approval.ts'
import type { KeptClients } from './kept-clients.ts'
import {
  accountsOwner,
  consentOwner,
  exchangeOwner,
  OWNERS,
  type Step,
  stepMemory,
  taken,
  visitOwner,
} from './steps.ts'
import { idTokenFacts, refreshed, type TokenSet, tokensOf } from './tokens.ts'
import { rulesBrokenBy } from './trace.ts'
import { type Visit, visitEnd } from './visit.ts'
import type { VisitOptions } from './visiting.ts'

/** The happy path, message by message. */

/** Steps of the happy path by name, each sent once. */
export interface Steps {
  discovery(): Promise<Step<Record<string, unknown>>>
  jwks(): Promise<Step<{ keys: Record<string, unknown>[] }>>
  registration(name?: ClientName): Promise<Step<Tpp>>
  management(name?: ClientName, funds?: boolean): Promise<Step<string>>
  consent(consent: NamedConsent): Promise<Step<ConsentFacts>>
  fundsConfirmation(name?: ClientName): Promise<Step<string>>
  /** The deletion of the first client's; it finds out where such consents are deleted. */
  fundsDeletion(): Promise<Step<string>>
  /** `before`: for a re-confirmation, a query of the consent just before the visit. */
  visit(
    consent: NamedConsent,
  ): Promise<Step<Visit & { kind: 'granted' }> & { visit?: Visit; before?: Exchange }>
  exchange(consent: NamedConsent): Promise<Step<TokenSet>>
  /** The first refresh_token grant of an approval; not applicable where it has no refresh token. */
  refresh(consent: NamedConsent): Promise<Step<TokenSet>>
  accounts(consent: NamedConsent): Promise<Step<string[]>>
  owners(): Promise<Set<string>>
  /** Takes the steps of an approval as done, as an interrupted run left them. */
  restore(approval: KeptApproval, tokens: TokenSet | undefined, sent: SentBefore): void
}

/** An exchange of the interrupted run by its id. */
export type SentBefore = (id: string | undefined) => Exchange | undefined

/** What the steps work with. */
export interface StepParts {
  target: Target
  facts: Facts
  /** Clients of earlier runs. */
  clients?: KeptClients
  /** Where funds confirmation consents turned out to be created and deleted. */
  funds: FundsAddresses
  tpp(name?: ClientName): Tpp
  customer(name?: CustomerName): CustomerName
  caller(name?: ClientName): Promise<Caller>
  approved(consent: NamedConsent): Promise<Approval>
  visit(options: VisitOptions): Promise<Visit>
  /** Told of every approval that was given. */
  granted(consent: NamedConsent): void
}

export interface FundsAddresses {
  /** Spelling of UK.STD.PAN that the bank takes, where the target does not say it. */
  scheme?: string
  create?: string
  delete?: string
}

/** Ends the check where a consent that was to expire soon has done so before it was used. */
export function inTime(name: string, expiration: string | undefined): void {
  if (expiration === undefined || Date.now() < Date.parse(expiration)) return
  const what = `the consent ${name} expired at ${expiration}, before it was used`
  throw new Blocked({ kind: 'environment', what }, `${what}. Write a larger expiryPatience.`)
}

/** The steps of one session: each is sent when first asked for, and remembered. */
export function createSteps(parts: StepParts): Steps {
  const { target, facts, funds, tpp, customer, caller, approved, visit } = parts
  const memory = stepMemory()
  /** Access tokens for consents, as long as they live. */
  const held = new Map<string, TokenSet>()
  const clientGrant = async (name: ClientName, forFunds: boolean) => {
    const client = taken(await steps.registration(name))
    const { accounts, fundsConfirmation } = client.client.scopes
    if (forFunds && fundsConfirmation === undefined) {
      throw new NotApplicable('the target names no scope for funds confirmation')
    }
    const scope = forFunds ? fundsConfirmation : accounts
    return client.token({ grant_type: 'client_credentials', scope })
  }
  const steps: Steps = {
    discovery: () =>
      memory.once('discovery', OWNERS.discovery, async () => {
        const exchange = await tpp().call('discovery', { retry: true })
        environment(exchange)
        const { json } = exchange.response ?? {}
        const served = succeeded(exchange) && json !== undefined
        const usable = served && typeof json === 'object' && json !== null && !Array.isArray(json)
        return {
          exchange,
          value: usable ? (json as Record<string, unknown>) : undefined,
          ...(served && !usable && { owner: 'DISC-01/configuration' }),
          why: `no configuration was served: ${answerOf(exchange)}`,
        }
      }),

    jwks: () =>
      memory.once('jwks', OWNERS.jwks, async () => {
        const { jwks_uri } = taken(await steps.discovery())
        if (typeof jwks_uri !== 'string' || !URL.canParse(jwks_uri)) {
          const why = 'the configuration names no jwks_uri'
          throw new Blocked({ kind: 'check', id: 'DISC-03/members' }, why)
        }
        const exchange = await tpp().call('jwks', { path: jwks_uri, retry: true })
        environment(exchange)
        const keys = member(exchange.response?.json, 'keys')
        return {
          exchange,
          value: Array.isArray(keys) ? { keys } : undefined,
          ...(exchange.response?.json !== undefined &&
            succeeded(exchange) &&
            !Array.isArray(keys) && { owner: 'DISC-10/jwks' }),
          why: `no JWK Set was served: ${answerOf(exchange)}`,
        }
      }),

    registration: (name = 'first') =>
      memory.once(`registration ${name}`, OWNERS.registration, async () => {
        const client = tpp(name)
        client.learn((await steps.discovery()).value)
        if (client.registered)
          return { value: client, why: 'the client was registered before the run' }
        if (target.absent.has('registration')) {
          throw new NotApplicable('the target declares registration absent and gives no clientId')
        }
        const kept = parts.clients?.find(name)
        if (kept) {
          client.adopt(kept)
          return { value: client, why: 'the client was registered by an earlier run' }
        }
        const exchange = await client.register()
        environment(exchange)
        const id = member(exchange.response?.json, 'client_id')
        const usable = succeeded(exchange) && typeof id === 'string' && id !== ''
        if (usable) {
          const registered = client.adopt(exchange.response?.json)
          parts.clients?.keep(name, registered)
        }
        return {
          exchange,
          value: usable ? client : undefined,
          why: `the ${name} client was not registered: ${answerOf(exchange)}`,
        }
      }),

    async management(name = 'first', forFunds = false) {
      const key = `management ${name} ${forFunds}`
      const step = await memory.once(key, OWNERS.management, async () => {
        const exchange = await clientGrant(name, forFunds)
        environment(exchange)
        const token = tokensOf(exchange)
        if (token) held.set(key, token)
        return {
          exchange,
          value: token?.accessToken,
          why: `no client_credentials token was issued: ${answerOf(exchange)}`,
        }
      })
      const token = held.get(key)
      if (!token || Date.now() < token.expiresAt - 2000)
        return { ...step, value: token?.accessToken }
      // A run may be longer than the life of such a token.
      const next = tokensOf(await clientGrant(name, forFunds)) ?? token
      held.set(key, next)
      return { ...step, value: next.accessToken }
    },

    consent: (consent) =>
      memory.once(`consent ${consent.name}`, consentOwner(consent), async () => {
        const data = {
          ...consentData(consent, facts.shortLife),
          ...(await consent.dates?.(approved)),
        }
        const body = { Data: data, Risk: {} }
        const exchange = await (await caller(consent.client)).post('/account-access-consents', body)
        environment(exchange)
        return {
          exchange,
          value: consentFacts(exchange, data),
          why: `the consent ${consent.name} was not created: ${answerOf(exchange)}`,
        }
      }),

    fundsConfirmation: (name = 'first') =>
      memory.once(`funds confirmation ${name}`, OWNERS.fundsConfirmation, async () => {
        if (target.absent.has('funds-confirmation')) {
          throw new NotApplicable('the target declares funds confirmation absent')
        }
        const client = await caller(name)
        const scheme = target.document.literals?.panScheme ?? funds.scheme
        let exchange: Exchange | undefined
        for (const guess of scheme === undefined ? SCHEMES : [scheme]) {
          const body = fundsConfirmationBody(target, guess)
          const told = scheme === undefined ? { deviation: `${guess}, a guess` } : {}
          for (const create of target.endpoints.cbpii.create) {
            funds.create = create
            exchange = await client.post('/funds-confirmation-consents', body, told)
            environment(exchange)
            // An unknown address: the document names three, any of them may be the one.
            if (![404, 405].includes(exchange.response?.status ?? 0)) break
          }
          if (exchange && refusedAsWrong(exchange)) continue
          funds.scheme = guess
          break
        }
        if (scheme === undefined && exchange && refusedAsWrong(exchange)) {
          const what = 'literals.panScheme in the target'
          const why = `${SCHEMES.join(' and ')} are refused, which were guesses. Write ${what}`
          throw new Blocked({ kind: 'environment', what }, why, exchange)
        }
        const id = member(exchange?.response?.json, 'Data', 'ConsentId')
        const usable = exchange && succeeded(exchange) && typeof id === 'string' && id !== ''
        return {
          exchange,
          value: usable ? (id as string) : undefined,
          why: `no funds confirmation consent was created: ${exchange ? answerOf(exchange) : ''}`,
        }
      }),

    fundsDeletion: () =>
      memory.once('funds deletion', OWNERS.fundsDeletion, async () => {
        const id = taken(await steps.fundsConfirmation())
        const client = await caller()
        let exchange: Exchange | undefined
        for (const address of target.endpoints.cbpii.delete) {
          funds.delete = address
          exchange = await client.delete(`/funds-confirmation-consents/${encodeURIComponent(id)}`)
          environment(exchange)
          // An unknown address: the document leaves open which one it is.
          if (![404, 405].includes(exchange.response?.status ?? 0)) break
        }
        const usable = exchange !== undefined && succeeded(exchange)
        if (!usable) funds.delete = undefined
        return {
          exchange,
          value: usable ? id : undefined,
          why: `no funds confirmation consent was deleted: ${exchange ? answerOf(exchange) : ''}`,
        }
      }),

    visit: (consent) =>
      memory.once(`visit ${consent.name}`, visitOwner(consent), async () => {
        customer(consent.customer)
        const source = consent.reconfirms ?? consent
        if (consent.reconfirms) {
          await approved(consent.reconfirms)
          // Read before the customer is asked again: whether the accounts keep their ids is ACC-04's.
          await steps.accounts(consent.reconfirms).catch(() => {})
        }
        const { id, expiration } = taken(await steps.consent(source))
        const client = taken(await steps.registration(consent.client))
        const before = consent.reconfirms
          ? await (await caller(consent.client)).get(
              `/account-access-consents/${encodeURIComponent(id)}`,
            )
          : undefined
        const uris = client.registered?.redirect_uris ?? []
        const redirectUri = uris[consent.redirectUri ?? 0] ?? uris[0]
        const made = await visit({
          client: consent.client,
          customer: consent.customer,
          consentId: id,
          purpose: `${consent.name}: ${consent.purpose}`,
          redirectUri,
          state: consent.state,
          deviation: consent.withoutState
            ? { requestObject: { claims: { state: undefined } }, query: { state: undefined } }
            : undefined,
          correct: true,
        })
        if (made.kind !== 'granted') inTime(consent.name, expiration)
        // A code lives for a minute, and nobody is asked twice.
        if (made.kind === 'granted') {
          if (!consent.keepsCode) await exchanged(consent, client, made).catch(() => {})
          parts.granted(consent)
        }
        return {
          exchange: made.last ?? made.first,
          visit: made,
          before,
          value: made.kind === 'granted' ? made : undefined,
          why: `the customer's approval of ${consent.name} ended with ${visitEnd(made)}`,
        }
      }) as ReturnType<Steps['visit']>,

    async exchange(consent) {
      const visited = taken(await steps.visit(consent))
      return exchanged(consent, taken(await steps.registration(consent.client)), visited)
    },

    refresh: (consent) =>
      memory.once(`refresh ${consent.name}`, OWNERS.refresh, async () => {
        const approval = await approved(consent)
        const before = await approval.tokens()
        const { refreshToken, authorised } = before
        if (!refreshToken) throw new NotApplicable('the bank issues no refresh token')
        const exchange = await approval.tpp.token(
          { grant_type: 'refresh_token', refresh_token: refreshToken },
          { about: { idToken: authorised } },
        )
        environment(exchange)
        const value = refreshed(before, exchange)
        if (value) approval.use(value)
        return {
          exchange,
          value,
          why: `the refresh token of ${consent.name} gave no token: ${answerOf(exchange)}`,
        }
      }),

    accounts: (consent) =>
      memory.once(`accounts ${consent.name}`, accountsOwner(consent.permissions), async () => {
        const exchange = await (await approved(consent)).get('/accounts')
        environment(exchange)
        const accounts = member(exchange.response?.json, 'Data', 'Account')
        const ids = Array.isArray(accounts)
          ? accounts.map((row) => member(row, 'AccountId')).filter((id) => typeof id === 'string')
          : undefined
        const [rule] = rulesBrokenBy(exchange)
        if (succeeded(exchange) && !ids && rule) {
          const why = `the answer breaks ${rule} and lists no accounts`
          throw new Blocked({ kind: 'check', id: rule }, why, exchange)
        }
        return {
          exchange,
          value: succeeded(exchange) ? ids : undefined,
          why: `no accounts were listed: ${answerOf(exchange)}`,
        }
      }),

    owners: () => memory.owners(),

    restore({ consent, facts, visit: granted, ...ids }, tokens, sent) {
      const { name, reconfirms } = consent
      const why = 'an interrupted run sent it'
      if (!reconfirms) {
        const owner = consentOwner(consent)
        const exchange = sent(ids.created)
        memory.restore(`consent ${name}`, { owner, exchange, value: facts, why })
      }
      const [first, last] = [sent(ids.first), sent(ids.last)]
      const made = { ...granted, first, last }
      const step = { owner: visitOwner(consent), exchange: last ?? first, value: made, why }
      memory.restore(
        `visit ${name}`,
        Object.assign(step, { visit: made, before: sent(ids.before) }),
      )
      if (!tokens) return
      const owner = exchangeOwner(consent)
      const exchange = sent(ids.exchanged)
      memory.restore(`exchange ${name}`, { owner, exchange, value: tokens, why })
    },
  }

  const exchanged = (
    consent: NamedConsent,
    client: Tpp,
    { code, request, redirect }: Visit & { kind: 'granted' },
  ): Promise<Step<TokenSet>> =>
    memory.once(`exchange ${consent.name}`, exchangeOwner(consent), async () => {
      const authorised = idTokenFacts(redirect, request)
      const exchange = await client.token(
        { grant_type: 'authorization_code', code, redirect_uri: request.redirectUri },
        { about: { idToken: authorised } },
      )
      environment(exchange)
      const tokens = tokensOf(exchange)
      return {
        exchange,
        value: tokens && { ...tokens, authorised },
        why: `the code of ${consent.name} was not exchanged: ${answerOf(exchange)}`,
      }
    })

  return steps
}

/** Refused for what the body says, whatever the status: it is not about who asks, where or how often. */
function refusedAsWrong({ response }: Exchange): boolean {
  const status = response?.status ?? 0
  return status >= 400 && status < 500 && ![401, 403, 404, 405, 429].includes(status)
}
