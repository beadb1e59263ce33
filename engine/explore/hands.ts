import type { Session } from '../client-session/session.ts'
import { type Move, namesUsedBy } from '../model/moves.ts'
import type { Obligation } from '../model/sentences.ts'
import { atHand } from './at-hand.ts'
import { create, createFunds, query, remove, state } from './consent-moves.ts'
import { exchange, refresh, visit } from './customer-moves.ts'
import { type Answer, createHeld, type Make, told } from './held.ts'
import { look } from './look-moves.ts'
import { read } from './read-moves.ts'
import { operationOf, type WrongValue } from './wrong-values.ts'

const MAKES: { [Kind in Move['do']]: Make<Kind> } = {
  ...{ create, 'create-funds': createFunds, query, delete: remove, fact: state },
  ...{ approve: visit, deny: visit, exchange, refresh, read, look },
  // Their parts are made instead.
  ...{ 'at-once': async () => undefined, wrong: async () => undefined },
}

export type Hands = ReturnType<typeof createHands>

/** The two clients and customers in action: they map names of a history to what the bank issued. */
export function createHands({
  session,
  name,
  values,
  given,
}: {
  session: Session
  /** Prefix of the names of visits. */
  name: string
  values: readonly WrongValue[]
  given: Set<string>
}) {
  const held = createHeld(session, name, given)
  return {
    accountsOf: held.accountsOf,
    settledAt: held.settledAt,
    knownAt: held.knownAt,
    /** How many token sets the bank has issued for a consent, and whether there is a refresh token. */
    holds(consent: string): { tokens: number; refresh: boolean } {
      const [newest, ...older] = held.tokensOf(consent)
      if (!newest) return { tokens: 0, refresh: false }
      return { tokens: 1 + older.length, refresh: newest.refreshToken !== undefined }
    },
    /** Makes one move; undefined if the bank issued nothing with which it could be made. */
    async make(move: Move, obligation: Obligation | undefined): Promise<Answer | undefined> {
      const isKnown = (name: string) => held.facts.has(name) || held.codes.has(name)
      if (!namesUsedBy(move).every(isKnown)) return undefined
      const deviation = told(move, obligation)
      const right = { obligation, deviation, wrong: {} }
      if (move.do !== 'wrong') return MAKES[move.do](held, move as never, right)
      const parts = await atHand(held, move.in)
      const operation = operationOf(move.in, held.facts.get(held.consentOf(move.in))?.kind)
      const isIt = ({ name, checks }: WrongValue) =>
        name === move.value && checks[operation] === move.check
      const wrong = parts && values.find(isIt)?.make(parts)
      return wrong && MAKES[move.in.do](held, move.in as never, { ...right, wrong })
    },
  }
}
