import type { RequestMove } from '../model/moves.ts'
import type { Held } from './held.ts'
import type { AccountAtHand, AtHand } from './wrong-values.ts'

/** The material for a move; undefined if its owner is not known. */
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
    ...held.given,
    ...session.leftovers.list().map(({ id }) => id),
    ...held.accountsOf(move.consent),
  ])
  return {
    ...{ tpp, management: { ...(accounts && { accounts }), ...(funds && { funds }) } },
    ...(session.target.clients[other] && { other: session.tpp(other) }),
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
  // The ids of accounts that were not listed are unknown.
  if (index === undefined || !held.seen.has(`${consent} accounts`)) return undefined
  const id = ids[index % ids.length]
  if (id === undefined) return undefined
  const own = ids.find((one) => one !== id)
  const foreign = held.foreignAccountOf(consent)
  return { id, ...(own !== undefined && { own }), ...(foreign !== undefined && { foreign }) }
}
