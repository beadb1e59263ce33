import type { HookName } from '../configuration/target.ts'
import { type History, isVisit, type Move, partiesOf, visitName } from '../model/moves.ts'
import { type CheckOptions, check, type Need } from './check.ts'

/**
 * A check that replays a history found by `assay explore`, move by move; a violation of its requirement is its finding.
 * It runs after everything that reads, because it may end what others need.
 *
 * @param id requirement and slug, as for every check.
 * @param title a sentence about the bank.
 * @param moves the history, with its own consents.
 * @throws if the id is taken.
 */
export function historyCheck(id: string, title: string, moves: History): void {
  check(id, title, optionsOf(id, moves), (context) =>
    context.playHistory({ id, of: id, moves }, context.observe),
  )
}

/** What the moves cost and what they need. */
function optionsOf(id: string, moves: History): CheckOptions {
  const visits = moves.filter(isVisit)
  const names = (fits: (move: Move) => boolean) =>
    visits.filter(fits).map((move) => visitName(id, move))
  const grants = names(({ do: kind }) => kind === 'approve')
  const [denial, ...refusals] = names(({ do: kind }) => kind === 'deny')
  const refused = [...refusals, ...names(({ do: kind }) => kind === 'wrong')]
  return {
    last: true,
    needs: needsOf(moves),
    ...(grants.length > 0 && { grants }),
    ...(denial !== undefined && { denial }),
    ...(refused.length > 0 && { refusals: refused }),
  }
}

function needsOf(moves: History): Need[] {
  const parties = moves.map(partiesOf)
  const facts = new Set(moves.flatMap((move) => (move.do === 'fact' ? [move.fact] : [])))
  return [
    ...(parties.some(({ client }) => client === 'second') ? ['clients.second' as const] : []),
    ...(parties.some(({ customer }) => customer === 'second') ? ['customers.second' as const] : []),
    ...[...facts].map((fact: HookName) => `hooks.${fact}` as const),
  ]
}
