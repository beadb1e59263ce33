import type { Told } from '../client/messages.ts'
import type { Session } from '../client-session/session.ts'
import type { TokenSet } from '../client-session/tokens.ts'
import type { Granted } from '../client-session/visit.ts'
import type { Row } from '../judge/data-rows.ts'
import { type Move, moveWords, namesUsedBy, type Party, type RequestMove } from '../model/moves.ts'
import type { Obligation } from '../model/sentences.ts'
import type { ConsentState, Outcome } from '../model/world.ts'
import { now } from '../record/clock.ts'
import { percentEncoded } from '../record/percent.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { Reading } from './rows.ts'
import type { WrongRequest } from './wrong-values.ts'

/** The result of a move. */
export interface Answer {
  outcome: Outcome
  /** The judged exchange; absent if only a person or a hook saw it. */
  exchange?: Exchange
  /** What came, where the status does not show it. */
  words?: string
  refreshable?: boolean
  reading?: Reading
  /** Repeats the request, if it changes nothing. */
  again?: () => Promise<Answer>
}

/** What is needed for a move besides the move itself. */
export interface Asked {
  obligation?: Obligation
  /** What rules are told about its request, including its fault. */
  deviation: Told
  /** The fault of the request. */
  wrong: WrongRequest
}

/** How to make a kind of move; undefined if the bank issued nothing with which it could be made. */
export type Make<Kind extends Move['do']> = (
  held: Held,
  move: Extract<Move, { do: Kind }>,
  asked: Asked,
) => Promise<Answer | undefined>

type HeldConsent = ConsentFacts & { kind: ConsentState['kind']; client: Party }

/** What the bank issued for the names of one history. */
export type Held = ReturnType<typeof createHeld>

/**
 * @param name prefix of the names of visits
 * @param given ids of all consents that the bank created, in any history; the function adds to it
 */
export function createHeld(session: Session, name: string, given: Set<string>) {
  const facts = new Map<string, HeldConsent>()
  const tokens = new Map<string, TokenSet[]>()
  const ended = new Map<string, number>()
  const issued = new Map<string, number>()
  const seen = new Map<string, Row[]>()
  const settlingAfter = (times: ReadonlyMap<string, number>, move: Move) =>
    Math.max(0, ...namesUsedBy(move).map((name) => times.get(name) ?? 0)) +
    session.target.settlingTime
  return {
    session,
    name,
    facts,
    given,
    keep(consent: string, of: HeldConsent): void {
      given.add(of.id)
      facts.set(consent, of)
    },
    /** `at`: when the bank issued it, in milliseconds since the epoch. */
    codes: new Map<string, Granted & { consent: string; customer: Party; at: number }>(),
    /** Consent → when it ended, in milliseconds since the epoch. */
    ended,
    /** Consent and list → the rows of its last answer without a filter, while the customer was present. */
    seen,
    /** The name of the consent that a request concerns. */
    consentOf(move: RequestMove): string {
      return move.do === 'exchange' ? (this.codes.get(move.code)?.consent ?? '') : move.consent
    },
    /** The tokens of a consent, the newest first. */
    tokensOf: (consent: string): readonly TokenSet[] => tokens.get(consent) ?? [],
    hold(consent: string, given: TokenSet): void {
      issued.set(consent, now())
      tokens.set(consent, [given, ...(tokens.get(consent) ?? [])])
    },
    /** The AccountIds that were last seen under a consent. */
    accountsOf(consent: string): string[] {
      const ids = ['accounts', 'balances', 'transactions']
        .flatMap((what) => seen.get(`${consent} ${what}`) ?? [])
        .map(({ AccountId }) => AccountId)
      return [...new Set(ids.filter((id) => typeof id === 'string'))]
    },
    /** An account of the other customer only; the accounts of this consent's customer must be known. */
    foreignAccountOf(consent: string): string | undefined {
      const customerOf = (name: string) =>
        [...this.codes.values()].findLast((code) => code.consent === name)?.customer
      if (!seen.has(`${consent} accounts`)) return undefined
      const own = this.accountsOf(consent)
      const others = [...facts.keys()].filter(
        (name) => customerOf(name) !== undefined && customerOf(name) !== customerOf(consent),
      )
      return others.flatMap((name) => this.accountsOf(name)).find((id) => !own.includes(id))
    },
    pathOf(consent: string, segment?: string): string {
      const { id = '', kind } = facts.get(consent) ?? {}
      const base =
        kind === 'funds-confirmation' ? '/funds-confirmation-consents' : '/account-access-consents'
      return `${base}/${segment ?? percentEncoded(id)}`
    },
    /** Milliseconds since the epoch from which the end of what a move names must have taken effect. */
    settledAt: (move: Move): number => settlingAfter(ended, move),
    /** The same from which every server must know the newest tokens of what a move names. */
    knownAt: (move: Move): number => settlingAfter(issued, move),
  }
}

/** What rules are told about a request that may or must be refused. */
export function told(move: Move, obligation: Obligation | undefined): Told {
  if (obligation?.answer === 'refused') return { deviation: moveWords(move) }
  return obligation ? {} : { about: { optional: true as const } }
}
