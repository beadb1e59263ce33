import type { Move } from './moves.ts'
import { obligationOf } from './sentences.ts'
import type { ConsentState, World } from './world.ts'

/** The kind of a move in this world, independent of names: `delete approved by another client`. */
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

/** State of a consent: `waiting`, `approved`, `in use`, `lapsed`, `deleted`, `revoked`, `expired`, `funds`. */
export function stateOf({ kind, end, approval, tokens, lapsed }: ConsentState): string {
  if (kind === 'funds-confirmation') return end ? `funds ${end.how}` : 'funds'
  if (end) return end.how
  if (lapsed) return 'lapsed'
  if (!approval) return 'waiting'
  return tokens ? 'in use' : 'approved'
}
