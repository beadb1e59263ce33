import type { Catalogue } from '../catalogue/catalogue.ts'
import { createTpp, type Tpp } from '../client/tpp.ts'
import { answerOf } from '../judge/matchers.ts'
import { NotApplicable } from '../judge/outcome.ts'
import type { Rule } from '../judge/rule.ts'
import { createRulebook, type Rulebook } from '../judge/rulebook.ts'
import type { ResponseSchema } from '../judge/schemas.ts'
import type { Target } from '../target/resolve.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Wire } from '../wire/wire.ts'
import { type Approval, createApprovals } from './approvals.ts'
import { type Caller, createCaller } from './caller.ts'
import type { ClientName, CustomerName, NamedConsent } from './consent.ts'
import type { Driver } from './drivers/driver.ts'
import { createFacts, type Facts } from './facts.ts'
import { createSteps, type FundsAddresses, type Steps } from './happy-path.ts'
import { type KeptApproval, stillGood } from './kept-approval.ts'
import type { KeptClients } from './kept-clients.ts'
import type { KeptRun } from './kept-run.ts'
import { createLeftovers } from './leftovers.ts'
import { createKeyWatch } from './new-keys.ts'
import { taken } from './steps.ts'
import { currentTrace, noteBroken } from './trace.ts'
import type { Visit } from './visit.ts'
import { createVisits, type VisitOptions, type VisitRecord } from './visiting.ts'
import { createVitalSigns } from './vital-signs.ts'

/** What one run knows and remembers of one bank. */
export interface Session {
  readonly target: Target
  readonly catalogue: Catalogue
  readonly wire: Wire
  readonly rulebook: Rulebook
  readonly steps: Steps
  readonly facts: Facts
  readonly leftovers: ReturnType<typeof createLeftovers>
  readonly visits: VisitRecord[]
  tpp(name?: ClientName): Tpp
  caller(name?: ClientName): Promise<Caller>
  approved(consent: NamedConsent): Promise<Approval>
  visit(options: VisitOptions): Promise<Visit>
  customer(name?: CustomerName): CustomerName
  /** Ends a check as blocked when the bank is gone; `suspected`: asks it in any case. */
  alive(suspected?: boolean): Promise<void>
  /** What is written down for the run after one that is interrupted. */
  readonly keptRun?: KeptRun
  /** Takes over the approvals of an interrupted run that still work; gives their names. */
  resume(names: string[]): Promise<string[]>
  /** Does the bank not answer any more? */
  readonly lost: boolean
  /** Removes every consent that the run made and does not keep; says what is still there. */
  cleanUp(): Promise<{ kind: 'consent' | 'client'; id: string; why: string }[]>
  /** Ends the visit that is open, and every later one at once. */
  interrupt(): void
  close(): Promise<void>
}

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
  keptRun?: KeptRun
  /** Is somebody there to be asked? */
  operator?: boolean
  /** Told before a wait with what is waited for, and after it. */
  onWaiting?: (what?: string) => void
  /** Are the approvals of an interrupted run kept at this moment? */
  keeps?: () => boolean
  /** Sees every exchange, once it has been judged. */
  onExchange?: (exchange: Exchange) => void
}): Session {
  const { target, wire, driver, catalogue, keptRun } = parts
  const literals = target.document.literals ?? {}
  const rulebook = createRulebook(
    parts.schemas,
    parts.rules,
    literals,
    target.layout,
    target.clockTolerance,
  )
  const leftovers = createLeftovers(parts.leftovers)
  if (keptRun) leftovers.keepOnly([...keptRun.earlier.approvals.values()].map(idOf))
  const tpps = new Map<ClientName, Tpp>()
  const funds: FundsAddresses = {}

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
    keptRun?.exchange(exchange)
    parts.onExchange?.(exchange)
  }
  // The rules judge what an interrupted run sent as they judge the rest.
  const sentBefore = new Map<string, Exchange>()
  for (const exchange of keptRun?.earlier.exchanges ?? []) {
    sentBefore.set(exchange.id, exchange)
    leftovers.note(exchange)
    noteBroken(exchange, rulebook.judge(exchange))
    parts.onExchange?.(exchange)
  }
  driver.done?.((keptRun?.earlier.visits ?? []).map(({ name }) => name.split(':')[0] ?? ''))
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

  const facts = createFacts({
    target,
    ...(parts.operator && driver.question && { question: driver.question }),
    onWaiting: parts.onWaiting,
  })

  const steps = createSteps({
    target,
    facts,
    clients: parts.clients,
    funds,
    tpp,
    customer,
    caller: (name) => caller(name),
    approved: (consent) => approvals.approved(consent),
    visit: (options) => visits.visit(options),
    granted: (consent) => void approvals.approved(consent).catch(() => {}),
  })

  const management = async (name: ClientName | undefined, forFunds: boolean) =>
    taken(await steps.management(name, forFunds))

  const caller = async (name: ClientName = 'first'): Promise<Caller> =>
    createCaller(taken(await steps.registration(name)), {
      management: (forFunds) => management(name, forFunds),
      funds: () => funds,
    })

  const approvals = createApprovals({
    steps: () => steps,
    funds,
    keptRun,
    onApproved(consentId) {
      if (keptRun) leftovers.keep(consentId)
    },
  })
  const visits = createVisits({
    target,
    driver,
    wire,
    steps: () => steps,
    customer,
    caller,
    heed,
    keptRun,
  })

  return {
    target,
    catalogue,
    wire,
    rulebook,
    steps,
    facts,
    leftovers,
    visits: visits.records,
    tpp,
    caller,
    approved: approvals.approved,
    visit: visits.visit,
    customer,
    alive: vital.check,
    keptRun,
    async resume(names) {
      const works: string[] = []
      for (const name of names) {
        const known = keptRun?.earlier.approvals.get(name)
        if (!known) continue
        const latest = keptRun?.earlier.tokens.get(known.facts.id)
        const tokens = latest && (await stillGood(known, latest, steps))
        if (latest && !tokens) continue
        if (tokens) approvals.restore(known.facts, tokens)
        steps.restore(known, tokens, (id) => sentBefore.get(id ?? ''))
        works.push(name)
      }
      return works
    },
    get lost() {
      return vital.gone
    },
    async cleanUp() {
      const reasons = new Map<string, string>()
      const spared = parts.keeps?.() ? leftovers.kept() : new Set<string>()
      for (const { kind, path, id, client } of leftovers.list()) {
        if (kind === 'client') continue
        if (spared.has(id)) {
          reasons.set(id, 'kept for the run that goes on; assay run --fresh deletes it')
          continue
        }
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
    interrupt: () => driver.interrupt?.(),
    async close() {
      keptRun?.close()
      await driver.close()
      await wire.close()
    },
  }
}

const idOf = ({ facts }: KeptApproval) => facts.id
