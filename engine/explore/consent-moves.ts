import {
  type ConsentData,
  consentFacts,
  createdId,
  daysFromNow,
  fundsConfirmationBody,
} from '../client-session/consent.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { now } from '../record/clock.ts'
import { outcomeOf, outcomeWithout } from './answers.ts'
import type { Answer, Make } from './held.ts'

export const create: Make<'create'> = async ({ session, keep }, move, { deviation, wrong }) => {
  const { client, consent, permissions, expiresInDays, fromDays, toDays } = move
  const at = (days?: number) => (days === undefined ? undefined : daysFromNow(days))
  const Data: ConsentData = {
    Permissions: [...permissions],
    ExpirationDateTime: at(expiresInDays),
    TransactionFromDateTime: at(fromDays),
    TransactionToDateTime: at(toDays),
  }
  const caller = await session.caller(client)
  const body = { Data: { ...Data, ...wrong.data }, Risk: {} }
  const exchange = await caller.post('/account-access-consents', body, {
    ...deviation,
    ...wrong.call,
  })
  const made = consentFacts(exchange, Data)
  if (made) keep(consent, { ...made, kind: 'account-access', client })
  return { exchange, outcome: made ? outcomeOf(exchange) : outcomeWithout(exchange) }
}

export const createFunds: Make<'create-funds'> = async (
  { session, keep },
  move,
  { deviation, wrong },
) => {
  const { client, consent } = move
  // These steps find the addresses for creation and deletion and the spelling of the scheme, with their own consents.
  await session.steps.fundsConfirmation(client)
  await session.steps.fundsDeletion().catch(unlessBlocked)
  const caller = await session.caller(client)
  const right = fundsConfirmationBody(session.target, caller.funds().scheme)
  const body = { ...right, Data: { ...right.Data, ...wrong.data } }
  const exchange = await caller.post('/funds-confirmation-consents', body, {
    ...deviation,
    ...wrong.call,
  })
  const id = createdId(exchange)
  if (id !== undefined) keep(consent, { id, permissions: [], kind: 'funds-confirmation', client })
  return { exchange, outcome: id === undefined ? outcomeWithout(exchange) : outcomeOf(exchange) }
}

export const query: Make<'query'> = async (held, move, { deviation, wrong }) => {
  const caller = await held.session.caller(move.client)
  const ask = async (): Promise<Answer> => {
    const exchange = await caller.get(held.pathOf(move.consent, wrong.segment), {
      ...deviation,
      ...wrong.call,
    })
    return { exchange, outcome: outcomeOf(exchange) }
  }
  return { ...(await ask()), again: ask }
}

export const remove: Make<'delete'> = async (held, move, { deviation, wrong }) => {
  const { session, facts, ended } = held
  const { consent, client } = move
  const caller = await session.caller(client)
  if (facts.get(consent)?.kind === 'funds-confirmation') await session.steps.fundsDeletion()
  const exchange = await caller.delete(held.pathOf(consent, wrong.segment), {
    ...deviation,
    ...wrong.call,
  })
  const outcome = outcomeOf(exchange)
  if (outcome === 'given') ended.set(consent, now())
  return { exchange, outcome }
}

export const state: Make<'fact'> = async (held, { fact, consent }) => {
  const { session, facts, ended } = held
  const [newest] = held.tokensOf(consent)
  const ofToken = fact === 'token-expired'
  if (ofToken && !newest) return undefined
  await session.hooks.state(
    fact,
    ofToken ? { accessToken: newest?.accessToken } : { consentId: facts.get(consent)?.id },
  )
  if (!ofToken) ended.set(consent, now())
  return { outcome: 'given' }
}

/** If a step could not find something out, this is reported where it is needed. */
function unlessBlocked(error: unknown): void {
  if (!(error instanceof Blocked || error instanceof NotApplicable)) throw error
}
