import type { AuthorisationDeviation, TokenDeviation } from '../client/messages.ts'
import type { Tpp } from '../client/tpp.ts'
import type { CallDeviation } from '../client-session/caller.ts'
import type { TokenSet } from '../client-session/tokens.ts'
import type { RequestMove } from '../model/moves.ts'
import type { ConsentState } from '../model/world.ts'
import type { Held } from './held.ts'

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
  /** The client that sends it, and the target’s other one, once it is registered. */
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

interface AccountAtHand {
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

/** What the move would be made of; undefined where nobody knows whose it is. */
export async function atHand(held: Held, move: RequestMove): Promise<AtHand | undefined> {
  const { session, facts, codes } = held
  const of = facts.get(move.consent)
  const client = move.do === 'read' ? of?.client : move.client
  if (client === undefined) return undefined
  const { tpp } = await session.caller(client)
  const other = client === 'first' ? 'second' : 'first'
  const [tokens] = held.tokensOf(move.consent)
  const code = [...codes.values()].findLast(({ consent }) => consent === move.consent)?.code
  const taken = [...codes.values()].findLast(({ consent }) => facts.get(consent)?.client === client)
  const { management } = session.steps
  const accounts = (await management(client)).value
  const funds = tpp.client.scopes.fundsConfirmation && (await management(client, true)).value
  const otherKind = [...facts.values()].find(
    (one) => one.kind !== of?.kind && one.client === client,
  )
  const account = move.do === 'read' ? accountAtHand(held, move.consent, move.account) : undefined
  const known = new Set([
    ...session.leftovers.list().map(({ id }) => id),
    ...held.accountsOf(move.consent),
  ])
  return {
    ...{ tpp, management: { ...(accounts && { accounts }), ...(funds && { funds }) } },
    ...(session.target.clients[other] && { other: (await session.caller(other)).tpp }),
    ...(tokens && { tokens }),
    ...(code !== undefined && { code }),
    ...(taken && { requestObject: taken.request.requestObject }),
    ...(of && { consentId: of.id }),
    ...(otherKind && { otherKind: otherKind.id }),
    ...(account && { account }),
    isKnown: (id) => known.has(id),
  }
}

function accountAtHand(
  held: Held,
  consent: string,
  index: number | undefined,
): AccountAtHand | undefined {
  const ids = held.accountsOf(consent)
  // Of accounts that were not listed nobody knows the ids.
  if (index === undefined || !held.seen.has(`${consent} accounts`)) return undefined
  const id = ids[index % ids.length]
  if (id === undefined) return undefined
  const own = ids.find((one) => one !== id)
  const foreign = held.foreignAccountOf(consent)
  return { id, ...(own !== undefined && { own }), ...(foreign !== undefined && { foreign }) }
}
