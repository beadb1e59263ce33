import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { judge } from '../judge/judge.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { type Result, resultOf, ruleResults, settleBlocked } from '../judge/results.ts'
import type { Observation } from '../report/report.ts'
import { notRun } from '../run/not-run.ts'
import type { Endpoint, Exchange } from '../wire/exchange.ts'
import { type Players, play } from './play.ts'
import { type Goal, goalsOf, type Scenario, type ScenarioRun } from './scenario.ts'
import { conductEngine, type TppSuites } from './suite.ts'

export interface Certification extends Players {
  suites: TppSuites
  catalogue: Catalogue
  /** Selects by id which scenarios and rules are judged. Default: all. */
  selected?(id: string): boolean
  /** Goals that the client declares that it supports. */
  goals: readonly Goal[]
  /** Number of scenarios that run at the same time. */
  parallel: number
  /** Called with each exchange as it arrives, before redaction. */
  onExchange?(exchange: Exchange, broken: string[]): void
  onJudged?(result: Result): void
  /** Ends the certification early. */
  signal?: AbortSignal
}

/** Judges a client, scenario by scenario; then adds the results of the rules over all of them. */
export async function certify(parts: Certification) {
  const { suites, catalogue, selected = () => true } = parts
  const results = new Map<string, Result>()
  const observations: Observation[] = []
  const broken = new Map<string, string[]>()
  const engine = conductEngine(suites)
  const levelOf = (id: string) => catalogue.owners.get(id)?.level ?? 'observe'
  const folder = mkdtempSync(join(tmpdir(), 'assay-tpp-'))

  const note = (exchange: Exchange) => {
    const ids = engine.judge(exchange).filter((id) => levelOf(id) !== 'observe')
    broken.set(exchange.id, ids)
    parts.onExchange?.(exchange, ids)
  }

  let count = 0
  const perform = async (scenario: Scenario) => {
    const requirement = catalogue.owners.get(scenario.id)
    if (!requirement) throw new Error(`${scenario.id} is not in specs/tpp/`)
    const exchanges: Exchange[] = []
    const observe = (what: string, value: string) => {
      observations.push({ requirement: requirement.id, what, value })
    }
    const judged = await judge(
      {
        id: scenario.id,
        title: scenario.title,
        run: async () => {
          assertPlayable(scenario, parts.goals, results.get(controlOf(suites)?.id ?? ''))
          const run: ScenarioRun = {
            scenario,
            said: [],
            exchanges,
            altered: [],
            broken: ({ id }) => broken.get(id) ?? [],
            observe,
          }
          await play(run, {
            ...parts,
            folder: join(folder, scenario.id.replace('/', '-')),
            nextId: () => `x${++count}`,
            note,
          })
          scenario.judge(run)
        },
      },
      undefined as never,
      requirement.level,
      () => undefined,
    )
    const result = resultOf(judged, requirement, scenario.title, exchanges)
    results.set(result.id, result)
    parts.onJudged?.(result)
  }

  try {
    const control = controlOf(suites)
    const wanted = suites.scenarios.filter(({ id, control: first }) => !first && selected(id))
    const rests = wanted.some(restsOnControl) || suites.rules.some(({ id }) => selected(id))
    if (control && (selected(control.id) || rests)) await perform(control)
    const queue = [...wanted]
    const lane = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        if (!parts.signal?.aborted) await perform(next)
        else results.set(next.id, notRun(next, catalogue, 'the certification was interrupted'))
      }
    }
    await Promise.all(Array.from({ length: parts.parallel }, lane))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }

  const isCause = (id: string) =>
    [...results.values()].some(({ because }) => because?.kind === 'check' && because.id === id)
  for (const seen of ruleResults(engine.states(), catalogue, results, {})) {
    const rule = afterControl(seen, suites, results)
    if (selected(rule.id) || isCause(rule.id)) {
      results.set(rule.id, rule)
      parts.onJudged?.(rule)
    }
  }
  settleBlocked(results)
  return { results, observations, requests: count, unheard: wasUnheard(results, suites) }
}

/** True if the client sent nothing at all when it should have read from the correct bank. */
function wasUnheard(results: ReadonlyMap<string, Result>, suites: TppSuites): boolean {
  const control = results.get(controlOf(suites)?.id ?? '')
  return control?.outcome === 'warn' && control.exchanges.length === 0
}

const controlOf = ({ scenarios }: TppSuites) => scenarios.find(({ control }) => control)

/** True if a scenario shows nothing about a client that cannot even read from the correct bank. */
function restsOnControl(scenario: Scenario): boolean {
  return goalsOf(scenario).some((goal) => goal !== 'products' && goal !== 'confirm-funds')
}

/**
 * @throws NotApplicable for what the client declares that it does not support.
 * @throws Blocked when the client does not even read from the correct bank.
 */
function assertPlayable(scenario: Scenario, able: readonly Goal[], control: Result | undefined) {
  const lacking = goalsOf(scenario).find((goal) => !able.includes(goal))
  if (lacking) throw new NotApplicable(`the client declares that it does not ${lacking}`)
  if (!control || control.outcome === 'pass' || !restsOnControl(scenario)) return
  throw new Blocked(
    { kind: 'check', id: control.id },
    'the client does not read from the correct bank, so that its refusal here would show nothing',
  )
}

/** If a client cannot even read from the correct bank, this blocks a rule that saw no exchange. */
function afterControl(
  rule: Result,
  suites: TppSuites,
  results: ReadonlyMap<string, Result>,
): Result {
  const control = results.get(controlOf(suites)?.id ?? '')
  if (!control || control.outcome === 'pass' || rule.exchanges.length > 0) return rule
  const { endpoints = [] } = suites.rules.find(({ id }) => id === rule.id) ?? {}
  if (endpoints.every((each) => APART.includes(each))) return rule
  const because = { kind: 'check' as const, id: control.id }
  return { ...rule, outcome: 'blocked', message: 'the client sent no such request', because }
}

/** Endpoints that are used without a login. */
const APART: readonly Endpoint[] = ['products', 'create-funds-confirmation-consent']
