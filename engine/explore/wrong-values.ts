import type { AuthorisationDeviation, TokenDeviation } from '../client/messages.ts'
import type { Tpp } from '../client/tpp.ts'
import type { CallDeviation } from '../client-session/caller.ts'
import type { TokenSet } from '../client-session/tokens.ts'
import type { RequestMove } from '../model/moves.ts'
import type { ConsentState } from '../model/world.ts'

/** An operation whose request can contain a wrong value. */
export type Operation =
  | Exclude<RequestMove['do'], 'delete' | 'read'>
  | ('delete' | 'delete-funds')
  | ('read' | 'read-one')

/** A row of a table of wrong values, in the form that a move of a history uses. */
export interface WrongValue {
  /** `bearer credential: random` */
  name: string
  /** The check that judges it, by operation; operations without one are not tried. */
  checks: Partial<Record<Operation, string>>
  /** Makes the fault of the request; undefined if the available material has no such value. */
  make(right: AtHand): WrongRequest | undefined
}

/** The fault of a request. */
export interface WrongRequest {
  /** For consents and data. */
  call?: Pick<CallDeviation, 'bearer' | 'headers' | 'query' | 'identity'>
  /** Spelling of the id in their path. */
  segment?: string
  /** Members of Data of a request that creates a consent. */
  data?: Record<string, unknown>
  /** For the token endpoint. */
  token?: TokenDeviation
  /** For the authorisation endpoint. */
  visit?: AuthorisationDeviation
}

/** The material of a correct request, and what its parts can be confused with. */
export interface AtHand {
  /** The client that sends it, and the target's other client, registered or not. */
  tpp: Tpp
  other?: Tpp
  /** The newest tokens of the consent, if any, and the code of its last visit. */
  tokens?: TokenSet
  code?: string
  /** The redirect URI for which the code was issued. */
  redirectUri?: string
  /** A request object of this client that the bank accepted. */
  requestObject?: string
  /**
   * Access tokens of the client_credentials grant, for accounts and for funds confirmation.
   *
   * `apart`: each of the two is for one kind of consents alone, as far as the bank says.
   */
  management: { accounts?: string; funds?: string; apart: boolean }
  /** The permissions that the request asks for. */
  permissions?: readonly string[]
  consentId?: string
  /** A consent of the other kind. */
  otherKind?: string
  /** Set if the path names an account of a list that was read. */
  account?: AccountAtHand
  /** True if the bank issued this id: then it is not a wrong one. */
  isKnown(id: string): boolean
}

export interface AccountAtHand {
  id: string
  /** Another account of the consent, and one of another customer. */
  own?: string
  foreign?: string
}

/** The operation that a move calls. */
export function operationOf(move: RequestMove, kind: ConsentState['kind'] | undefined): Operation {
  if (move.do === 'delete') return kind === 'funds-confirmation' ? 'delete-funds' : 'delete'
  if (move.do !== 'read') return move.do
  return move.account === undefined ? 'read' : 'read-one'
}

/** Operation → the checks that judge its wrong values, each with its rows. */
export type ByOperation = ReadonlyMap<Operation, readonly Checked[]>

export interface Checked {
  check: string
  rows: readonly WrongValue[]
}

/** The rows of all tables, by the operation whose request can contain them. */
export function byOperation(values: readonly WrongValue[]): ByOperation {
  const found = new Map<Operation, { check: string; rows: WrongValue[] }[]>()
  for (const value of values) {
    for (const [operation, check] of Object.entries(value.checks) as [Operation, string][]) {
      const checked = found.get(operation) ?? []
      const same = checked.find((one) => one.check === check)
      if (same) same.rows.push(value)
      else checked.push({ check, rows: [value] })
      found.set(operation, checked)
    }
  }
  return found
}
