import type { Move } from '../model/moves.ts'
import { obligationOf } from '../model/sentences.ts'
import type { ConsentState, World } from '../model/world.ts'

/** How often moves followed one another, in all histories of an exploration. */
export type Coverage = ReturnType<typeof createCoverage>

export interface Counted {
  name: string
  count: number
}

/** Counts events, pairs and triples of them. */
export function createCoverage() {
  const counts = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const keyOf = (events: readonly string[]) => events.join(' → ')
  return {
    /** How often this event came after those before it, most of all as the end of a triple. */
    seen(before: readonly string[], event: string): number {
      const recent = [...before.slice(-2), event]
      return recent
        .map((_, index) => recent.slice(index))
        .reduce((sum, one) => sum + (counts[one.length - 1]?.get(keyOf(one)) ?? 0) ** 0.5, 0)
    },
    note(before: readonly string[], event: string): void {
      const recent = [...before.slice(-2), event]
      for (const [index] of recent.entries()) {
        const one = recent.slice(index)
        const of = counts[one.length - 1]
        of?.set(keyOf(one), (of.get(keyOf(one)) ?? 0) + 1)
      }
    },
    /** Events by how often they came. */
    events: (): Counted[] =>
      [...(counts[0] ?? [])]
        .map(([name, count]) => ({ name, count }))
        .sort((one, other) => other.count - one.count),
    /** How many different events, pairs and triples came. */
    figures: () => counts.map((of) => of.size),
  }
}

/** What kind of move it is in this world, whatever the names: `delete approved by another client`. */
export function eventOf(world: World, move: Move): string {
  if (move.do === 'at-once')
    return `at once ${move.reads
      .map(({ what }) => what)
      .sort()
      .join(' ')}`
  if (move.do === 'wrong') return `${eventOf(world, move.in)}, ${move.value.split(':')[0]} wrong`
  if (move.do === 'look') return `look at ${move.at}`
  if (move.do === 'create') return 'create'
  if (move.do === 'create-funds') return 'create-funds'
  const name = move.do === 'exchange' ? world.codes.get(move.code)?.consent : move.consent
  const consent = world.consents.get(name ?? '')
  const words = [
    move.do === 'fact' ? move.fact : move.do,
    'what' in move && move.what,
    consent && stateOf(consent),
  ]
  if ('client' in move && consent && move.client !== consent.client) words.push('by another client')
  if (move.do === 'exchange' && world.codes.get(move.code)?.sent) words.push('again')
  if (move.do === 'read' && (move.from !== undefined || move.to !== undefined))
    words.push('filtered')
  if (move.do === 'read' && !move.present) words.push('absent')
  if (obligationOf(world, move)?.answer === 'refused') words.push('refused')
  return words.filter((word) => word !== false && word !== undefined).join(' ')
}

function stateOf({ kind, end, approval, tokens, lapsed }: ConsentState): string {
  if (kind === 'funds-confirmation') return end ? `funds ${end.how}` : 'funds'
  if (end) return end.how
  if (lapsed) return 'lapsed'
  if (!approval) return 'waiting'
  return tokens ? 'in use' : 'approved'
}
