import type { Transition, Transitions } from '../record/transition.ts'
import { createCoverage } from './coverage.ts'
import { eventOf, stateOf } from './events.ts'
import { type RecordedMove, recordedMoves, type SeenExchange } from './recorded-moves.ts'
import { after, NOTHING, type World } from './world.ts'

/** Follows each consent through the states of the documents, exchange by exchange. */
export function createTransitions() {
  const worlds = new Map<string, { world: World; before: string[] }>()
  const found = new Map<string, Transition>()
  const coverage = createCoverage()
  const movesIn = recordedMoves()

  const add = ({ consent, ...happened }: RecordedMove) => {
    const of = worlds.get(consent) ?? { world: NOTHING, before: [] }
    worlds.set(consent, of)
    const { world } = of
    const event = eventOf(world, happened.move)
    coverage.note(of.before, event)
    of.before = [...of.before.slice(-1), event]
    of.world = after(world, happened)
    const [from, to] = [world, of.world].map(({ consents }) => {
      const state = consents.get(consent)
      return state && stateOf(state)
    })
    const words = wordsOf(world, consent, happened)
    const key = [from, words, to].join(' → ')
    const counts = { given: 0, refused: 0, unknown: 0 }
    const one = found.get(key) ?? {
      ...(from !== undefined && { from }),
      ...{ event: words, ...(to !== undefined && { to }), counts },
    }
    one.counts[happened.outcome] += 1
    found.set(key, one)
  }

  return {
    note(exchange: SeenExchange): void {
      for (const move of movesIn(exchange)) add(move)
    },
    result: (): Transitions => ({
      transitions: [...found.values()],
      consents: worlds.size,
      figures: coverage.figures(),
    }),
  }
}

/** The transitions that exchanges show. */
export function transitionsOf(exchanges: Iterable<SeenExchange>): Transitions {
  const transitions = createTransitions()
  for (const exchange of exchanges) transitions.note(exchange)
  return transitions.result()
}

function wordsOf({ consents }: World, id: string, { move }: Omit<RecordedMove, 'consent'>): string {
  const consent = consents.get(id)
  const kind = move.do === 'fact' ? move.fact : move.do
  const others = consent && 'client' in move && move.client !== consent.client
  return others ? `${kind} by another client` : kind
}
