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
import { patientWire } from './locked-clients.ts'
import { resumeApprovals } from './resume-approval.ts'
import type { ResumableRun } from './resume-run.ts'
import { rulesMeanwhile } from './rules-meanwhile.ts'
import { type Owners, stepMemory } from './step-owners.ts'
import { currentTrace, noteBroken } from './trace.ts'

/** What one run knows and remembers about one bank. */
export type Session = ReturnType<typeof createSession>

/** Which of the cases are looked at where a sentence applies to several. */
export interface Extent {
  /** Only the first case of each kind. */
  quick: boolean
  /** Which cells of tables are asked, and with which draw. */
  cells: CellsAsked
  seed: number
  /** Names of the only cells to ask. */
  named?: readonly string[]
  /** Called with the cell that is asked next; undefined when a place is done. */
  onCell?: (asked: AskedCell | undefined) => void
  /** Names of the approvals that the run requests; absent: every one that the target allows. */
  approvals?: ReadonlySet<string>
}

/** Plays a history as a check judges it, and records behaviour that is left open. */
export type PlayHistory = (
  check: {
    id: string
    /** The requirement, rule or check that judges it. */
    of: string
    moves: History
  },
  observe: (what: string, value: unknown, exchange?: Exchange) => void,
) => Promise<void>

/** The parts of a session. */
interface SessionParts {
  target: Target
  wire: Wire
  driver: Driver
  owners: Owners
  schemas: ResponseSchema[]
  rules: readonly Rule[]
  /** File that lists consents until they are gone. */
  leftovers?: string
  /** Clients of earlier runs; without it every run registers its own. */
  clients?: ClientStore
  /** What is saved for the run after an interrupted one. */
  resumable?: ResumableRun
  /** True if a person is there to answer questions. */
  operator?: boolean
  /** Called with what is waited for before a wait, and without an argument after it. */
  onWaiting?: (what?: string) => void
  /** The time after which nothing more is sent to the bank. */
  deadline?: Deadline
  /** True while the approvals of an interrupted run are kept. */
  keeps?: () => boolean
  /** Called with every exchange. */
  onExchange?: (exchange: Exchange) => void
}

/** Composes a session from the bottom up: later parts use earlier ones. */
export function createSession(parts: SessionParts) {
  const { target, owners, wire, driver, resumable, onExchange } = parts
  const rules = rulesOf(parts)
  const leftovers = createCleanup(parts.leftovers)
  if (resumable) {
    leftovers.keepOnly([...resumable.earlier.approvals.values()].map(({ facts }) => facts.id))
  }
  const [memory, ledger] = [stepMemory(), createLedger()]
  const patient = patientWire(wire, ledger.events, target)
  const shared = { target, wire: patient, memory, owners, ledger, funds: {} }
  const { heed, ofEarlierRuns } = createHeed({ rules, leftovers, ledger, resumable, onExchange })
  const held = createHeldTokens(ledger, resumable)
  const clients = createClientSteps(shared, {
    store: parts.clients,
    // What another run left with its client can only be resumed and deleted by that client.
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
  /** What was asked from tables, by the check that judges them. */
  const cells = new Map<string, CellNotes>()
  const extent: Extent = { quick: false, cells: 'drawn', seed: 1 }
  const session = {
    ...{ target, owners, wire, rules, hooks, leftovers, resumable },
    ...{ tpp, caller, approved, given },
    /** The happy path, step by step; each step is sent once and remembered. */
    steps: { ...client, ...fundsSteps, ...customerSteps, owners: memory.owners },
    visits: visits.records,
    ofEarlierRuns,
    /** How far checks look beyond the first case of a kind; a run sets it before its first check. */
    extent,
    cells,
    /** Set by a run, which knows how to play histories. */
    playHistory: noHistories,
    visit: visits.visit,
    visitsAtOnce: visits.atOnce,
    customer: visits.customer,
    /** Restores the approvals of an interrupted run that still work; returns their names. */
    async resume(names: string[]) {
      const sent = (id?: string) => sentBefore.get(id ?? '')
      const steps = { memory, owners, clients, sent, hold: held.hold }
      return resumable ? resumeApprovals(names, resumable.earlier, steps) : []
    },
    /** True if the bank does not answer any more. */
    get lost() {
      return liveness.gone
    },
    /** Removes every consent that the run created and does not keep; returns what is still there. */
    cleanUp() {
      parts.deadline?.lift()
      const spared = parts.keeps?.() ? leftovers.kept() : new Set<string>()
      return deleteLeftovers({ leftovers, clients, funds: fundsSteps }, spared)
    },
    /** Ends the open visit, and every later one at once. */
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

/** The rule, changed where the target declares absent what its answers must contain. */
function withoutAbsent(rule: Rule, absent: ReadonlySet<string>): Rule {
  const { unlessAbsent = '' } = rule
  if (!absent.has(unlessAbsent)) return rule
  return { ...rule, unseen: `the target declares ${unlessAbsent} absent` }
}

/** Records each exchange wherever something of it is kept, and has it judged. */
function createHeed(parts: {
  rules: Rules
  leftovers: Leftovers
  ledger: Ledger
  resumable?: ResumableRun
  onExchange?: (exchange: Exchange) => void
}) {
  const { rules, leftovers, ledger, resumable, onExchange } = parts
  /** What earlier runs sent and this run judges again. */
  const ofEarlierRuns: Exchange[] = []
  /** Records which check sent the exchange, and passes it to the rules; also for exchanges of an interrupted run. */
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
    // Last, because it may throw for an earlier exchange: in this order no evidence is lost.
    noteBroken(exchange, rules.judge(exchange))
  }
  return { heed, ofEarlierRuns }
}

/** Admits every request before it is sent; verifies, records and judges every exchange. */
function listen(
  { wire, deadline, target: { settlingTime } }: SessionParts,
  parts: { rules: Rules; clients: ClientSteps; heed(exchange: Exchange): void },
) {
  const { rules, clients, heed } = parts
  const liveness = createLiveness((message) => wire.send(message))
  wire.onRequest((message) => {
    deadline?.admit()
    liveness.admit(message)
  })
  const readKeys = async () => clients.tpp().call('jwks', { path: await clients.jwksAddress() })
  const verify = createIdTokenSignatures(rules, readKeys, settlingTime)
  wire.onExchange(async (exchange) => {
    await verify(exchange)
    await liveness.note(exchange)
    heed(exchange)
  })
  return {
    liveness,
    /** Takes what the wire did not send: the end of a visit that a browser or a person saw. */
    async heedArrival(exchange: Exchange) {
      await verify(exchange)
      heed(exchange)
    },
  }
}
