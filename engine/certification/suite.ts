import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Finding, RuleOptions } from '../judge/rule.ts'
import { createRuleEngine } from '../judge/rule-engine.ts'
import { definedTwice, noteDefinition } from '../record/definitions.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Doubts } from './doubts.ts'
import type { Scenario } from './scenario.ts'

/**
 * Judges every request of the client passively: returns `undefined` when it says nothing about the rule, an empty list
 * when it conforms, otherwise what is wrong. `earlier` has every exchange before it, including those of other
 * scenarios.
 */
export interface ConductRule extends RuleOptions {
  id: string
  title: string
  judge(exchange: Exchange, earlier: readonly Exchange[]): Finding[] | undefined
}

/** The scenarios and rules that judge a client. */
export interface TppSuites {
  scenarios: Scenario[]
  rules: ConductRule[]
}

const suites: TppSuites = { scenarios: [], rules: [] }

/** Adds a rule about the requests of a client. Ids are unique. */
export function conduct(
  id: string,
  title: string,
  options: RuleOptions,
  judge: ConductRule['judge'],
): void {
  assertNew(id)
  suites.rules.push({ id, title, ...options, judge })
}

/** Adds a scenario. Ids are unique. */
export function scenario(definition: Scenario): void {
  assertNew(definition.id)
  suites.scenarios.push(definition)
}

function assertNew(id: string): void {
  const known = [...suites.scenarios, ...suites.rules].some((other) => other.id === id)
  if (known) throw definedTwice(id)
  noteDefinition(id)
}

/**
 * The rules in operation: each exchange is judged with those that were judged before it.
 *
 * @param options.doubts if some facts that rules read are unknown
 * @param options.most number of exchanges that rules look back at; default: all
 */
export function conductEngine(
  { rules }: TppSuites,
  { doubts, most = Number.POSITIVE_INFINITY }: { doubts?: Doubts; most?: number } = {},
) {
  const judged: Exchange[] = []
  const judgedBy = (rule: ConductRule, exchange: Exchange) => {
    if (!doubts) return rule.judge(exchange, judged)
    return doubts.weighed(() => rule.judge(exchange, judged))
  }
  // A wrong client may send anything anywhere, so each rule gets every request.
  const heeding = rules.map((rule) => ({
    ...rule,
    endpoints: undefined,
    judge: (exchange: Exchange) => judgedBy(rule, exchange),
  }))
  const { judge, states } = createRuleEngine([], heeding, {})
  return {
    judged,
    states,
    /** Returns the ids of the rules that the exchange breaks. */
    judge(exchange: Exchange): string[] {
      const broken = judge(exchange)
      judged.push(exchange)
      if (judged.length > most) judged.shift()
      return broken
    },
  }
}

/**
 * Imports every scenario and rule of `suites/tpp/`.
 *
 * @throws Error when an id is not in specs/tpp/, or one of specs/tpp/ judges nothing.
 */
export async function loadTppSuites(folder: string, catalogue: Catalogue): Promise<TppSuites> {
  const files = readdirSync(folder).filter((name) => /\.(scenario|conduct)\.[jt]s$/.test(name))
  for (const file of files.sort()) await import(pathToFileURL(join(folder, file)).href)
  const ids = [...suites.scenarios, ...suites.rules].map(({ id }) => id)
  const unknown = ids.filter((id) => !catalogue.owners.has(id))
  const idle = [...catalogue.owners.keys()].filter((id) => !ids.includes(id))
  if (unknown.length > 0) throw new Error(`not in specs/tpp/: ${unknown.join(', ')}`)
  if (idle.length > 0) throw new Error(`in specs/tpp/, and judged by nothing: ${idle.join(', ')}`)
  return suites
}
