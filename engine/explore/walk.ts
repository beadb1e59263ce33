import type { Coverage } from '../model/coverage.ts'
import { eventOf } from '../model/events.ts'
import {
  type Fact,
  isVisit,
  type Move,
  type Party,
  type Published,
  type ReadMove,
  type RequestMove,
  type Terms,
} from '../model/moves.ts'
import { obligationOf } from '../model/sentences.ts'
import { familyOf, opens } from '../model/standing.ts'
import type { ConsentState, World } from '../model/world.ts'
import { DATA, type DataEndpoint } from '../wire/exchange.ts'
import type { Hands } from './hands.ts'
import type { Next } from './play.ts'
import { pick, type Random } from './random.ts'
import { operationOf, type WrongValue } from './wrong-values.ts'

/** What a walk may do at this target. */
export interface Ways {
  /** What consents are asked for; the first of them opens everything. */
  terms: readonly Terms[]
  clients: readonly Party[]
  customers: readonly Party[]
  funds: boolean
  facts: readonly Fact[]
  deny: boolean
  looks: readonly Published[]
  /** Wrong values that requests may hold. */
  values: readonly WrongValue[]
  /** Visits that are left; undefined: as many as it takes. */
  visits(): number | undefined
}

/** Consents of a history at most: more of them hide what belongs together. */
const MOST = 4

/** A move that a walk may make, and how much more often than others it should. */
interface Candidate {
  move: Move
  weight: number
}

/** A random history of so many moves, steered towards what followed one another least so far. */
export function walk(random: Random, ways: Ways, coverage: Coverage, length: number): Next {
  /** Consent → what was done with it so far; '' for what names none. */
  const before = new Map<string, string[]>()
  const most = 1 + Math.floor(random() * MOST)
  const opening = random() < OPENED ? openingOf(random, ways) : []
  const calm = opening.length > 0 && random() < CALM ? length * 2 : 0
  const whole = Math.max(length, calm + LAST)
  let made = 0
  let closing: Closing | undefined
  return (world, hands) => {
    made += 1
    if (made > whole) closing ??= closingOf(world)
    const move = closing ? closing(world, hands, random) : (opening.shift() ?? chosen(world, hands))
    if (!move) return undefined
    const event = eventOf(world, move)
    const subject = subjectOf(world, move)
    const earlier = before.get(subject) ?? []
    coverage.note(earlier, event)
    before.set(subject, [...earlier, event])
    return move
  }

  function chosen(world: World, hands: Hands): Move | undefined {
    const any = candidatesIn(world, hands, { ...ways, most }, random)
    const all = made < calm ? any.filter(({ move }) => isPromised(world, move)) : any
    const bySubject = new Map<string, Candidate[]>()
    for (const candidate of all) {
      const subject = subjectOf(world, candidate.move)
      bySubject.set(subject, [...(bySubject.get(subject) ?? []), candidate])
    }
    // First the consent, so that much happens to one of them; then what was done least after what happened to it.
    const [subject = '', candidates = []] =
      pick(random, [...bySubject], ([name]) => interestIn(world.consents.get(name))) ?? []
    return pick(random, candidates, ({ move, weight }) => {
      return weight / (1 + coverage.seen(before.get(subject) ?? [], eventOf(world, move)))
    })?.move
  }
}

/** Does a sentence promise what it asks for, so that it takes nothing away? */
function isPromised(world: World, move: Move): boolean {
  if (move.do === 'look' || move.do === 'at-once') return true
  return move.do !== 'delete' && obligationOf(world, move)?.answer === 'given'
}

/** The consent that a move is about; '' where it makes one, or names none. */
function subjectOf(world: World, move: Move): string {
  if (move.do === 'wrong') return subjectOf(world, move.in)
  if (move.do === 'create' || move.do === 'create-funds' || move.do === 'look') return ''
  if (move.do === 'exchange') return world.codes.get(move.code)?.consent ?? ''
  return move.do === 'at-once' ? (move.reads[0]?.consent ?? '') : move.consent
}

/** How often a consent in this state is chosen, next to others. */
function interestIn(consent: ConsentState | undefined): number {
  if (!consent) return 1
  if (consent.end || consent.unclear) return 0.7
  return consent.tokens ? 5 : 2
}

/** So many of the histories begin with a consent that is in use: little happens to others. */
const OPENED = 0.6

/** So many of these continue with what is promised for twice as long: what takes many calls shows there. */
const CALM = 0.5

/** Moves of any kind at the end of those. */
const LAST = 8

/** A consent is created, approved and read with. */
function openingOf(random: Random, { terms, clients, customers, visits }: Ways): Move[] {
  if (visits() === 0) return []
  const [consent, code] = ['c1', 'a1']
  const client = one(clients, random)
  const asked = termsFrom({ terms }, random)
  const reads = (['accounts', 'transactions'] as const).map(
    (what): Move => ({ do: 'read', what, consent, present: true }),
  )
  return [
    { do: 'create', consent, client, ...asked },
    { do: 'approve', consent, client, customer: one(customers, random), code },
    { do: 'exchange', code, client },
    ...reads,
  ]
}

/** The moves with which a history ends, one after the other; undefined after the last. */
type Closing = (world: World, hands: Hands, random: Random) => Move | undefined

/** Reads of each consent after its end, where it was in use. */
const READS_AFTER = 2

/**
 * What is left is deleted anyway: here each deletion is judged, in whatever state, and so is what comes after it. All deletions
 * come first, so that a bank's time for them to show is waited for once.
 */
function closingOf(world: World): Closing {
  const left = [...world.consents.values()].filter(({ end }) => end?.how !== 'deleted')
  const queried = left.filter(({ kind }) => kind === 'account-access')
  const read = left.filter(({ tokens }) => tokens !== undefined)
  const steps = [
    ...left.map(({ name, client }) => ({ do: 'delete', consent: name, client }) as const),
    ...queried.map(({ name, client }) => ({ do: 'query', consent: name, client }) as const),
    ...read.flatMap(({ name }) =>
      Array.from({ length: READS_AFTER }, () => ({ do: 'read', consent: name }) as const),
    ),
  ]
  return (now, hands, random) => {
    for (let step = steps.shift(); step; step = steps.shift()) {
      if (step.do !== 'read') return step
      const consent = now.consents.get(step.consent)
      const able = consent !== undefined && hands.holds(step.consent).tokens > 0
      if (able) return one(readsOf(consent, hands, random), random)
    }
    return undefined
  }
}

/** Everything, or the permissions of one row, with no dates or those of another. */
function termsFrom({ terms }: Pick<Ways, 'terms'>, random: Random): Terms {
  const { permissions } = random() < 0.5 ? (terms[0] as Terms) : one(terms, random)
  return random() < 0.5 ? { permissions } : { ...one(terms, random), permissions }
}

const one = <Item>(items: readonly Item[], random: Random) =>
  items[Math.floor(random() * items.length)] as Item

function candidatesIn(
  world: World,
  hands: Hands,
  ways: Ways & { most: number },
  random: Random,
): Candidate[] {
  const consents = [...world.consents.values()]
  const mayVisit = ways.visits() === undefined || (ways.visits() ?? 0) > 0
  const found: Candidate[] = []
  const add = (weight: number, ...moves: Move[]) => {
    for (const move of moves) found.push({ move, weight })
  }
  if (consents.length < ways.most) {
    const consent = `c${consents.length + 1}`
    const terms = termsFrom(ways, random)
    for (const client of ways.clients) {
      add(2, { do: 'create', consent, client, ...terms })
      if (ways.funds) add(0.5, { do: 'create-funds', consent, client })
    }
  }
  for (const consent of consents) {
    const { name } = consent
    for (const client of ways.clients) {
      const own = client === consent.client
      if (consent.kind === 'account-access')
        add(own ? 2 : 0.7, { do: 'query', consent: name, client })
      add(own ? 0.3 : 0.4, { do: 'delete', consent: name, client })
      if (hands.holds(name).refresh) add(own ? 2 : 0.4, { do: 'refresh', consent: name, client })
    }
    if (consent.kind !== 'account-access') continue
    for (const fact of ways.facts) {
      if (mayCome(fact, consent)) add(0.4, { do: 'fact', fact, consent: name })
    }
    if (mayVisit) add(1, ...visitsOf(world, consent, ways).map(({ move }) => move))
    if (hands.holds(name).tokens > 0) add(1, ...readsOf(consent, hands, random))
  }
  for (const { name, client } of world.codes.values()) {
    add(6, { do: 'exchange', code: name, client })
    for (const other of ways.clients)
      if (other !== client) add(0.4, { do: 'exchange', code: name, client: other })
  }
  for (const at of ways.looks) add(0.3, { do: 'look', at })
  const able = found.filter(({ move }) => !isPointless(world, move))
  const requests = able.filter(({ move }) => !isVisit(move) || ways.visits() === undefined)
  return [...able, ...wrongOnes(world, requests, ways.values, random)]
}

/** How many requests are tried with a wrong value at each step. */
const TRIED = 5

/** Some of these requests, each with a wrong value of any table that speaks of it. */
function wrongOnes(
  world: World,
  able: readonly Candidate[],
  values: readonly WrongValue[],
  random: Random,
): Candidate[] {
  const requests = able.map(({ move }) => move).filter((move) => isOwnRequest(world, move))
  if (requests.length === 0) return []
  return Array.from({ length: TRIED }, () => one(requests, random)).flatMap((request) => {
    const operation = operationOf(request, world.consents.get(request.consent)?.kind)
    const judged = values.filter(({ checks }) => checks[operation] !== undefined)
    if (judged.length === 0) return []
    // Each table alike, however many rows it has.
    const type = one([...new Set(judged.map((value) => value.type))], random)
    const value = one(
      judged.filter((each) => each.type === type),
      random,
    )
    const check = value.checks[operation] as string
    return [{ move: { do: 'wrong', value: value.name, check, in: request }, weight: 2 }]
  })
}

/** Is it a request for a consent of its own, with the newest token? */
function isOwnRequest(world: World, move: Move): move is RequestMove {
  switch (move.do) {
    case 'create':
    case 'create-funds':
      return true
    case 'read':
      return !move.older
    case 'query':
    case 'delete':
    case 'approve':
    case 'refresh':
      return world.consents.get(move.consent)?.client === move.client
    default:
      return false
  }
}

/** Each code is tried twice at most by each client, and nothing is deleted three times. */
function isPointless(world: World, move: Move): boolean {
  if (move.do !== 'exchange') return false
  const code = world.codes.get(move.code)
  return code?.sent === true && world.moment - code.at > 6
}

/** May somebody at the bank make this true of the consent? */
function mayCome(fact: Fact, { end, approval, expires, tokens, unclear }: ConsentState): boolean {
  if (end) return false
  if (fact === 'consent-expired') return expires === true
  if (fact === 'ninety-days-passed') return approval !== undefined
  return fact === 'customer-revokes' || (tokens !== undefined && !unclear)
}

function visitsOf(world: World, consent: ConsentState, ways: Ways): Candidate[] {
  const found: Candidate[] = []
  const code = `a${world.codes.size + 1}`
  for (const client of ways.clients) {
    for (const customer of ways.customers) {
      const own = client === consent.client
      const same = consent.approval === undefined || consent.approval.customer === customer
      // A visit for what has ended waits until that must show.
      const right = own && same && !consent.end
      // Where visits are counted, they make consents that are in use: one visit serves a long history.
      const again = consent.approval !== undefined && ways.visits() !== undefined
      const weight = right && !again ? 4 : consent.end ? 0.1 : 0.3
      found.push({ move: { do: 'approve', consent: consent.name, client, customer, code }, weight })
      if (own && ways.deny && !consent.end) {
        const move = { do: 'deny', consent: consent.name, client, customer } as const
        found.push({ move, weight: 0.3 })
      }
    }
  }
  return found
}

function readsOf(consent: ConsentState, hands: Hands, random: Random): Move[] {
  const accounts = hands.accountsOf(consent.name).length
  const readOf = (what: DataEndpoint): ReadMove => {
    const single = what === 'account' || what.startsWith('account-')
    const filtered = what.endsWith('transactions') && random() < 0.5
    // Some lie before all rows, or after them.
    const [from, to] = [random(), random()].map((part) => part * 1.4 - 0.2).sort((a, b) => a - b)
    const kind = Math.floor(random() * 3)
    return {
      do: 'read',
      what,
      consent: consent.name,
      ...(single && { account: Math.floor(random() * accounts) }),
      ...(filtered && kind !== 1 && { from }),
      ...(filtered && kind !== 0 && { to }),
      present: random() < 0.85,
      ...(hands.holds(consent.name).tokens > 1 && random() < 0.3 && { older: true as const }),
    }
  }
  const able = DATA.filter((what) => accounts > 0 || !what.startsWith('account-')).filter(
    (what) => accounts > 0 || what !== 'account',
  )
  const reads = able.map(readOf)
  const opened = reads.filter(({ what, present }) => present && opens(consent, familyOf(what)))
  if (consent.end || opened.length < 2) return reads
  return [...reads, { do: 'at-once', reads: [one(opened, random), one(opened, random)] }]
}
