import type { Driver } from '../authorisation-drivers/driver.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Tpp } from '../client/tpp.ts'
import type { Target } from '../configuration/resolve.ts'
import type { Rule } from '../judge/rule.ts'
import { createRuleEngine, type RuleEngine } from '../judge/rule-engine.ts'
import type { ResponseSchema } from '../judge/schemas.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Wire } from '../wire/wire.ts'
import type { Approval } from './approvals.ts'
import { createVisits } from './authorisation.ts'
import type { Caller, FundsAddresses } from './caller.ts'
import { createCleanup } from './cleanup.ts'
import { createClientSteps } from './client-steps.ts'
import type { ClientStore } from './client-store.ts'
import type { NamedConsent } from './consent.ts'
import { createCustomerSteps } from './customer-steps.ts'
import type { Deadline } from './deadline.ts'
import { deleteLeftovers, type LeftBehind } from './delete-leftovers.ts'
import { createExchangeListener } from './exchange-listener.ts'
import { createFundsSteps } from './funds-steps.ts'
import { createHeldTokens } from './held-tokens.ts'
import { createHooks, type Hooks } from './hooks.ts'
import { createIdTokenSignatures } from './id-token-signatures.ts'
import { createIssuedTokens } from './issued-tokens.ts'
import { createLiveness } from './liveness.ts'
import type { ClientName, CustomerName } from './parties.ts'
import type { ResumableApproval } from './resumable-approval.ts'
import { restoreSteps, stillGood } from './resume-approval.ts'
import type { ResumableRun } from './resume-run.ts'
import { type Owners, stepMemory } from './step-owners.ts'
import type { Steps } from './steps.ts'
import type { Visit, VisitOptions, VisitRecord } from './visit.ts'

/** What one run knows and remembers of one bank. */
export interface Session {
  readonly target: Target
  readonly owners: Owners
  readonly catalogue: Catalogue
  readonly wire: Wire
  readonly ruleEngine: RuleEngine
  readonly steps: Steps
  readonly hooks: Hooks
  readonly leftovers: ReturnType<typeof createCleanup>
  readonly visits: VisitRecord[]
  /** How far checks look beyond the first case of a kind; a run says it before its first check. */
  extent: Extent
  tpp(name?: ClientName): Tpp
  caller(name?: ClientName): Promise<Caller>
  approved(consent: NamedConsent): Promise<Approval>
  visit(options: VisitOptions): Promise<Visit>
  customer(name?: CustomerName): CustomerName
  /** What is written down for the run after one that is interrupted. */
  readonly resumable?: ResumableRun
  /** Takes over the approvals of an interrupted run that still work; gives their names. */
  resume(names: string[]): Promise<string[]>
  /** Does the bank not answer any more? */
  readonly lost: boolean
  /** Removes every consent that the run made and does not keep; says what is still there. */
  cleanUp(): Promise<LeftBehind[]>
  /** Ends the visit that is open, and every later one at once. */
  interrupt(): void
  close(): Promise<void>
}

/** What of the cases that a sentence holds for is looked at. */
export interface Extent {
  /** The first case of each kind alone. */
  quick: boolean
  /** Names of the approvals that the run asks for; absent: every one that the target has. */
  approvals?: ReadonlySet<string>
}

export interface SessionParts {
  target: Target
  wire: Wire
  driver: Driver
  catalogue: Catalogue
  owners: Owners
  schemas: ResponseSchema[]
  rules: readonly Rule[]
  /** File in which consents are written down until they are gone. */
  leftovers?: string
  /** Clients of earlier runs; without it every run registers its own. */
  clients?: ClientStore
  resumable?: ResumableRun
  /** Is somebody there to be asked? */
  operator?: boolean
  /** Told before a wait with what is waited for, and after it. */
  onWaiting?: (what?: string) => void
  /** When nothing more is asked of the bank. */
  deadline?: Deadline
  /** Are the approvals of an interrupted run kept at this moment? */
  keeps?: () => boolean
  /** Sees every exchange, once it has been judged. */
  onExchange?: (exchange: Exchange) => void
}

/** Composes a session from the bottom up: what comes later uses what comes before. */
export function createSession(parts: SessionParts): Session {
  const { target, owners, wire, driver, catalogue, resumable, onExchange } = parts
  const ruleEngine = createRuleEngine(
    parts.schemas,
    parts.rules,
    target.document.literals ?? {},
    target.layout,
    target.clockTolerance,
  )
  const leftovers = createCleanup(parts.leftovers)
  if (resumable) leftovers.keepOnly([...resumable.earlier.approvals.values()].map(idOf))
  const memory = stepMemory()
  const funds: FundsAddresses = {}
  const held = createHeldTokens(resumable)
  const issued = createIssuedTokens()
  const clients = createClientSteps({
    ...{ target, wire, memory, owners, issued, funds },
    store: parts.clients,
  })
  const liveness = createLiveness((message) => wire.send(message))
  wire.onRequest((message) => {
    parts.deadline?.admit()
    liveness.admit(message)
  })
  const listener = createExchangeListener({
    ...{ ruleEngine, leftovers, issued, resumable, onExchange },
  })
  const verify = createIdTokenSignatures(ruleEngine.bank, async () => {
    return clients.tpp().call('jwks', { path: await clients.jwksAddress() })
  })
  wire.onExchange(async (exchange) => {
    await verify(exchange)
    await liveness.note(exchange)
    listener.heed(exchange)
  })
  const sentBefore = new Map<string, Exchange>()
  for (const exchange of resumable?.earlier.exchanges ?? []) {
    sentBefore.set(exchange.id, exchange)
    listener.heedEarlier(exchange)
  }
  driver.done?.((resumable?.earlier.visits ?? []).map(({ name }) => name.split(':')[0] ?? ''))
  const hooks = createHooks({
    target,
    ...(parts.operator && driver.question && { question: driver.question }),
    onWaiting: parts.onWaiting,
    onTold: issued.told,
  })
  const visits = createVisits({
    ...{ target, owners, driver, wire, clients, issued, resumable },
    async heed(exchange) {
      await verify(exchange)
      listener.heed(exchange)
    },
  })
  const fundsSteps = createFundsSteps({ target, memory, owners, clients, funds })
  const { approved, ...customerSteps } = createCustomerSteps({
    ...{ target, hooks, memory, owners, issued, clients, visits, held, funds, resumable },
    onApproved(consentId) {
      if (resumable) leftovers.keep(consentId)
    },
  })
  const { tpp, caller, discovery, jwks, registration, registeredBefore } = clients
  const { management, replace } = clients
  const client = { discovery, jwks, registration, registeredBefore, management, replace }
  return {
    ...{
      target,
      owners,
      catalogue,
      wire,
      ruleEngine,
      hooks,
      leftovers,
      resumable,
      tpp,
      caller,
      approved,
    },
    steps: { ...client, ...fundsSteps, ...customerSteps, owners: memory.owners },
    visits: visits.records,
    extent: { quick: false },
    visit: visits.visit,
    customer: visits.customer,
    async resume(names) {
      const works: string[] = []
      for (const name of names) {
        const known = resumable?.earlier.approvals.get(name)
        if (!known) continue
        const latest = resumable?.earlier.tokens.get(known.facts.id)
        const tokens = latest && (await stillGood(known, latest, clients))
        if (latest && !tokens) continue
        if (tokens) held.hold(known.facts, tokens)
        restoreSteps({ memory, owners }, known, tokens, (id) => sentBefore.get(id ?? ''))
        works.push(name)
      }
      return works
    },
    get lost() {
      return liveness.gone
    },
    cleanUp() {
      parts.deadline?.lift()
      const spared = parts.keeps?.() ? leftovers.kept() : new Set<string>()
      return deleteLeftovers({ leftovers, clients, funds: fundsSteps }, spared)
    },
    interrupt() {
      driver.interrupt?.()
      hooks.interrupt()
    },
    async close() {
      resumable?.close()
      await driver.close()
      await wire.close()
    },
  }
}

const idOf = ({ facts }: ResumableApproval) => facts.id
