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
 * Judges every exchange of the run passively: returns `undefined` when the exchange says nothing about the rule, an
 * empty list when it conforms, otherwise what is wrong. Pure, so that recorded exchanges can be judged again.
 */
export interface Rule extends RuleOptions {
  /** ENV-07/one-page */
  id: string
  /** A sentence about the bank. */
  title: string
  judge(exchange: Exchange, tools: RuleTools): Finding[] | undefined
}

export interface RuleOptions {
  /** Endpoints whose answers it judges; where none came, the endpoint's owner is the cause. Absent: all endpoints. */
  endpoints?: readonly Endpoint[]
  /** Further endpoints whose answers the rule also receives. */
  also?: readonly Endpoint[]
  /** A freedom of the bank because of which no exchange may ever concern the rule. */
  unseen?: string
  /** Ids of what must hold so that an answer can tell right from wrong; if one is broken, it is the cause. */
  rests?: readonly string[]
  /** What an answer must contain so that the rule can tell right from wrong, in words: “two accounts”. */
  needs?: string
  /** A capability that such an answer needs: the rule is not applicable if the target declares it absent. */
  unlessAbsent?: 'second-account'
  /** Approvals that are needed for an answer that tells right from wrong. */
  uses?: readonly RuleConsent[]
  /**
   * Active checks of the same sentence. Where one of them is broken too, that is the only finding, and it blocks this
   * rule.
   */
  follows?: readonly string[]
  /** If true, the rule also judges answers after which the request was retried, such as 503. */
  retried?: boolean
  /** If true, the rule also judges exchanges without a response. */
  failures?: boolean
}

/** What a rule needs to know of an approval: its name, and whether the core profile uses it. */
export interface RuleConsent {
  readonly name: string
  readonly core?: boolean
}

export interface RuleTools {
  literals: Literals
  /** Which half of the document's address table the target uses. */
  layout: 'production' | 'sandbox'
  /** Seconds by which the bank's clock may differ. */
  clockTolerance: number
  /** Milliseconds that the bank may take until the end of a consent has effect everywhere in the bank. */
  settlingTime: number
  /** What the bank has said about itself so far. */
  bank: BankSaid
  /** What the rule itself stored about earlier exchanges of the run. */
  earlier: Map<string, unknown>
  /** Records behaviour that the documents leave open. */
  observe(what: string, value: string): void
}

/** Taken from the answers of discovery, of the JWKS address and of the lists of a consent’s data. */
export interface BankSaid {
  issuer?: string
  /** JWK Set; undefined until it was served. */
  jwks?: { keys: unknown[] }
  /** ConsentId → each AccountId that a list showed under it. */
  accounts?: Map<string, Set<string>>
}

/** Values that the documents replace by neutral words, as the target spells them. */
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
