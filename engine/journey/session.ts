import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Redirect } from '../client/redirect.ts'
import {
  type AuthorisationDeviation,
  type AuthorisationRequest,
  createTpp,
  type Tpp,
} from '../client/tpp.ts'
import { environment } from '../judge/expect.ts'
import { answerOf, succeeded } from '../judge/matchers.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { member } from '../judge/rows.ts'
import type { Rule } from '../judge/rule.ts'
import { createRulebook, type Rulebook } from '../judge/rulebook.ts'
import type { ResponseSchema } from '../judge/schemas.ts'
import type { Target } from '../target/resolve.ts'
import type { About, ConsentFacts, Exchange } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jws.ts'
import type { Wire } from '../wire/wire.ts'
import { type Caller, createCaller } from './caller.ts'
import {
  type ClientName,
  type ConsentData,
  type CustomerName,
  consentData,
  type NamedConsent,
} from './consent.ts'
import type { Driver } from './drivers/driver.ts'
import { httpDriver } from './drivers/http.ts'
import type { KeptClients } from './kept-clients.ts'
import { createLeftovers } from './leftovers.ts'
import { createKeyWatch } from './new-keys.ts'
import { accountsOwner, OWNERS, type Step, stepMemory, taken } from './steps.ts'
import { currentTrace, noteBroken, rulesBrokenBy } from './trace.ts'
import { type Visit, visitEnd, visitOf } from './visit.ts'
import { createVitalSigns } from './vital-signs.ts'

/** What one run knows and remembers of one bank. */
export interface Session {
  readonly target: Target
  readonly catalogue: Catalogue
  readonly wire: Wire
  readonly rulebook: Rulebook
  readonly steps: Steps
  readonly leftovers: ReturnType<typeof createLeftovers>
  readonly visits: VisitRecord[]
  tpp(name?: ClientName): Tpp
  caller(name?: ClientName): Promise<Caller>
  approved(consent: NamedConsent): Promise<Approval>
  visit(options: VisitOptions): Promise<Visit>
  customer(name?: CustomerName): CustomerName
  /** Ends a check as blocked when the bank is gone. */
  alive(): Promise<void>
  /** Removes every consent that the run made; says what is still there. */
  cleanUp(): Promise<{ kind: 'consent' | 'client'; id: string; why: string }[]>
  close(): Promise<void>
}

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
}

export interface TokenSet {
  accessToken: string
  refreshToken?: string
  idToken?: string
  scope?: string
  /** What every ID token of this authorisation must agree with. */
  authorised?: About['idToken']
  /** Milliseconds since the epoch; Infinity when the bank did not say. */
  expiresAt: number
}

/** A customer's approval of a consent, and the TPP client that may use it. */
export interface Approval extends Caller {
  readonly name: string
  readonly consent: NamedConsent
  readonly consentId: string
  readonly facts: ConsentFacts
  readonly visit: Visit & { kind: 'granted' }
  readonly customer: CustomerName
  /** The tokens in use now; a refresh replaces them. */
  tokens(): Promise<TokenSet>
  use(tokens: TokenSet): void
}

export interface VisitOptions {
  client?: ClientName
  customer?: CustomerName
  /** A client of the check's own, registered by it, instead of the one that the run works with. */
  tpp?: Tpp
  /** The consent to authorise; a spare one that nobody approves when absent. */
  consentId?: string
  /** What the customer does; `none`: follows redirects, but fills no form. */
  decision?: 'approve' | 'deny' | 'none'
  purpose: string
  redirectUri?: string
  /** A random one when absent. */
  state?: string
  deviation?: AuthorisationDeviation
  /** The deviation is a freedom of the TPP: the rules judge the answers all the same. */
  correct?: boolean
}

export interface VisitRecord {
  name: string
  client: ClientName
  customer: CustomerName
  outcome: Visit['kind']
  at: string
}

/** Every permission that opens an endpoint of the document: all but those of statements. */
export const DATA_PERMISSIONS = [
  'ReadAccountsBasic',
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadTransactionsBasic',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
]

export function createSession(parts: {
  target: Target
  wire: Wire
  driver: Driver
  catalogue: Catalogue
  schemas: ResponseSchema[]
  rules: readonly Rule[]
  /** File in which consents are written down until they are gone. */
  leftovers?: string
  /** Clients of earlier runs; without it every run registers its own. */
  clients?: KeptClients
  /** Sees every exchange, once it has been judged. */
  onExchange?: (exchange: Exchange) => void
}): Session {
  const { target, wire, driver, catalogue } = parts
  const literals = target.document.literals ?? {}
  const rulebook = createRulebook(
    parts.schemas,
    parts.rules,
    literals,
    target.layout,
    target.clockTolerance,
  )
  const leftovers = createLeftovers(parts.leftovers)
  const memory = stepMemory()
  const tpps = new Map<ClientName, Tpp>()
  const funds: { create?: string; delete?: string } = {}
  const visits: VisitRecord[] = []
  const spares = new Map<ClientName, string>()
  let door: Promise<unknown> = Promise.resolve()

  const vital = createVitalSigns(() => tpp().call('discovery'))

  const newKeys = createKeyWatch(rulebook.bank, async () => {
    const { jwks_uri } = taken(await steps.discovery())
    return tpp().call('jwks', { path: String(jwks_uri) })
  })

  const heed = (exchange: Exchange) => {
    const trace = currentTrace()
    if (trace) {
      exchange.about.check ??= trace.check
      trace.exchanges.push(exchange)
    }
    leftovers.note(exchange)
    vital.note(exchange)
    const broken = rulebook.judge(exchange)
    noteBroken(exchange, broken)
    trace?.broken.push(...broken)
    parts.onExchange?.(exchange)
  }
  wire.onExchange(async (exchange) => {
    await newKeys(exchange)
    heed(exchange)
  })

  const tpp = (name: ClientName = 'first'): Tpp => {
    if (!target.clients[name]) throw new NotApplicable(`the target has no ${name} client`)
    const known = tpps.get(name) ?? createTpp({ name, target, wire })
    tpps.set(name, known)
    return known
  }

  const customer = (name: CustomerName = 'first'): CustomerName => {
    if (!target.document.customers[name]) {
      throw new NotApplicable(`the target has no ${name} customer`)
    }
    return name
  }

  const steps: Steps = {
    discovery: () =>
      memory.once('discovery', OWNERS.discovery, async () => {
        const exchange = await tpp().call('discovery')
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
        const exchange = await tpp().call('jwks', { path: jwks_uri })
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
        const { issuer } = (await steps.discovery()).value ?? {}
        if (typeof issuer === 'string' && URL.canParse(issuer)) client.learn({ issuer })
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

    management: (name = 'first', forFunds = false) =>
      memory.once(`management ${name} ${forFunds}`, OWNERS.management, async () => {
        const client = taken(await steps.registration(name))
        const { accounts, fundsConfirmation } = client.client.scopes
        if (forFunds && fundsConfirmation === undefined) {
          throw new NotApplicable('the target names no scope for funds confirmation')
        }
        const scope = forFunds ? fundsConfirmation : accounts
        const exchange = await client.token({ grant_type: 'client_credentials', scope })
        environment(exchange)
        const token = tokensOf(exchange)
        return {
          exchange,
          value: token?.accessToken,
          why: `no client_credentials token was issued: ${answerOf(exchange)}`,
        }
      }),

    consent: (consent) =>
      memory.once(`consent ${consent.name}`, consentOwner(consent), async () => {
        const data = consentData(consent)
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
        const body = fundsConfirmationBody(target)
        let exchange: Exchange | undefined
        for (const create of target.endpoints.cbpii.create) {
          funds.create = create
          exchange = await client.post('/funds-confirmation-consents', body)
          environment(exchange)
          // An unknown address: the document names three, any of them may be the one.
          if (![404, 405].includes(exchange.response?.status ?? 0)) break
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
        const { id } = taken(await steps.consent(source))
        const client = taken(await steps.registration(consent.client))
        const before = consent.reconfirms
          ? await (await caller(consent.client)).get(`/account-access-consents/${id}`)
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
        return {
          exchange: made.last ?? made.first,
          visit: made,
          before,
          value: made.kind === 'granted' ? made : undefined,
          why: `the customer's approval of ${consent.name} ended with ${visitEnd(made)}`,
        }
      }) as ReturnType<Steps['visit']>,

    exchange: (consent) =>
      memory.once(`exchange ${consent.name}`, exchangeOwner(consent), async () => {
        const { code, request, redirect } = taken(await steps.visit(consent))
        const client = taken(await steps.registration(consent.client))
        const authorised = idTokenFacts(redirect, request)
        const exchange = await client.token(
          {
            grant_type: 'authorization_code',
            code,
            redirect_uri: request.redirectUri,
          },
          { about: { idToken: authorised } },
        )
        environment(exchange)
        const tokens = tokensOf(exchange)
        return {
          exchange,
          value: tokens && { ...tokens, authorised },
          why: `the code of ${consent.name} was not exchanged: ${answerOf(exchange)}`,
        }
      }),

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
  }

  const management = async (name: ClientName | undefined, forFunds: boolean) =>
    taken(await steps.management(name, forFunds))

  const caller = async (name: ClientName = 'first'): Promise<Caller> =>
    createCaller(taken(await steps.registration(name)), {
      management: (forFunds) => management(name, forFunds),
      funds: () => funds,
    })

  const visit = async (options: VisitOptions): Promise<Visit> => {
    const { client = 'first', decision = 'approve', purpose, deviation } = options
    const name = customer(options.customer)
    const who = options.tpp ?? taken(await steps.registration(client))
    const consentId = options.consentId ?? (await spareConsent(client))
    const { redirectUri, state } = options
    const message = { consentId, redirectUri, state }
    // The keys with which the rules verify the ID token that comes of it.
    await steps.jwks().catch(() => {})
    const turn = door.then(async () => {
      const request = await who.authorisation(message, deviation)
      const asked = deviation?.query?.redirect_uri ?? request.redirectUri
      const chosen = decision === 'none' ? httpDriver(wire, []) : driver
      const about: About = {
        client,
        visit: {
          clientId: who.registered?.client_id ?? '',
          redirectUri: asked,
          nonce: request.nonce,
          ...(!('state' in (deviation?.query ?? {})) && { state: request.state }),
        },
        ...(deviation && !options.correct && { deviation: purpose }),
      }
      const end = await chosen.visit({
        url: request.url,
        about,
        redirectUris: [asked, ...(who.registered?.redirect_uris ?? []), ...who.client.redirectUris],
        decision: decision === 'deny' ? 'deny' : 'approve',
        customer: target.document.customers[name] ?? { credentials: {} },
        customerName: name,
        purpose,
      })
      if (end.exchange) environment(end.exchange)
      else if (end.kind === 'redirected')
        heed(arrival(`v${visits.length + 1}`, about, request, end))
      const made = visitOf(request, end)
      // Once a page was shown, the bank may have noted something about the consent.
      if (made.pages.length > 0 && options.consentId === undefined) spares.delete(client)
      visits.push({
        name: purpose,
        client,
        customer: name,
        outcome: made.kind,
        at: new Date().toISOString(),
      })
      if (end.kind === 'stopped' && end.ours) {
        throw new Blocked({ kind: 'environment', what: end.why }, `the visit ended: ${end.why}`)
      }
      return made
    })
    door = turn.catch(() => {})
    return turn
  }

  /** A consent for visits that must fail: it waits for an approval that never comes. */
  const spareConsent = async (name: ClientName): Promise<string> => {
    const known = spares.get(name)
    if (known) return known
    const data = { Permissions: DATA_PERMISSIONS }
    const exchange = await (await caller(name)).post('/account-access-consents', {
      Data: data,
      Risk: {},
    })
    environment(exchange)
    const facts = consentFacts(exchange, data)
    const why = `no consent was created: ${answerOf(exchange)}`
    const { id } = taken({ owner: OWNERS.consent, exchange, value: facts, why })
    spares.set(name, id)
    return id
  }

  // What becomes of the tokens of a first authorisation is open: the latest ones serve them all.
  const holding = new Map<string, { tokens?: TokenSet }>()
  const approvals = new Map<string, Promise<Approval>>()
  const approved = (consent: NamedConsent): Promise<Approval> => {
    currentTrace()?.approvals.add(consent.name)
    const known = approvals.get(consent.name)
    if (known) return known
    const made = approve(consent)
    approvals.set(consent.name, made)
    made.catch(() => {})
    return made
  }

  const approve = async (consent: NamedConsent): Promise<Approval> => {
    const visited = taken(await steps.visit(consent))
    const facts = taken(await steps.consent(consent.reconfirms ?? consent))
    const client = taken(await steps.registration(consent.client))
    const held = holding.get(facts.id) ?? {}
    holding.set(facts.id, held)
    const tokens = async (): Promise<TokenSet> => {
      held.tokens ??= taken(await steps.exchange(consent))
      const { refreshToken, expiresAt } = held.tokens
      if (refreshToken && Date.now() > expiresAt - 2000) {
        const exchange = await client.token({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
        })
        held.tokens = refreshed(held.tokens, exchange) ?? held.tokens
      }
      return held.tokens
    }
    if (!consent.keepsCode) held.tokens = taken(await steps.exchange(consent))
    const bound = createCaller(client, {
      management: (forFunds) => management(consent.client, forFunds),
      data: async () => (await tokens()).accessToken,
      funds: () => funds,
      about: { approval: consent.name, consent: facts },
    })
    return {
      ...bound,
      name: consent.name,
      consent,
      consentId: facts.id,
      facts,
      visit: visited,
      customer: consent.customer ?? 'first',
      tokens,
      use(next) {
        held.tokens = next
      },
    }
  }

  return {
    target,
    catalogue,
    wire,
    rulebook,
    steps,
    leftovers,
    visits,
    tpp,
    caller,
    approved,
    visit,
    customer,
    alive: () => vital.check(),
    async cleanUp() {
      const reasons = new Map<string, string>()
      for (const { kind, path, id, client } of leftovers.list()) {
        if (kind === 'client') continue
        try {
          await vital.check()
          if (path.startsWith('funds')) await steps.fundsDeletion().catch(() => {})
          const exchange = await (await caller(client as ClientName)).delete(
            `/${path}/${encodeURIComponent(id)}`,
          )
          reasons.set(id, `its deletion answered ${answerOf(exchange)}`)
        } catch (error) {
          reasons.set(id, (error as Error).message)
        }
      }
      return leftovers.list().map(({ kind, id }) => ({
        kind,
        id,
        why:
          kind === 'client'
            ? 'the interface has no way to remove a client'
            : (reasons.get(id) ?? 'it was not deleted'),
      }))
    },
    async close() {
      await driver.close()
      await wire.close()
    },
  }
}

/** The check that owns the creation of a consent: that of the dates it asks for, if any. */
function consentOwner(consent: NamedConsent): string {
  if (consent.expiresInDays !== undefined) return OWNERS.consentWithExpiry
  const dated = [consent.transactionsFromDays, consent.transactionsToDays]
  return dated.some((days) => days !== undefined) ? OWNERS.consentWithPeriod : OWNERS.consent
}

/** The check that owns the visit of an approval: the one thing that is special about it, if any. */
function visitOwner({ withoutState, reconfirms }: NamedConsent): string {
  if (withoutState) return OWNERS.visitWithoutState
  return reconfirms ? OWNERS.visitAgain : OWNERS.visit
}

/** A redirect that a browser followed and we saw the end of: its status is unknown, so 0. */
function arrival(
  id: string,
  about: About,
  { url }: AuthorisationRequest,
  end: { url: string },
): Exchange {
  return {
    id,
    endpoint: 'authorisation',
    about,
    startedAt: new Date().toISOString(),
    durationMs: 0,
    request: { method: 'GET', url, headers: [] },
    response: { status: 0, headers: [['location', end.url]], body: '', bytes: 0 },
    connection: { identity: 'none' },
  }
}

/** A code of a re-confirmation is part of it; any other is exchanged by a check of its own. */
function exchangeOwner({ reconfirms }: NamedConsent): string {
  return reconfirms ? OWNERS.visitAgain : OWNERS.exchange
}

/** What ID tokens of the token endpoint must agree with. */
function idTokenFacts({ idToken }: Redirect, { nonce }: AuthorisationRequest): About['idToken'] {
  const { iss, sub } = claimsOf(idToken ?? '') ?? {}
  return { nonce, iss, sub }
}

/** The tokens of a token response; undefined when it holds no access token. */
export function tokensOf(exchange: Exchange): TokenSet | undefined {
  if (!succeeded(exchange)) return undefined
  const text = (name: string) => {
    const value = member(exchange.response?.json, name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const accessToken = text('access_token')
  if (!accessToken) return undefined
  const seconds = Number(member(exchange.response?.json, 'expires_in'))
  return {
    accessToken,
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    scope: text('scope'),
    expiresAt: Number.isFinite(seconds) ? Date.now() + seconds * 1000 : Number.POSITIVE_INFINITY,
  }
}

/** The tokens after a refresh: a refresh token that was not replaced goes on working. */
function refreshed(before: TokenSet, exchange: Exchange): TokenSet | undefined {
  const { refreshToken, authorised } = before
  const fresh = tokensOf(exchange)
  return fresh && { ...fresh, refreshToken: fresh.refreshToken ?? refreshToken, authorised }
}

/** What was asked for, under the id that the bank gave it; undefined when it gave none. */
function consentFacts(exchange: Exchange, data: ConsentData): ConsentFacts | undefined {
  const id = member(exchange.response?.json, 'Data', 'ConsentId')
  if (!succeeded(exchange) || typeof id !== 'string' || id === '') return undefined
  return {
    id,
    permissions: data.Permissions,
    expiration: data.ExpirationDateTime,
    transactionFrom: data.TransactionFromDateTime,
    transactionTo: data.TransactionToDateTime,
  }
}

/** The smallest body of a funds confirmation consent. */
export function fundsConfirmationBody(target: Target): {
  Data: Record<string, unknown>
  Risk: object
} {
  const scheme = target.document.literals?.panScheme ?? 'UK.OBIE.PAN'
  const ending = target.document.customers.first.cardEnding ?? '1234'
  return { Data: { DebtorAccount: { SchemeName: scheme, Identification: ending } }, Risk: {} }
}
