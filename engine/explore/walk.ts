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
import { type ByOperation, operationOf } from './wrong-values.ts'

/** What a walk may do at this target. */
export interface Ways {
  /** Contents of consents; the first one opens everything. */
  terms: readonly Terms[]
  clients: readonly Party[]
  customers: readonly Party[]
  funds: boolean
  facts: readonly Fact[]
  deny: boolean
  looks: readonly Published[]
  /** Wrong values that requests may contain. */
  values: ByOperation
  /** Number of visits that are left; undefined: no limit. */
  visits(): number | undefined
}

/** Maximum number of consents in a history: more would hide related moves. */
const MOST = 4

/** A possible move and its weight. */
interface Candidate {
  move: Move
  weight: number
}

/** A random history with this number of moves, steered towards the least frequent sequences. */
export function walk(random: Random, ways: Ways, coverage: Coverage, length: number): Next {
  /** Consent → what was done with it so far; '' for moves that name none. */
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
    // First the consent, so that one of them gets many moves; then the move that least often followed its earlier ones.
    const [subject = '', candidates = []] =
      pick(random, [...bySubject], ([name]) => interestIn(world.consents.get(name))) ?? []
    return pick(random, candidates, ({ move, weight }) => {
      return weight / (1 + coverage.seen(before.get(subject) ?? [], eventOf(world, move)))
    })?.move
  }
}

/** True if a sentence promises what the move requests, so that it takes nothing away. */
function isPromised(world: World, move: Move): boolean {
  if (move.do === 'look' || move.do === 'at-once') return true
  return move.do !== 'delete' && obligationOf(world, move)?.answer === 'given'
}

/** The consent that a move concerns; '' where it creates one, or names none. */
function subjectOf(world: World, move: Move): string {
  if (move.do === 'wrong') return subjectOf(world, move.in)
  if (move.do === 'create' || move.do === 'create-funds' || move.do === 'look') return ''
  if (move.do === 'exchange') return world.codes.get(move.code)?.consent ?? ''
  return move.do === 'at-once' ? (move.reads[0]?.consent ?? '') : move.consent
}

/** How often a consent in this state is chosen, compared with others. */
function interestIn(consent: ConsentState | undefined): number {
  if (!consent) return 1
  if (consent.end || consent.unclear) return 0.7
  return consent.tokens ? 5 : 2
}

/** Fraction of the histories that begin with a consent in use: little can be done with others. */
const OPENED = 0.6

/** Fraction of these that continue with promised moves for twice as long: faults that need many calls show there. */
const CALM = 0.5

/** Number of moves of any kind at their end. */
const LAST = 8

/** A consent is created and approved, and data are read with it. */
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

/** Gives the moves with which a history ends, one after the other; undefined after the last. */
type Closing = (world: World, hands: Hands, random: Random) => Move | undefined

/** Number of reads of each consent after its end, where it was in use. */
const READS_AFTER = 2

/**
 * What is left is deleted anyway: here each deletion is judged, in whatever state, and so is what comes after it. All
 * deletions come first, so that there is only one wait for a bank to apply them.
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

/** Everything or the permissions of one row, without dates or with those of another. */
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

/** Number of requests that are tried with a wrong value at each step. */
const TRIED = 5

/** Some of these requests, each with a wrong value of any table that applies to it. */
function wrongOnes(
  world: World,
  able: readonly Candidate[],
  values: ByOperation,
  random: Random,
): Candidate[] {
  const requests = able.map(({ move }) => move).filter((move) => isOwnRequest(world, move))
  if (requests.length === 0) return []
  return Array.from({ length: TRIED }, () => one(requests, random)).flatMap((request) => {
    const kind = request.do === 'exchange' ? undefined : world.consents.get(request.consent)?.kind
    const operation = operationOf(request, kind)
    const judged = values.get(operation)
    if (!judged) return []
    // Checks have equal weight, whatever their number of rows.
    const { check, rows } = one(judged, random)
    const value = one(rows, random)
    return [{ move: { do: 'wrong', value: value.name, check, in: request }, weight: 2 }]
  })
}

/** True if it is a request for the client's own consent, with the newest token. */
function isOwnRequest(world: World, move: Move): move is RequestMove {
  switch (move.do) {
    case 'create':
    case 'create-funds':
      return true
    case 'read':
      return !move.older
    case 'exchange': {
      const code = world.codes.get(move.code)
      return code?.client === move.client && !code.sent
    }
    case 'query':
    case 'delete':
    case 'approve':
    case 'refresh':
      return world.consents.get(move.consent)?.client === move.client
    default:
      return false
  }
}

/** A code that was sent more than six moves ago is not tried again. */
function isPointless(world: World, move: Move): boolean {
  if (move.do !== 'exchange') return false
  const code = world.codes.get(move.code)
  return code?.sent === true && world.moment - code.at > 6
}

/** True if a person at the bank can make this fact true for the consent. */
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
      // A visit for an ended consent has to wait until the end must have taken effect.
      const right = own && same && !consent.end
      // Where visits are limited, they should make consents usable: one visit serves a long history.
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
    // Some bounds are before or after all rows.
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
