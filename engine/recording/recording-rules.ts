import type { Literals, Rule, RuleTools } from '../judge/rule.ts'
import type { ResponseSchema, SchemaVerdict } from '../judge/schemas.ts'
import { isRedacted, type Lack } from './recorded.ts'
import type { Note, RedactedNames } from './view.ts'

/** What rules could not judge because the recording lacks something: rule id → what → number of exchanges. */
export type LacksByRule = Map<string, Map<Lack, number>>

/** Maximum entries that a rule remembers: in a long recording, those of the most recently used consents. */
const REMEMBERED = 5000

/**
 * Adapts rules and schemas to recordings: a judgement that depends on something that the recording lacks does not
 * count, whatever it is, and what was missing is noted.
 */
export function recordingRules(suites: {
  rules: readonly Rule[]
  schemas: readonly ResponseSchema[]
}) {
  const lacksByRule: LacksByRule = new Map()
  const noted = new Set<Lack>()
  const note: Note = (lack) => noted.add(lack)
  const names: RedactedNames = new WeakMap()
  /** True if this exchange may be compared with earlier ones. */
  let comparable = true

  const noteLacks = (id: string, lacks: Iterable<Lack>) => {
    const counts = lacksByRule.get(id) ?? new Map<Lack, number>()
    lacksByRule.set(id, counts)
    for (const lack of lacks) counts.set(lack, (counts.get(lack) ?? 0) + 1)
  }

  const guarded = (rule: Rule): Rule => {
    const earlier = new BoundedMap<string, unknown>(REMEMBERED)
    const observed: [what: string, value: string][] = []
    let own: RuleTools | undefined
    const ownOf = (tools: RuleTools): RuleTools => ({
      ...tools,
      observe: (what, value) => observed.push([what, value]),
      get earlier() {
        if (!comparable) note('the order of requests at the same time')
        return earlier
      },
    })
    return {
      ...rule,
      judge(exchange, tools) {
        noted.clear()
        observed.length = 0
        own ??= ownOf(tools)
        const findings = judged(rule, exchange, own)
        // What others sent may have any form, and what is not recorded is absent.
        if (findings === 'thrown' && noted.size === 0) note('a form that the rule can read')
        const isConcerned = !rule.endpoints || rule.endpoints.includes(exchange.endpoint)
        if (noted.size > 0 || findings === 'thrown') {
          if (isConcerned) noteLacks(rule.id, noted)
          return undefined
        }
        for (const [what, value] of observed) tools.observe(what, value)
        return findings
      },
    }
  }

  const redactedAside = (schema: ResponseSchema): ResponseSchema => ({
    ...schema,
    validate(json: unknown, literals: Literals): SchemaVerdict {
      const verdict = schema.validate(json, literals)
      const hidden = names.get(json as object)
      if (!hidden || hidden.size === 0) return verdict
      const findings = new Map(verdict.findings)
      const visited = new Set(verdict.visited)
      for (const { id, chain } of schema.stated) {
        if (!chain.some(({ via }) => hidden.has(via))) continue
        findings.delete(id)
        visited.delete(chain.at(-1)?.pointer ?? '')
        noteLacks(id, ['a value that is redacted'])
      }
      const observed = verdict.observed.filter(({ value }) => !isRedacted(value))
      return { ...verdict, findings, visited, observed }
    },
  })

  return {
    rules: suites.rules.map(guarded),
    schemas: suites.schemas.map(redactedAside),
    lacksByRule,
    note,
    names,
    /** Sets whether the next exchange's position among the others is known. */
    comparing(isKnown: boolean) {
      comparable = isKnown
    },
  }
}

function judged(
  rule: Rule,
  exchange: Parameters<Rule['judge']>[0],
  tools: RuleTools,
): ReturnType<Rule['judge']> | 'thrown' {
  try {
    return rule.judge(exchange, tools)
  } catch {
    return 'thrown'
  }
}

/** A map that forgets its oldest entry. */
class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    super.set(key, value)
    if (this.size > this.#most) this.delete(this.keys().next().value as Key)
    return this
  }
}
