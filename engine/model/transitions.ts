import { createCoverage } from './coverage.ts'
import { eventOf, stateOf } from './events.ts'
import type { RecordedMove } from './recorded-moves.ts'
import { after, NOTHING, type Outcome, type World } from './world.ts'

/** What was done with consents in one state. */
export interface Transition {
  /** See stateOf; undefined before there is a consent. */
  from?: string
  /** `read`, `query by another client`, `customer-revokes` */
  event: string
  to?: string
  /** How often it ended in which way. */
  counts: Record<Outcome, number>
}

export interface Transitions {
  transitions: Transition[]
  /** Consents that were created. */
  consents: number
  /** How many different events came, and how many pairs and triples of them, one after the other with one consent. */
  figures: readonly number[]
}

/** The transitions of the consent machine that moves went through. Each consent is followed by itself. */
export function transitionsOf(moves: Iterable<RecordedMove>): Transitions {
  const worlds = new Map<string, { world: World; before: string[] }>()
  const found = new Map<string, Transition>()
  const coverage = createCoverage()
  for (const { consent, ...happened } of moves) {
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
    const one = found.get(key) ?? {
      ...(from !== undefined && { from }),
      ...{
        event: words,
        ...(to !== undefined && { to }),
        counts: { given: 0, refused: 0, unknown: 0 },
      },
    }
    one.counts[happened.outcome] += 1
    found.set(key, one)
  }
  return {
    transitions: [...found.values()],
    consents: worlds.size,
    figures: coverage.figures(),
  }
}

function wordsOf({ consents }: World, id: string, { move }: Omit<RecordedMove, 'consent'>): string {
  const consent = consents.get(id)
  const kind = move.do === 'fact' ? move.fact : move.do
  const others = consent && 'client' in move && move.client !== consent.client
  return others ? `${kind} by another client` : kind
}
