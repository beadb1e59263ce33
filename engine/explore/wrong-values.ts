import type { AuthorisationDeviation, TokenDeviation } from '../client/messages.ts'
import type { Tpp } from '../client/tpp.ts'
import type { CallDeviation } from '../client-session/caller.ts'
import type { TokenSet } from '../client-session/tokens.ts'
import type { RequestMove } from '../model/moves.ts'
import type { ConsentState } from '../model/world.ts'

/** A request that a wrong value can stand in. */
export type Operation =
  | Exclude<RequestMove['do'], 'delete' | 'read'>
  | ('delete' | 'delete-funds')
  | ('read' | 'read-one')

/** A row of a table of wrong values, as a move of a history takes it. */
export interface WrongValue {
  /** `bearer credential: random` */
  name: string
  /** `bearer credential` */
  type: string
  /** The check that judges it, by the operation; those without one are not asked. */
  checks: Partial<Record<Operation, string>>
  /** What is wrong with the request; undefined where what is at hand has no such value. */
  make(right: AtHand): WrongRequest | undefined
}

/** What is wrong with a request. */
export interface WrongRequest {
  /** Of consents and data. */
  call?: Pick<CallDeviation, 'bearer' | 'headers' | 'query' | 'identity'>
  /** How the id in their path is spelled. */
  segment?: string
  /** Of the token endpoint. */
  token?: TokenDeviation
  /** Of the authorisation endpoint. */
  visit?: AuthorisationDeviation
}

/** What a right request would be made of, and what its parts can be mistaken for. */
export interface AtHand {
  /** The client that sends it, and the target’s other one, registered or not. */
  tpp: Tpp
  other?: Tpp
  /** The newest tokens of the consent, where it has any, and the code that its last visit gave. */
  tokens?: TokenSet
  code?: string
  /** A request object of this client that the bank took. */
  requestObject?: string
  /** Access tokens of the client_credentials grant, for accounts and for funds confirmation. */
  management: { accounts?: string; funds?: string }
  consentId?: string
  /** A consent of the other kind. */
  otherKind?: string
  /** Where the path names an account of a list that was read. */
  account?: AccountAtHand
  /** Is it an id that the bank gave? Then it is no wrong one. */
  isKnown(id: string): boolean
}

export interface AccountAtHand {
  id: string
  /** Another one of the consent, and one of another customer. */
  own?: string
  foreign?: string
}

/** Which operation a move asks for. */
export function operationOf(move: RequestMove, kind: ConsentState['kind'] | undefined): Operation {
  if (move.do === 'delete') return kind === 'funds-confirmation' ? 'delete-funds' : 'delete'
  if (move.do !== 'read') return move.do
  return move.account === undefined ? 'read' : 'read-one'
}
