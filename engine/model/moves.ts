import { documentedPath } from '../client/call.ts'
import type { DataEndpoint } from '../wire/exchange.ts'

/** Names of the two clients and the two customers, as in the target. */
export type Party = 'first' | 'second'

/** What a hook states of a consent: of `token-expired` its newest access token. */
export type Fact = 'customer-revokes' | 'consent-expired' | 'ninety-days-passed' | 'token-expired'

/** What the request that creates a consent asks for; dates in days from now. */
export interface Terms {
  permissions: readonly string[]
  expiresInDays?: number
  fromDays?: number
  toDays?: number
}

/** One reading of data with an access token of a consent, the newest unless it says otherwise. */
export interface ReadMove {
  do: 'read'
  what: DataEndpoint
  consent: string
  /** Which of the accounts that were seen last, where the path names one; counted around. */
  account?: number
  /** The bounds of a filter, as a part of the rows that were seen last: 0.5 lies between the middle ones. */
  from?: number
  to?: number
  /** Is the customer present? */
  present: boolean
  /** With the oldest access token of the consent: only its end says anything of that. */
  older?: true
}

/** A request in which one value may be wrong. */
export type RequestMove =
  | ({ do: 'create'; consent: string; client: Party } & Terms)
  | { do: 'create-funds'; consent: string; client: Party }
  | { do: 'query'; consent: string; client: Party }
  | { do: 'delete'; consent: string; client: Party }
  /** The customer is sent to the bank, by this client. */
  | { do: 'approve'; consent: string; client: Party; customer: Party; code: string }
  /** The newest refresh token of the consent. */
  | { do: 'refresh'; consent: string; client: Party }
  | ReadMove

/** What the bank publishes for everybody. */
export type Published = 'discovery' | 'jwks' | 'products'

/**
 * What can be done at the interface. A consent, and the code that a visit gives, have a name from the move on that
 * makes them, so that a history from which moves are left out says the same of the others.
 */
export type Move =
  | RequestMove
  | { do: 'deny'; consent: string; client: Party; customer: Party }
  | { do: 'exchange'; code: string; client: Party }
  /** Readings that are sent at the same time. */
  | { do: 'at-once'; reads: readonly ReadMove[] }
  /** What only somebody inside the bank can make true, by a hook of the target. */
  | { do: 'fact'; fact: Fact; consent: string }
  /** A right request but for one value, a row of a table, which a check judges: it must be refused. */
  | { do: 'wrong'; value: string; check: string; in: RequestMove }
  | { do: 'look'; at: Published }

/** Moves in their order, from a bank that knows none of their consents. */
export type History = readonly Move[]

/** The names that a move gives. */
export function namesGivenBy(move: Move): string[] {
  if (move.do === 'create' || move.do === 'create-funds') return [move.consent]
  return move.do === 'approve' ? [move.code] : []
}

/** The names that must have been given before. */
export function namesUsedBy(move: Move): string[] {
  if (move.do === 'wrong') return namesUsedBy(move.in)
  if (move.do === 'create' || move.do === 'create-funds' || move.do === 'look') return []
  if (move.do === 'exchange') return [move.code]
  if (move.do === 'at-once') return move.reads.map(({ consent }) => consent)
  return [move.consent]
}

/** What is left of a history when every move goes that names what none before it gave. */
export function meaningful(history: History): Move[] {
  const given = new Set<string>()
  return history.filter((move) => {
    if (!namesUsedBy(move).every((name) => given.has(name))) return false
    for (const name of namesGivenBy(move)) given.add(name)
    return true
  })
}

/** Is the customer sent to the bank? */
export function isVisit(move: Move): boolean {
  return move.do === 'approve' || move.do === 'deny' || (move.do === 'wrong' && isVisit(move.in))
}

/** Who takes part in a move, as far as it says. */
export function partiesOf(move: Move): { client?: Party; customer?: Party } {
  if (move.do === 'wrong') return partiesOf(move.in)
  return {
    ...('client' in move && { client: move.client }),
    ...('customer' in move && { customer: move.customer }),
  }
}

/** What a visit of a history is called, where visits are listed: `explore a1`. */
export function visitName(history: string, move: Move): string {
  if (move.do === 'wrong') return visitName(history, move.in)
  return `${history} ${move.do === 'approve' ? move.code : `${move.do} ${namesUsedBy(move)}`}`
}

/** A move as a line for people: `the first client deletes c1`. */
export function moveWords(move: Move): string {
  switch (move.do) {
    case 'create':
      return `the ${move.client} client creates ${move.consent}: ${termsWords(move)}`
    case 'create-funds':
      return `the ${move.client} client creates ${move.consent}, a funds confirmation consent`
    case 'query':
      return `the ${move.client} client queries ${move.consent}`
    case 'delete':
      return `the ${move.client} client deletes ${move.consent}`
    case 'approve':
      return `the ${move.customer} customer approves ${move.consent} with the ${move.client} client: ${move.code}`
    case 'deny':
      return `the ${move.customer} customer denies ${move.consent} with the ${move.client} client`
    case 'exchange':
      return `the ${move.client} client exchanges ${move.code}`
    case 'refresh':
      return `the ${move.client} client refreshes the tokens of ${move.consent}`
    case 'fact':
      return `${FACTS[move.fact]} ${move.consent}`
    case 'read':
      return readWords(move)
    case 'at-once':
      return `at once: ${move.reads.map(readWords).join(' | ')}`
    case 'wrong':
      return `${moveWords(move.in)}, with a wrong value: ${move.value}`
    case 'look':
      return `read ${PUBLISHED[move.at]}`
  }
}

const PUBLISHED: Record<Published, string> = {
  discovery: 'the configuration of the bank',
  jwks: 'the keys of the bank',
  products: 'the list of products',
}

const FACTS: Record<Fact, string> = {
  'customer-revokes': 'the customer revokes at the bank',
  'consent-expired': 'the expiry date passes of',
  'ninety-days-passed': 'ninety days pass for',
  'token-expired': 'the newest access token expires of',
}

function termsWords({ permissions, expiresInDays, fromDays, toDays }: Terms): string {
  const days = [
    expiresInDays !== undefined && `expires in ${expiresInDays} days`,
    fromDays !== undefined && `transactions from ${fromDays} days`,
    toDays !== undefined && `transactions to ${toDays} days`,
  ].filter((part) => part !== false)
  return [permissions.join(' '), ...days].join(', ')
}

function readWords({ what, consent, account, from, to, present, older }: ReadMove): string {
  const filters = [
    from !== undefined && `from ${percent(from)}`,
    to !== undefined && `to ${percent(to)}`,
  ].filter((part) => part !== false)
  const words = [
    `read ${documentedPath(what)} under ${consent}`,
    account !== undefined && `account ${account + 1}`,
    filters.length > 0 && `booked ${filters.join(' ')} of the rows`,
    !present && 'the customer is absent',
    older && 'with its oldest token',
  ]
  return words.filter((part) => part !== false).join(', ')
}

const percent = (part: number) => `${Math.round(part * 100)} %`
