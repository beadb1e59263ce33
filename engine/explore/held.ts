import type { Told } from '../client/messages.ts'
import type { Session } from '../client-session/session.ts'
import type { TokenSet } from '../client-session/tokens.ts'
import type { Granted } from '../client-session/visit.ts'
import type { Row } from '../judge/data-rows.ts'
import { type Move, moveWords, namesUsedBy, type Party } from '../model/moves.ts'
import type { Obligation } from '../model/sentences.ts'
import type { ConsentState, Outcome } from '../model/world.ts'
import { percentEncoded } from '../record/percent.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { Reading } from './rows.ts'
import type { WrongRequest } from './wrong-values.ts'

/** What a move led to. */
export interface Answer {
  outcome: Outcome
  /** What is judged; absent where a person or a hook alone saw it. */
  exchange?: Exchange
  /** What came, where its status does not say it. */
  words?: string
  refreshable?: boolean
  reading?: Reading
  /** Asks once more, where that changes nothing. */
  again?: () => Promise<Answer>
}

/** What is asked of a move beside what it is. */
export interface Asked {
  obligation?: Obligation
  /** What rules are told of its request, and what is wrong with that. */
  deviation: Told
  /** What is wrong with it. */
  wrong: WrongRequest
}

/** How a kind of move is made; undefined where the bank gave nothing that it could be made with. */
export type Make<Kind extends Move['do']> = (
  held: Held,
  move: Extract<Move, { do: Kind }>,
  asked: Asked,
) => Promise<Answer | undefined>

type HeldConsent = ConsentFacts & { kind: ConsentState['kind']; client: Party }

/** What the bank gave for the names of one history. */
export type Held = ReturnType<typeof createHeld>

/**
 * @param name before the names of visits
 * @param given ids of consents that the bank ever gave, in whatever history: they grow here
 */
export function createHeld(session: Session, name: string, given: Set<string>) {
  const facts = new Map<string, HeldConsent>()
  const tokens = new Map<string, TokenSet[]>()
  const ended = new Map<string, number>()
  const seen = new Map<string, Row[]>()
  return {
    session,
    name,
    facts,
    given,
    keep(consent: string, of: HeldConsent): void {
      given.add(of.id)
      facts.set(consent, of)
    },
    /** `at`: when the bank gave it, in milliseconds since the epoch. */
    codes: new Map<string, Granted & { consent: string; customer: Party; at: number }>(),
    /** Consent → when its end came, in milliseconds since the epoch. */
    ended,
    /** Consent and list → the rows of its last answer without a filter, while the customer was present. */
    seen,
    /** The tokens of a consent, the newest first. */
    tokensOf: (consent: string): readonly TokenSet[] => tokens.get(consent) ?? [],
    hold(consent: string, given: TokenSet): void {
      tokens.set(consent, [given, ...(tokens.get(consent) ?? [])])
    },
    /** The AccountIds that were seen last under a consent. */
    accountsOf(consent: string): string[] {
      const ids = ['accounts', 'balances', 'transactions']
        .flatMap((what) => seen.get(`${consent} ${what}`) ?? [])
        .map(({ AccountId }) => AccountId)
      return [...new Set(ids.filter((id) => typeof id === 'string'))]
    },
    /** An account of the other customer that the customer of this consent has not: its accounts must have been seen. */
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
    /** Milliseconds since the epoch from which on the end of what a move names must show. */
    settledAt: (move: Move): number =>
      Math.max(0, ...namesUsedBy(move).map((name) => ended.get(name) ?? 0)) +
      session.target.settlingTime,
  }
}

/** What rules are told of a request that may be refused, or must be. */
export function told(move: Move, obligation: Obligation | undefined): Told {
  if (obligation?.answer === 'refused') return { deviation: moveWords(move) }
  return obligation ? {} : { about: { optional: true as const } }
}
