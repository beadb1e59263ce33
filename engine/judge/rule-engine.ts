import type { Observation } from '../record/check-result.ts'
import type { Endpoint, Exchange } from '../wire/exchange.ts'
import { member, rowsOf } from './data-rows.ts'
import type { BankSaid, Finding, Literals, Rule, RuleTools } from './rule.ts'
import type { Stated } from './schema-requirements.ts'
import type { ResponseSchema } from './schemas.ts'

/** State of one rule over all exchanges so far; only rules in code have `follows`, `rests`, `needs` and `unseen`. */
export interface RuleState
  extends Pick<Rule, 'id' | 'title' | 'unseen' | 'needs' | 'rests' | 'uses' | 'follows'> {
  /** Number of exchanges that the rule could judge. */
  judged: number
  /** The first one, as evidence of a pass. */
  first?: string
  /** The first violation in each exchange, limited to 20. */
  violations: { exchange: string; finding: Finding }[]
  violated: number
  /** Why nothing was judged although an answer came close: an empty array, an absent member, a broken list. */
  nearest?: { kind: 'empty' | 'absent' | 'unmet' | 'within'; what: string }
  /** Endpoints whose answers the rule judges; empty means any. */
  endpoints: string[]
}

export type RuleEngine = ReturnType<typeof createRuleEngine>

const KEEP = 20

/** Applies rules to all exchanges of one run: those defined in code and those stated in schemas. */
export function createRuleEngine(
  schemas: readonly ResponseSchema[],
  rules: readonly Rule[],
  literals: Literals,
  target: Partial<Pick<RuleTools, 'layout' | 'clockTolerance' | 'settlingTime'>> = {},
) {
  const { layout = 'production', clockTolerance = 60, settlingTime = 10_000 } = target
  const states = statesOf(schemas, rules)
  const observations = new Map<string, Required<Observation>>()
  const bank: BankSaid = {}
  const fitting = fittingOf(schemas)

  const note = (requirement: string, what: string, value: string, exchange: string) => {
    const key = `${requirement}\n${what}\n${value}`
    if (!observations.has(key)) observations.set(key, { requirement, what, value, exchange })
  }

  /** The exchange that is being judged. */
  let now = ''
  const tools = new Map(
    rules.map(({ id }): [string, RuleTools] => {
      const requirement = id.slice(0, id.indexOf('/'))
      const observe = (what: string, value: string) => note(requirement, what, value, now)
      const told = { literals, layout, clockTolerance, settlingTime }
      return [id, { ...told, bank, earlier: new Map(), observe }]
    }),
  )

  /** Rules that receive the answers of an endpoint. */
  const looking = keptBy((endpoint: Endpoint) =>
    rules.filter(
      ({ endpoints, also }) => !endpoints || [endpoints, also].flat().includes(endpoint),
    ),
  )

  const settle = (id: string, exchange: Exchange, findings: Finding[]): boolean => {
    if (exchange.about.owns?.includes(id)) return false
    const current = states.get(id) as RuleState
    current.judged += 1
    current.first ??= exchange.id
    const [finding] = findings
    if (!finding) return false
    current.violated += 1
    if (current.violations.length < KEEP)
      current.violations.push({ exchange: exchange.id, finding })
    return true
  }

  return {
    /** What the bank has said about itself so far. */
    bank,
    /** Judges one exchange by every rule; returns the ids of violated rules. */
    judge(exchange: Exchange): string[] {
      const broken: string[] = []
      const { retriedBy } = exchange
      if (retriedBy !== undefined && !exchange.response) return broken
      const json = exchange.response?.json
      listen(bank, exchange)
      for (const schema of json === undefined ? [] : fitting(exchange)) {
        const { findings, visited, observed, within } = schema.validate(json, literals)
        for (const { requirement, what, value } of observed) {
          note(requirement, what, value, exchange.id)
        }
        const exercised = new Set<string>(findings.keys())
        for (const { id, chain } of schema.stated) {
          const missed = missedOf(chain, visited)
          const state = states.get(id) as RuleState
          if (missed && within) state.nearest = { kind: 'within', what: within }
          else if (missed) state.nearest ??= missed
          else exercised.add(id)
        }
        for (const id of exercised) {
          if (settle(id, exchange, findings.get(id) ?? [])) broken.push(id)
        }
      }
      now = exchange.id
      for (const { id, judge, failures, retried } of looking(exchange.endpoint)) {
        if (!exchange.response && !failures) continue
        if (retriedBy !== undefined && !retried) continue
        const findings = judge(exchange, tools.get(id) as RuleTools)
        if (findings && settle(id, exchange, findings)) broken.push(id)
      }
      return broken
    },
    states: () => [...states.values()],
    observations: () => [...observations.values()],
  }
}

/** The initial state of each rule, from code or from a schema. */
function statesOf(
  schemas: readonly ResponseSchema[],
  rules: readonly Rule[],
): Map<string, RuleState> {
  const states = new Map<string, RuleState>()
  const state = (id: string, title: string, endpoints: string[]) => {
    const known = states.get(id)
    if (known) {
      known.title ||= title
      known.endpoints = [...new Set([...known.endpoints, ...endpoints])]
      return known
    }
    const made: RuleState = { id, title, judged: 0, violations: [], violated: 0, endpoints }
    states.set(id, made)
    return made
  }
  for (const { stated, responses } of schemas) {
    const endpoints = responses.map((response) => response.split(' ')[0] as string)
    for (const { id, title } of stated) state(id, title, endpoints)
  }
  for (const { id, title, endpoints = [], unseen, needs, rests, uses, follows } of rules) {
    Object.assign(state(id, title, [...endpoints]), { unseen, needs, rests, uses, follows })
  }
  return states
}

/** Finds the schemas of an exchange, by its endpoint and status. */
function fittingOf(schemas: readonly ResponseSchema[]): (exchange: Exchange) => ResponseSchema[] {
  /** With the statuses of each schema: `2xx`, `error` or `200`. */
  const schemasOf = keptBy((endpoint: Endpoint) =>
    schemas.flatMap((schema) => {
      const all = schema.responses.map((response) => response.split(' '))
      const statuses = all.flatMap(([at, status = '']) => (at === endpoint ? [status] : []))
      return statuses.length > 0 ? [{ schema, statuses }] : []
    }),
  )
  return (exchange) =>
    schemasOf(exchange.endpoint).flatMap(({ schema, statuses }) =>
      statuses.some((status) => applies(status, exchange)) ? [schema] : [],
    )
}

/** What an answer lacks to exercise a statement: the first node that was not reached. */
function missedOf(chain: Stated['chain'], visited: ReadonlySet<string>): RuleState['nearest'] {
  // If a node was reached, all nodes above it were reached too.
  const last = chain.at(-1)
  if (!last || visited.has(last.pointer)) return undefined
  const missed = chain.find(({ pointer }) => !visited.has(pointer))
  if (!missed) return undefined
  const above = chain.slice(0, chain.indexOf(missed)).findLast(({ via }) => !KEYWORDS.has(via))
  if (CONDITIONS.has(missed.via)) return { kind: 'unmet', what: above?.via || 'answer' }
  if (missed.via !== '[]') return { kind: 'absent', what: missed.via }
  return { kind: 'empty', what: above?.via ?? 'the list' }
}

/** The keywords of a condition. */
const CONDITIONS = new Set(['then', 'else'])

/** The keywords by which a node may hang on its parent, which are no words for a reader. */
const KEYWORDS = new Set([...CONDITIONS, 'allOf', '[]'])

/** Derives a value once per endpoint. */
function keptBy<Derived>(derive: (endpoint: Endpoint) => Derived): (endpoint: Endpoint) => Derived {
  const known = new Map<Endpoint, Derived>()
  return (endpoint) => {
    const before = known.get(endpoint) ?? derive(endpoint)
    known.set(endpoint, before)
    return before
  }
}

/** Remembers what the bank said about itself in response to correct requests. */
function listen(bank: BankSaid, exchange: Exchange): void {
  const { endpoint, about, response } = exchange
  if (response?.status !== 200 || about.deviation !== undefined) return
  const issuer = endpoint === 'discovery' && member(response.json, 'issuer')
  if (typeof issuer === 'string') bank.issuer ??= issuer
  const keys = endpoint === 'jwks' && member(response.json, 'keys')
  // Keys that have since been removed may have signed earlier messages.
  if (Array.isArray(keys)) bank.jwks = { keys: [...(bank.jwks?.keys ?? []), ...keys] }
  if (!about.consent || !BULK.includes(endpoint)) return
  bank.accounts ??= new Map()
  const known = bank.accounts.get(about.consent.id) ?? new Set()
  for (const { AccountId: id } of rowsOf(exchange)) if (typeof id === 'string') known.add(id)
  bank.accounts.set(about.consent.id, known)
}

/** The lists that hold rows of all accounts of a consent. */
const BULK: readonly Endpoint[] = ['accounts', 'balances', 'transactions']

/** True if `2xx`, `error` or `200` matches the status of an exchange. */
function applies(status: string, exchange: Exchange): boolean {
  const actual = exchange.response?.status ?? 0
  if (status === 'error') return actual >= 400
  // An answer to a wrong request is judged only by the check that sent the request.
  if (exchange.about.open || exchange.about.deviation !== undefined) return false
  if (status.endsWith('xx')) return Math.floor(actual / 100) === Number(status[0])
  return actual === Number(status)
}
