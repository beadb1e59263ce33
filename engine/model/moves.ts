import { documentedPath } from '../client/call.ts'
import type { DataEndpoint } from '../wire/exchange.ts'

/** Names of the two clients and the two customers, as in the target. */
export type Party = 'first' | 'second'

/** The fact that a hook makes true for a consent; `token-expired` concerns its newest access token. */
export type Fact = 'customer-revokes' | 'consent-expired' | 'ninety-days-passed' | 'token-expired'

/** What the request to create a consent contains; dates in days from now. */
export interface Terms {
  permissions: readonly string[]
  expiresInDays?: number
  fromDays?: number
  toDays?: number
}

/** One read of data with an access token of a consent, by default the newest. */
export interface ReadMove {
  do: 'read'
  what: DataEndpoint
  consent: string
  /** Index of an account among those seen last, where the path names one; wraps around. */
  account?: number
  /** The bounds of a filter, as a fraction of the rows seen last: 0.5 is between the middle ones. */
  from?: number
  to?: number
  /** True if the customer is present. */
  present: boolean
  /** Uses the oldest access token of the consent: only the end of the consent decides what that may read. */
  older?: true
}

/** A request in which one value may be wrong. */
export type RequestMove =
  | ({ do: 'create'; consent: string; client: Party } & Terms)
  | { do: 'create-funds'; consent: string; client: Party }
  | { do: 'query'; consent: string; client: Party }
  | { do: 'delete'; consent: string; client: Party }
  /** This client sends the customer to the bank. */
  | { do: 'approve'; consent: string; client: Party; customer: Party; code: string }
  | { do: 'exchange'; code: string; client: Party }
  /** Uses the newest refresh token of the consent. */
  | { do: 'refresh'; consent: string; client: Party }
  | ReadMove

/** What the bank publishes for everybody. */
export type Published = 'discovery' | 'jwks' | 'products'

/**
 * What can be done at the interface. A consent, and the code of a visit, get their name from the move that creates
 * them, so that the other moves keep their meaning when moves are removed from a history.
 */
export type Move =
  | RequestMove
  | { do: 'deny'; consent: string; client: Party; customer: Party }
  /** Reads that are sent at the same time. */
  | { do: 'at-once'; reads: readonly ReadMove[] }
  /** What only a person at the bank can make true, through a hook of the target. */
  | { do: 'fact'; fact: Fact; consent: string }
  /** A correct request except for one value, a row of a table, which a check judges: it must be refused. */
  | { do: 'wrong'; value: string; check: string; in: RequestMove }
  | { do: 'look'; at: Published }

/** Moves in order, starting from a bank that knows none of their consents. */
export type History = readonly Move[]

/** The names that a move creates. */
export function namesGivenBy(move: Move): string[] {
  if (move.do === 'create' || move.do === 'create-funds') return [move.consent]
  return move.do === 'approve' ? [move.code] : []
}

/** The names that must exist before the move. */
export function namesUsedBy(move: Move): string[] {
  if (move.do === 'wrong') return namesUsedBy(move.in)
  if (move.do === 'create' || move.do === 'create-funds' || move.do === 'look') return []
  if (move.do === 'exchange') return [move.code]
  if (move.do === 'at-once') return move.reads.map(({ consent }) => consent)
  return [move.consent]
}

/** What remains of a history without the moves that use names which no earlier move created. */
export function meaningful(history: History): Move[] {
  const given = new Set<string>()
  return history.filter((move) => {
    if (!namesUsedBy(move).every((name) => given.has(name))) return false
    for (const name of namesGivenBy(move)) given.add(name)
    return true
  })
}

/** For each move of a history the names of the consents that it concerns; a code concerns the consent of its visit. */
export function consentsOf(history: History): string[][] {
  const visited = new Map<string, string>()
  for (const move of history) if (move.do === 'approve') visited.set(move.code, move.consent)
  return history.map((move) => {
    if (move.do === 'approve') return [move.consent]
    return [...namesGivenBy(move), ...namesUsedBy(move)].map((name) => visited.get(name) ?? name)
  })
}

/** True if the move sends the customer to the bank. */
export function isVisit(move: Move): boolean {
  return move.do === 'approve' || move.do === 'deny' || (move.do === 'wrong' && isVisit(move.in))
}

/** The client and customer of a move, where it names them. */
export function partiesOf(move: Move): { client?: Party; customer?: Party } {
  if (move.do === 'wrong') return partiesOf(move.in)
  return {
    ...('client' in move && { client: move.client }),
    ...('customer' in move && { customer: move.customer }),
  }
}

/** The name of a visit of a history in lists of visits: `explore a1`. */
export function visitName(history: string, move: Move): string {
  if (move.do === 'wrong') return visitName(history, move.in)
  return `${history} ${move.do === 'approve' ? move.code : `${move.do} ${namesUsedBy(move)}`}`
}

/** A move as a line of text: `the first client deletes c1`. */
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
