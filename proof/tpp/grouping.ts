import type { Circumstances } from '../run/circumstances.ts'
import { groupsOf } from '../together/grouping.ts'
import type { TppJudges, TppProof } from './prove-tpp.ts'
import { decisionsOf } from './shared-conduct.ts'
import type { ProvenTpp } from './tpp-proof.ts'

/** TPPs of one kind that share a client. */
export interface TppJob {
  kind: TppProof['kind']
  ids: string[]
  under?: Circumstances
}

type Each = { kind: TppProof['kind']; tpp: ProvenTpp }

/**
 * Which TPPs share a client, by id: several wrong ones or several lawful ones. No two of them replace the same decision
 * or expect the same id, so that they are distinguished by what fails. A request that breaks a rule blocks the scenario
 * in which it is refused, so TPPs caught by rules and TPPs caught by scenarios do not share a client.
 */
export function groupTpps(all: Each[], { suites }: Pick<TppJudges, 'suites'>): TppJob[] {
  const rules = suites.rules.map(({ id }) => id)
  const sortOf = ({ kind, tpp }: Each) => {
    if (tpp.stops || tpp.goals) return 'alone'
    const byRule = new Set(idsOf(tpp).map((id) => rules.includes(id)))
    return [kind, ...[...byRule].sort()].join()
  }
  return [...new Set(all.map(sortOf))]
    .flatMap((sort) => {
      const some = all.filter((each) => sortOf(each) === sort)
      return groupsOf(some, (one, other) => sort !== 'alone' && apart(one.tpp, other.tpp))
    })
    .map(jobOf)
    .sort((one, other) => other.ids.length - one.ids.length)
}

/** Each TPP in its own client. */
export function tppsAlone(all: Each[]): TppJob[] {
  return all.map((each) => jobOf([each]))
}

const jobOf = (group: Each[]): TppJob => ({
  kind: group[0]?.kind ?? 'wrong',
  ids: group.map(({ tpp }) => tpp.id),
})

const apart = (one: ProvenTpp, other: ProvenTpp) =>
  differ(decisionsOf(one), decisionsOf(other)) && differ(idsOf(one), idsOf(other))

const differ = (some: string[], others: string[]) => some.every((each) => !others.includes(each))

const idsOf = ({ fails = [], warns = [] }: ProvenTpp) => [...fails, ...warns]
