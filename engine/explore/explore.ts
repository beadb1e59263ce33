import { denialProblem } from '../authorisation-drivers/denial.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { NamedConsent } from '../client-session/consent.ts'
import type { Session } from '../client-session/session.ts'
import { rulesBrokenBy } from '../client-session/trace.ts'
import { HOOKS } from '../configuration/target.ts'
import { Blocked, type NotApplicable } from '../judge/outcome.ts'
import { type Coverage, createCoverage } from '../model/coverage.ts'
import { type History, isVisit, moveWords, type Party, type Terms } from '../model/moves.ts'
import { setOf } from '../model/world.ts'
import type { Level } from '../record/words.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Found } from './found.ts'
import { type Bank, type Broken, movesOf, type Next, type Played, play, type Step } from './play.ts'
import { type Random, randomOf } from './random.ts'
import { shrunk } from './shrink.ts'
import { type Ways, walk } from './walk.ts'
import { byOperation, type WrongValue } from './wrong-values.ts'

/** A finding of an exploration, with the shortest history that repeats it. */
export interface Finding {
  found: Found
  level: Level
  history: History
  /** Number of moves of the history in which it was found. */
  length: number
  /** False: it did not occur again when the history was repeated, and is only noted. */
  repeats: boolean
  /** It was not repeated: no visits were left for that, or the exploration was interrupted. */
  untried?: true
}

export interface Explored {
  findings: Finding[]
  steps: number
  histories: number
  coverage: Coverage
  /** Why histories ended early, and how often. */
  stopped: ReadonlyMap<string, number>
}

export interface Limits {
  seed: number
  steps: number
  /** In milliseconds. */
  time?: number
  /** Maximum number of visits to the authorisation page; absent: no limit. */
  visits?: number
  /** Maximum number of histories that are played to find the shortest one for a finding; default 60. */
  tries?: number
  signal?: AbortSignal
}

/** What an exploration needs besides the bank: requirements, contents of consents, wrong values. */
export interface Parts {
  catalogue: Catalogue
  consents: readonly NamedConsent[]
  values: readonly WrongValue[]
}

/** Numbers of moves of a history: short ones show early faults, long ones late faults. */
const SHORTEST = 6
const LONGEST = 40

const TRIES = 60

/** Plays random histories at a bank until the limits are reached. What they create is deleted at the end. */
export async function explore(
  session: Session,
  parts: Parts,
  limits: Limits,
  tell: (finding: Finding) => void = () => {},
): Promise<Explored> {
  const { catalogue } = parts
  const bank = bankOf(session, parts, 'explore')
  const random = randomOf(limits.seed)
  const coverage = createCoverage()
  const began = performance.now()
  const visitsBefore = session.visits.length
  const left = () =>
    limits.visits === undefined ? undefined : limits.visits - (session.visits.length - visitsBefore)
  const ways = { ...waysOf(session, parts), visits: left }
  /** Id → how often it was found without occurring again. */
  const doubtful = new Map<string, number>()
  const known = new Set<string>()
  const stopped = new Map<string, number>()
  const result: Explored = { findings: [], steps: 0, histories: 0, coverage, stopped }
  const goesOn = () =>
    result.steps < limits.steps &&
    !stops() &&
    (limits.time === undefined || performance.now() - began < limits.time) &&
    !session.lost
  const stops = () => limits.signal?.aborted === true
  const played = async (next: Next): Promise<Played> => {
    const one = await play(bank, (...known) => (stops() ? undefined : next(...known)))
    result.steps += one.steps.length
    const why = one.stopped?.message
    if (why !== undefined) stopped.set(why, (stopped.get(why) ?? 0) + 1)
    return one
  }
  while (goesOn()) {
    result.histories += 1
    const { steps, found } = await played(walk(random, ways, coverage, lengthOf(random)))
    if (!found || known.has(found.id)) continue
    const history = steps.map(({ move }) => move)
    const able = (one: History) => !stops() && visitsIn(one) <= (left() ?? Number.POSITIVE_INFINITY)
    const finding = await narrowed(history, found, { played, able, tries: limits.tries ?? TRIES })
    const times = (doubtful.get(found.id) ?? 0) + 1
    doubtful.set(found.id, times)
    if (finding.repeats || times === DOUBTS) known.add(found.id)
    const level = levelOf(catalogue, found.id)
    const one = { ...finding, level, length: history.length }
    result.findings.push(one)
    tell(one)
  }
  return result
}

/** The result of playing a kept history. */
export interface PlayedCase {
  finding?: Finding
  /** Why it could not be played to its end, or not completely. */
  stopped?: Blocked | NotApplicable
  exchanges: Exchange[]
}

/**
 * Plays a kept history once, and again where it finds something.
 *
 * @param name prefix of the names of its visits
 */
export async function playCase(
  session: Session,
  parts: Parts,
  history: History,
  name = 'explore',
): Promise<PlayedCase> {
  const bank = bankOf(session, parts, name)
  const exchanges: Exchange[] = []
  const played = async () => {
    const one = await play(bank, movesOf(history))
    exchanges.push(...one.steps.flatMap((step) => step.exchanges))
    return one
  }
  const { found, ...ended } = await played()
  if (!found) {
    const stopped = ended.stopped ?? unjudged(ended.steps)
    return { exchanges, ...(stopped && { stopped }) }
  }
  const repeats = (await played()).found?.id === found.id
  const level = levelOf(parts.catalogue, found.id)
  return { exchanges, finding: { found, level, history, length: history.length, repeats } }
}

/** A move not made, or without a useful answer (rate limit, failure): the history then judges nothing. */
function unjudged(steps: readonly Step[]): Blocked | undefined {
  const step = steps.find(
    ({ happened }) => happened === undefined || happened.outcome === 'unknown',
  )
  if (!step) return undefined
  const words = moveWords(step.move)
  if (step.happened) {
    const what = `an answer that says nothing of the documents, to: ${words}`
    return new Blocked({ kind: 'environment', what }, what, step.exchanges.at(-1))
  }
  const what = `what this move is made of: ${words}`
  return new Blocked({ kind: 'freedom', what }, `needs ${what}`)
}

/** How often a finding that does not occur again is reported. */
const DOUBTS = 3

const visitsIn = (history: History) => history.filter(isVisit).length

/** How a history is played again. */
interface Again {
  played(next: Next): Promise<Played>
  /** True if it may be played: enough visits are left, and nothing was interrupted. */
  able(history: History): boolean
  /** Maximum number of histories that are played to find the shortest. */
  tries: number
}

/** The shortest history of a finding. Its control is whether it occurs again when that history is played. */
async function narrowed(
  history: History,
  found: Found,
  { played, able, tries }: Again,
): Promise<Pick<Finding, 'found' | 'history' | 'repeats' | 'untried'>> {
  if (!able(history)) return { found, history, repeats: false, untried: true }
  let last = found
  const repeats = async (one: History) => {
    if (!able(one)) return false
    const again = await played(movesOf(one))
    if (again.found?.id !== found.id) return false
    last = again.found
    return true
  }
  if (!(await repeats(history))) return { found, history, repeats: false }
  if (tries === 0) return { found: last, history, repeats: true }
  const shortest = await shrunk(history, repeats, tries)
  return { found: last, history: shortest, repeats: !able(shortest) || (await repeats(shortest)) }
}

const lengthOf = (random: Random) => SHORTEST + Math.floor(random() * (LONGEST - SHORTEST))

const bankOf = (session: Session, { catalogue, values }: Parts, name: string): Bank => ({
  ...{ session, name, values, given: new Set(), broken: createBroken(session, catalogue) },
})

/** What a rule found at these exchanges, ignoring what is only recorded. */
function createBroken(session: Session, catalogue: Catalogue): Broken {
  return (exchanges: readonly Exchange[]) => {
    for (const exchange of exchanges) {
      const broken = rulesBrokenBy(exchange)
      if (broken.length === 0) continue
      const states = new Map(session.rules.states().map((state) => [state.id, state]))
      const isBroken = (rule: string) => (states.get(rule)?.violations.length ?? 0) > 0
      const id = broken.find((rule) => {
        // A rule that it depends on is reported first and explains it.
        const { rests = [], follows = [] } = states.get(rule) ?? {}
        const explained = [...rests, ...follows].some(isBroken)
        return !explained && levelOf(catalogue, rule) !== 'observe'
      })
      if (id === undefined) continue
      const violation = states.get(id)?.violations.find((one) => one.exchange === exchange.id)
      const { message, expected, actual } = violation?.finding ?? WITHOUT_WORDS
      return { id, message, expected, actual, exchange: exchange.id }
    }
    return undefined
  }
}

const WITHOUT_WORDS = { message: 'the answer breaks the rule', expected: '', actual: '' }

/** The level of a requirement, or of the requirement that a rule judges. */
function levelOf({ requirements, owners }: Catalogue, id: string): Level {
  return requirements.get(id)?.level ?? owners.get(id)?.level ?? 'observe'
}

/** What the target allows in a history. The permissions are those of the table of approvals. */
function waysOf(session: Session, { consents, values }: Parts): Omit<Ways, 'visits'> {
  const { target } = session
  const { document, absent } = target
  const terms = new Map<string, Terms>()
  for (const each of consents) {
    const { permissions, expiresInDays, transactionsFromDays, transactionsToDays } = each
    const key = `${setOf(permissions)} ${expiresInDays} ${transactionsFromDays} ${transactionsToDays}`
    terms.set(key, {
      permissions,
      ...(expiresInDays !== undefined && { expiresInDays }),
      ...(transactionsFromDays !== undefined && { fromDays: transactionsFromDays }),
      ...(transactionsToDays !== undefined && { toDays: transactionsToDays }),
    })
  }
  const both = (second: unknown): Party[] => (second ? ['first', 'second'] : ['first'])
  const most = [...terms.values()].sort((a, b) => b.permissions.length - a.permissions.length)
  return {
    terms: most,
    clients: both(target.clients.second),
    customers: both(document.customers.second),
    funds: !absent.has('funds-confirmation'),
    facts: HOOKS.filter((name) => document.hooks?.[name] !== undefined),
    deny: denies(session),
    values: byOperation(values),
    looks: ['discovery', 'jwks', ...(absent.has('products') ? [] : ['products' as const])],
  }
}

const denies = ({ target }: Session) => denialProblem(target.document.authorisation) === undefined
