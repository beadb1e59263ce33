import type { Session } from '../client-session/session.ts'
import { type Move, namesUsedBy } from '../model/moves.ts'
import type { Obligation } from '../model/sentences.ts'
import { create, createFunds, query, remove, state } from './consent-moves.ts'
import { exchange, refresh, visit } from './customer-moves.ts'
import { type Answer, createHeld, type Make } from './held.ts'
import { read } from './read-moves.ts'

const MAKES: { [Kind in Move['do']]: Make<Kind> } = {
  ...{ create, 'create-funds': createFunds, query, delete: remove, fact: state },
  ...{ approve: visit, deny: visit, exchange, refresh, read },
  // Each of its readings is made.
  'at-once': async () => undefined,
}

export type Hands = ReturnType<typeof createHands>

/** The two clients and customers at work: names of a history are what the bank gave for them. */
export function createHands(session: Session) {
  const held = createHeld(session)
  return {
    accountsOf: held.accountsOf,
    settledAt: held.settledAt,
    /** Has the bank given tokens for a consent, and how many; is there a refresh token? */
    holds(consent: string): { tokens: number; refresh: boolean } {
      const [newest, ...older] = held.tokensOf(consent)
      if (!newest) return { tokens: 0, refresh: false }
      return { tokens: 1 + older.length, refresh: newest.refreshToken !== undefined }
    },
    /** Makes one move; undefined where the bank gave nothing that it could be made with. */
    async make(move: Move, obligation: Obligation | undefined): Promise<Answer | undefined> {
      const isKnown = (name: string) => held.facts.has(name) || held.codes.has(name)
      if (!namesUsedBy(move).every(isKnown)) return undefined
      return MAKES[move.do](held, move as never, obligation)
    },
  }
}
