import type { Driver } from '../authorisation-drivers/driver.ts'
import type { Target } from '../configuration/resolve.ts'
import type { AskedCell, CellNotes, CellsAsked } from '../judge/cells.ts'
import type { Rule } from '../judge/rule.ts'
import { createRuleEngine } from '../judge/rule-engine.ts'
import type { ResponseSchema } from '../judge/schemas.ts'
import type { History } from '../model/moves.ts'
import { type Exchange, OwnTrouble } from '../wire/exchange.ts'
import type { Wire } from '../wire/wire.ts'
import { createVisits } from './authorisation.ts'
import { createCleanup, deleteLeftovers, type Leftovers } from './cleanup.ts'
import { type ClientSteps, createClientSteps } from './client-steps.ts'
import type { ClientStore } from './client-store.ts'
import { createCustomerSteps } from './customer-steps.ts'
import type { Deadline } from './deadline.ts'
import { createFundsSteps } from './funds-steps.ts'
import { createHooks } from './hooks.ts'
import { createIdTokenSignatures } from './id-token-signatures.ts'
import { createLedger, type Ledger } from './ledger/events.ts'
import { createHeldTokens } from './ledger/held-tokens.ts'
import { createLiveness } from './liveness.ts'
import { resumeApprovals } from './resume-approval.ts'
import type { ResumableRun } from './resume-run.ts'
import { rulesMeanwhile } from './rules-meanwhile.ts'
import { type Owners, stepMemory } from './step-owners.ts'
import { currentTrace, noteBroken } from './trace.ts'

/** What one run knows and remembers of one bank. */
export type Session = ReturnType<typeof createSession>

/** What of the cases that a sentence holds for is looked at. */
export interface Extent {
  /** The first case of each kind alone. */
  quick: boolean
  /** Which cells of tables are asked, and by which draw. */
  cells: CellsAsked
  seed: number
  /** Names of cells: these alone are asked. */
  named?: readonly string[]
  /** Told which cell is asked next; undefined when a place is done. */
  onCell?: (asked: AskedCell | undefined) => void
  /** Names of the approvals that the run asks for; absent: every one that the target has. */
  approvals?: ReadonlySet<string>
}

/** Plays a history as a check judges it, and records what is left open. */
export type PlayHistory = (
  check: {
    id: string
    /** The requirement, rule or check that it is judged by. */
    of: string
    moves: History
  },
  observe: (what: string, value: unknown, exchange?: Exchange) => void,
) => Promise<void>

/** What a session is made of. */
interface SessionParts {
  target: Target
  wire: Wire
  driver: Driver
  owners: Owners
  schemas: ResponseSchema[]
  rules: readonly Rule[]
  /** File in which consents are written down until they are gone. */
  leftovers?: string
  /** Clients of earlier runs; without it every run registers its own. */
  clients?: ClientStore
  /** What is written down for the run after one that is interrupted. */
  resumable?: ResumableRun
  /** Is somebody there to be asked? */
  operator?: boolean
  /** Told before a wait with what is waited for, and after it. */
  onWaiting?: (what?: string) => void
  /** When nothing more is asked of the bank. */
  deadline?: Deadline
  /** Are the approvals of an interrupted run kept at this moment? */
  keeps?: () => boolean
  /** Sees every exchange. */
  onExchange?: (exchange: Exchange) => void
}

/** Composes a session from the bottom up: what comes later uses what comes before. */
export function createSession(parts: SessionParts) {
  const { target, owners, wire, driver, resumable, onExchange } = parts
  const rules = rulesOf(parts)
  const leftovers = createCleanup(parts.leftovers)
  if (resumable) {
    leftovers.keepOnly([...resumable.earlier.approvals.values()].map(({ facts }) => facts.id))
  }
  const memory = stepMemory()
  const ledger = createLedger()
  const shared = { target, wire, memory, owners, ledger, funds: {} }
  const { heed, ofEarlierRuns } = createHeed({ rules, leftovers, ledger, resumable, onExchange })
  const held = createHeldTokens(ledger, resumable)
  const clients = createClientSteps(shared, {
    store: parts.clients,
    // What another run left with the client that it had can be resumed, and deleted, by that one alone.
    anew:
      target.document.freshRegistrations === true &&
      !resumable?.earlier.approvals.size &&
      leftovers.list().length === 0,
    heed,
  })
  const { liveness, heedArrival } = listen(parts, { rules, clients, heed })
  const sentBefore = new Map<string, Exchange>()
  for (const exchange of resumable?.earlier.exchanges ?? []) {
    sentBefore.set(exchange.id, exchange)
    heed(exchange, true)
  }
  driver.done?.((resumable?.earlier.visits ?? []).map(({ name }) => name.split(':')[0] ?? ''))
  const hooks = createHooks({
    target,
    ...(parts.operator && driver.question && { question: driver.question }),
    onWaiting: parts.onWaiting,
    onTold: ledger.noteHook,
  })
  const visits = createVisits({
    ...{ ...shared, driver, clients, resumable },
    heed: heedArrival,
  })
  const fundsSteps = createFundsSteps(shared, clients)
  const { approved, given, ...customerSteps } = createCustomerSteps({
    ...{ ...shared, hooks, clients, visits, held, resumable },
    seed: (): number => session.extent.seed,
    onApproved(consentId) {
      if (resumable) leftovers.keep(consentId)
    },
  })
  const { tpp, caller, ...client } = clients
  /** What was asked of tables, by the check that judges them. */
  const cells = new Map<string, CellNotes>()
  const extent: Extent = { quick: false, cells: 'drawn', seed: 1 }
  const session = {
    ...{ target, owners, wire, rules, hooks, leftovers, resumable },
    ...{ tpp, caller, approved, given },
    /** The happy path, message by message; each step is sent once and remembered. */
    steps: { ...client, ...fundsSteps, ...customerSteps, owners: memory.owners },
    visits: visits.records,
    ofEarlierRuns,
    /** How far checks look beyond the first case of a kind; a run says it before its first check. */
    extent,
    cells,
    /** Set by a run, which knows what histories are made of. */
    playHistory: noHistories,
    visit: visits.visit,
    visitsAtOnce: visits.atOnce,
    customer: visits.customer,
    /** Takes over the approvals of an interrupted run that still work; gives their names. */
    async resume(names: string[]) {
      const sent = (id?: string) => sentBefore.get(id ?? '')
      const steps = { memory, owners, clients, sent, hold: held.hold }
      return resumable ? resumeApprovals(names, resumable.earlier, steps) : []
    },
    /** Does the bank not answer any more? */
    get lost() {
      return liveness.gone
    },
    /** Removes every consent that the run made and does not keep; says what is still there. */
    cleanUp() {
      parts.deadline?.lift()
      const spared = parts.keeps?.() ? leftovers.kept() : new Set<string>()
      return deleteLeftovers({ leftovers, clients, funds: fundsSteps }, spared)
    },
    /** Ends the visit that is open, and every later one at once. */
    interrupt() {
      driver.interrupt?.()
      hooks.interrupt()
    },
    /** @param ended how the run ended, in a sentence */
    async close(ended?: string) {
      resumable?.close()
      await driver.close(ended)
      await wire.close()
    },
  }
  return session
}

const noHistories: PlayHistory = async () => {
  throw new OwnTrouble('this run plays no histories')
}

type Rules = ReturnType<typeof rulesOf>

/** The rules of a session, which judge each exchange. */
function rulesOf({ target, schemas, rules }: SessionParts) {
  const applicable = rules.map((rule) => withoutAbsent(rule, target.absent))
  const { literals = {} } = target.document
  return rulesMeanwhile(createRuleEngine(schemas, applicable, literals, target))
}

/** A rule as it is where the target declares absent what its answers must hold. */
function withoutAbsent(rule: Rule, absent: ReadonlySet<string>): Rule {
  const { unlessAbsent = '' } = rule
  if (!absent.has(unlessAbsent)) return rule
  return { ...rule, unseen: `the target declares ${unlessAbsent} absent` }
}

/** How each exchange is noted, wherever something of it is kept, and judged. */
function createHeed(parts: {
  rules: Rules
  leftovers: Leftovers
  ledger: Ledger
  resumable?: ResumableRun
  onExchange?: (exchange: Exchange) => void
}) {
  const { rules, leftovers, ledger, resumable, onExchange } = parts
  /** What earlier runs sent, and is judged again. */
  const ofEarlierRuns: Exchange[] = []
  /** Notes who sent it, and has the rules judge it; what an interrupted run sent as the rest. */
  const heed = (exchange: Exchange, earlier = false) => {
    const trace = currentTrace()
    if (trace && !earlier) {
      exchange.about.check ??= trace.check
      trace.exchanges.push(exchange)
    }
    if (exchange.about.earlier) ofEarlierRuns.push(exchange)
    leftovers.note(exchange)
    ledger.note(exchange)
    if (!earlier) resumable?.exchange(exchange)
    onExchange?.(exchange)
    // Last, since it may throw over an earlier one: no evidence is lost by that.
    noteBroken(exchange, rules.judge(exchange))
  }
  return { heed, ofEarlierRuns }
}

/** Has every request admitted before it is sent, and every exchange verified, noted and heeded. */
function listen(
  { wire, deadline }: SessionParts,
  parts: { rules: Rules; clients: ClientSteps; heed(exchange: Exchange): void },
) {
  const { rules, clients, heed } = parts
  const liveness = createLiveness((message) => wire.send(message))
  wire.onRequest((message) => {
    deadline?.admit()
    liveness.admit(message)
  })
  const verify = createIdTokenSignatures(rules, async () => {
    return clients.tpp().call('jwks', { path: await clients.jwksAddress() })
  })
  wire.onExchange(async (exchange) => {
    await verify(exchange)
    await liveness.note(exchange)
    heed(exchange)
  })
  return {
    liveness,
    /** What the wire did not send: the end of a visit that a browser or a person saw. */
    async heedArrival(exchange: Exchange) {
      await verify(exchange)
      heed(exchange)
    },
  }
}
