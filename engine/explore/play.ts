import { setTimeout as wait } from 'node:timers/promises'
import type { Session } from '../client-session/session.ts'
import { traced } from '../client-session/trace.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import type { History, Move } from '../model/moves.ts'
import { type Obligation, obligationOf, requirementOf } from '../model/sentences.ts'
import { after, type Happened, NOTHING, type World } from '../model/world.ts'
import { now } from '../record/clock.ts'
import type { Exchange } from '../wire/exchange.ts'
import { findingIn } from './answers.ts'
import type { Found } from './found.ts'
import { createHands, type Hands } from './hands.ts'
import type { Answer } from './held.ts'
import { comparedRows } from './rows.ts'
import type { WrongValue } from './wrong-values.ts'

/** A move and its result. */
export interface Step {
  move: Move
  exchanges: Exchange[]
  happened?: Happened
  found?: Found
}

export interface Played {
  steps: Step[]
  /** The first violation; it ends the history. */
  found?: Found
  /** Why it could not be played to its end: a failure that says nothing about the bank. */
  stopped?: Blocked | NotApplicable
}

/** Gives the next move, based on what is known; undefined ends the history. */
export type Next = (world: World, hands: Hands) => Move | undefined

/** The bank that is explored. */
export interface Bank {
  session: Session
  /** Prefix of the names of visits: `explore`, or the id of a check. */
  name: string
  /** Wrong values that requests may contain. */
  values: readonly WrongValue[]
  /** Ids of consents that it created so far. */
  given: Set<string>
  broken: Broken
}

/** Returns what a rule found at one of these exchanges. */
export type Broken = (exchanges: readonly Exchange[]) => Found | undefined

/**
 * Plays moves at the bank until one finds something, or none is left. What it creates is deleted when the session is
 * cleaned up.
 */
export async function play(bank: Bank, next: Next): Promise<Played> {
  const { broken } = bank
  const hands = createHands(bank)
  const steps: Step[] = []
  const served: Served = new Map()
  let world = NOTHING
  for (let move = next(world, hands); move; move = next(world, hands)) {
    const step: Step = { move, exchanges: [] }
    steps.push(step)
    try {
      await made(step, { world, hands, served })
    } catch (error) {
      if (!(error instanceof Blocked || error instanceof NotApplicable)) throw error
      return { steps, stopped: error }
    }
    step.found ??= broken(step.exchanges)
    if (step.found) return { steps, found: step.found }
    if (step.happened) world = after(world, step.happened)
  }
  return { steps }
}

/** Consent and kind of move → the moment at which the bank last did it. */
type Served = Map<string, number>

/** Makes the move of a step, and judges each of its answers. */
async function made(
  step: Step,
  { world, hands, served }: { world: World; hands: Hands; served: Served },
): Promise<void> {
  const { move } = step
  const single = move.do === 'at-once' ? move.reads : [move]
  await traced('explore', async ({ exchanges }) => {
    step.exchanges = exchanges
    const answers = await Promise.all(
      single.map(async (one) => {
        const obligation = obligationOf(world, one)
        return { one, obligation, answer: await hands.make(one, obligation) }
      }),
    )
    for (const { one, obligation, answer } of answers) {
      if (!answer) continue
      const { found, outcome } = await judged(
        one,
        answer,
        { obligation, isAlone: single.length === 1 },
        hands,
      )
      const key = keyOf(one)
      if (found && obligation) {
        const consent = 'consent' in one ? world.consents.get(one.consent) : undefined
        found.id = requirementOf(obligation, consent, served.get(key) ?? 0)
      }
      if (outcome === 'given') served.set(key, world.moment + 1)
      step.found ??= found
      if (outcome === 'given' && one.do === 'read' && answer.reading) {
        step.found ??= await comparedRows(one, answer.reading)
      }
      const { refreshable } = answer
      if (move === one) step.happened = { move, outcome, ...(refreshable && { refreshable }) }
    }
    if (move.do === 'at-once') step.happened = { move, outcome: 'given' }
  })
}

const keyOf = (move: Move) =>
  `${move.do} ${'consent' in move ? move.consent : ''} ${'what' in move ? move.what : ''}`

/**
 * Judges an answer by the documents. If an end has not taken effect yet, or a token is new, the request is repeated when it
 * must be known. A refused read that was sent beside another one is repeated alone.
 */
async function judged(
  move: Move,
  answer: Answer,
  { obligation, isAlone }: { obligation: Obligation | undefined; isAlone: boolean },
  hands: Hands,
): Promise<{ outcome: Answer['outcome']; found?: Found }> {
  const find = ({ exchange, outcome, words }: Answer) => {
    const finding = exchange && findingIn(exchange, outcome, obligation, words)
    return finding && { id: obligation?.requirement ?? '', ...finding, exchange: exchange.id }
  }
  const found = find(answer)
  const isRefused = answer.outcome === 'refused'
  // While the customer is present, a request with a new token is repeated as any other of a run.
  const isNew = isRefused && move.do === 'read' && !move.present
  const since = Math.max(hands.settledAt(move), isNew ? hands.knownAt(move) : 0)
  const left = since - now()
  const isOver = left <= 0 && (isAlone || !isRefused)
  if (!found || !answer.again || isOver) return { outcome: answer.outcome, found }
  await wait(Math.max(0, left))
  const again = await answer.again()
  return { outcome: again.outcome, found: find(again) }
}

/** Gives the moves of a history one after the other. */
export function movesOf(history: History): Next {
  const rest = [...history]
  return () => rest.shift()
}
