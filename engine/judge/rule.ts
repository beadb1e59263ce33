import type { Endpoint, Exchange } from '../wire/exchange.ts'
import { createRegistry } from './registry.ts'

/** What is wrong with one exchange. */
export interface Finding {
  message: string
  expected: string
  actual: string
  /** JSON pointer into the body of the response. */
  place?: string
}

/**
 * A passive judgement of every exchange of the run: `undefined` when this exchange says nothing
 * about the rule, an empty list when it obeys, else what is wrong. Pure, so that recorded exchanges
 * can be judged again.
 */
export interface Rule extends RuleOptions {
  /** ENV-07/one-page */
  id: string
  /** A sentence about the bank. */
  title: string
  judge(exchange: Exchange, tools: RuleTools): Finding[] | undefined
}

export interface RuleOptions {
  /** Endpoints whose answers it judges: where none came, their owner is the cause. Absent: all of them. */
  endpoints?: readonly Endpoint[]
  /** Others whose answers it is shown beside these. */
  also?: readonly Endpoint[]
  /** A freedom of the bank because of which no exchange may ever concern the rule. */
  unseen?: string
  /** Ids of what must hold for an answer to tell right from wrong: where one is broken, that is the cause. */
  rests?: readonly string[]
  /** What an answer must hold for the rule to tell right from wrong, in words: “two accounts”. */
  needs?: string
  /** A capability without which no answer can hold that: not applicable where the target declares it absent. */
  unlessAbsent?: 'second-account'
  /** Approvals without which no answer tells right from wrong. */
  uses?: readonly RuleConsent[]
  /**
   * Checks of the same sentence that look at it on purpose. Where one of them is broken too, that is
   * the one finding, and this rule is blocked by it.
   */
  follows?: readonly string[]
  /** Does it judge answers after which the request was repeated, such as 503, too? */
  retried?: boolean
  /** Does it judge exchanges without a response too? */
  failures?: boolean
}

/** What a rule needs to know of an approval: its name, and whether the core profile asks for it. */
export interface RuleConsent {
  readonly name: string
  readonly core?: boolean
}

export interface RuleTools {
  literals: Literals
  /** Which half of the document's address table the target names. */
  layout: 'production' | 'sandbox'
  /** Seconds by which the bank's clock may differ. */
  clockTolerance: number
  /** Milliseconds that the bank may take until what ends a consent has reached all of it. */
  settlingTime: number
  /** What the bank has said of itself so far. */
  bank: BankSaid
  /** What the rule itself noted of earlier exchanges of the run. */
  earlier: Map<string, unknown>
  /** Records behaviour that the documents leave open. */
  observe(what: string, value: string): void
}

/** Read off the answers of discovery, of the address of its keys and of GET /accounts. */
export interface BankSaid {
  issuer?: string
  /** JWK Set; undefined until it was served. */
  jwks?: { keys: unknown[] }
  /** ConsentId → number of accounts of the consent. */
  accounts?: Map<string, number>
}

/** Values that the documents neutralise, as the target spells them. */
export interface Literals {
  panScheme?: string
  cardSchemes?: string[]
  /** Name of the claim that carries the intent ID. */
  intentClaim?: string
}

const registry = createRegistry<Rule>()

export const { all: registeredRules, handTo: handRulesTo } = registry

/** Adds a rule to the suite. Ids are unique. */
export function rule(id: string, title: string, options: RuleOptions, judge: Rule['judge']): void {
  registry.add({ id, title, ...options, judge })
}
