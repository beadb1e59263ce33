import { grantsBoth } from '../client-session/tokens.ts'
import type { Party, RequestMove } from '../model/moves.ts'
import type { Held } from './held.ts'
import type { AccountAtHand, AtHand } from './wrong-values.ts'

/** The material for a move; undefined if its owner is not known. */
export async function atHand(held: Held, move: RequestMove): Promise<AtHand | undefined> {
  const { session, facts, codes } = held
  const consent = held.consentOf(move)
  const of = facts.get(consent)
  const client = move.do === 'read' ? of?.client : move.client
  if (client === undefined) return undefined
  const { tpp } = await session.caller(client)
  const other = client === 'first' ? 'second' : 'first'
  const [tokens] = held.tokensOf(consent)
  const visit =
    move.do === 'exchange'
      ? codes.get(move.code)
      : [...codes.values()].findLast((code) => code.consent === consent)
  const taken = [...codes.values()].findLast(({ consent }) => facts.get(consent)?.client === client)
  const management = await tokensForConsents(held, client)
  const otherKind = [...facts.values()].find(
    (one) => one.kind !== of?.kind && one.client === client,
  )
  const account = move.do === 'read' ? accountAtHand(held, consent, move.account) : undefined
  const known = new Set([
    ...held.given,
    ...session.leftovers.list().map(({ id }) => id),
    ...held.accountsOf(consent),
  ])
  return {
    ...{ tpp, management },
    ...(session.target.clients[other] && { other: session.tpp(other) }),
    ...(tokens && { tokens }),
    ...(visit && { code: visit.code, redirectUri: visit.request.redirectUri }),
    ...(move.do === 'create' && { permissions: move.permissions }),
    ...(taken && { requestObject: taken.request.requestObject }),
    ...(of && { consentId: of.id }),
    ...(otherKind && { otherKind: otherKind.id }),
    ...(account && { account }),
    isKnown: (id) => known.has(id),
  }
}

async function tokensForConsents({ session }: Held, client: Party): Promise<AtHand['management']> {
  const { scopes } = session.tpp(client).client
  const { management } = session.steps
  const ofAccounts = await management(client)
  const ofFunds =
    scopes.fundsConfirmation === undefined ? undefined : await management(client, true)
  const [accounts, funds] = [ofAccounts.value, ofFunds?.value]
  const apart =
    scopes.accounts !== scopes.fundsConfirmation &&
    accounts !== funds &&
    ![ofAccounts, ofFunds].some((step) => step?.exchange && grantsBoth(step.exchange, scopes))
  return { apart, ...(accounts && { accounts }), ...(funds && { funds }) }
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
