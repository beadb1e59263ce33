import type { Fact, Move, Party, ReadMove, Terms } from '../model/moves.ts'
import { familyOf, opens } from '../model/standing.ts'
import type { ConsentState, World } from '../model/world.ts'
import { DATA, type DataEndpoint } from '../wire/exchange.ts'
import { type Coverage, eventOf } from './coverage.ts'
import type { Hands } from './hands.ts'
import type { Next } from './play.ts'
import { pick, type Random } from './random.ts'

/** What a walk may do at this target. */
export interface Ways {
  /** What consents are asked for; the first of them opens everything. */
  terms: readonly Terms[]
  clients: readonly Party[]
  customers: readonly Party[]
  funds: boolean
  facts: readonly Fact[]
  deny: boolean
  /** Visits that are left; undefined: as many as it takes. */
  visits(): number | undefined
}

/** Consents of a history at most: more of them hide what belongs together. */
const MOST = 5

/** A move that a walk may make, and how much more often than others it should. */
interface Candidate {
  move: Move
  weight: number
}

/** A random history of so many moves, steered towards what followed one another least so far. */
export function walk(random: Random, ways: Ways, coverage: Coverage, length: number): Next {
  const before: string[] = []
  let made = 0
  return (world, hands) => {
    made += 1
    if (made > length) return undefined
    const candidates = candidatesIn(world, hands, ways, random)
    const chosen = pick(random, candidates, ({ move, weight }) => {
      return weight / (1 + coverage.seen(before, eventOf(world, move))) ** 2
    })
    if (!chosen) return undefined
    const event = eventOf(world, chosen.move)
    coverage.note(before, event)
    before.push(event)
    return chosen.move
  }
}

function candidatesIn(world: World, hands: Hands, ways: Ways, random: Random): Candidate[] {
  const consents = [...world.consents.values()]
  const mayVisit = ways.visits() === undefined || (ways.visits() ?? 0) > 0
  const one = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  const found: Candidate[] = []
  const add = (weight: number, ...moves: Move[]) => {
    for (const move of moves) found.push({ move, weight })
  }
  if (consents.length < MOST) {
    const consent = `c${consents.length + 1}`
    const terms = random() < 0.5 ? (ways.terms[0] as Terms) : one(ways.terms)
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
      add(own ? 0.7 : 0.5, { do: 'delete', consent: name, client })
      if (hands.holds(name).refresh) add(own ? 2 : 0.4, { do: 'refresh', consent: name, client })
    }
    if (consent.kind !== 'account-access') continue
    for (const fact of ways.facts) {
      if (mayCome(fact, consent)) add(0.3, { do: 'fact', fact, consent: name })
    }
    if (mayVisit) add(1, ...visitsOf(world, consent, ways).map(({ move }) => move))
    if (hands.holds(name).tokens > 0) add(1, ...readsOf(consent, hands, random))
  }
  for (const { name, client } of world.codes.values()) {
    add(6, { do: 'exchange', code: name, client })
    for (const other of ways.clients)
      if (other !== client) add(0.4, { do: 'exchange', code: name, client: other })
  }
  return found.filter(({ move }) => !isPointless(world, move))
}

/** Each code is tried twice at most by each client, and nothing is deleted three times. */
function isPointless(world: World, move: Move): boolean {
  if (move.do !== 'exchange') return false
  const code = world.codes.get(move.code)
  return code?.sent === true && world.moment - code.at > 6
}

/** May somebody at the bank make this true of the consent? */
function mayCome(fact: Fact, { end, approval, expires, tokens }: ConsentState): boolean {
  if (end) return false
  if (fact === 'consent-expired') return expires === true
  if (fact === 'ninety-days-passed') return approval !== undefined
  return fact === 'customer-revokes' || tokens !== undefined
}

function visitsOf(world: World, consent: ConsentState, ways: Ways): Candidate[] {
  const found: Candidate[] = []
  const code = `a${world.codes.size + 1}`
  for (const client of ways.clients) {
    for (const customer of ways.customers) {
      const own = client === consent.client
      const same = consent.approval === undefined || consent.approval.customer === customer
      const weight = own && same && !consent.end ? 4 : 0.3
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
    const [from, to] = [random(), random()].sort((one, other) => one - other)
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
  const [one, other] = [
    opened[Math.floor(random() * opened.length)],
    opened[Math.floor(random() * opened.length)],
  ]
  return [...reads, { do: 'at-once', reads: [one as ReadMove, other as ReadMove] }]
}
