import { CHAPTERS } from '../../engine/catalogue/catalogue.ts'
import { chapterOf } from '../run/chapters.ts'
import type { Fault } from '../run/proof.ts'
import type { Mixed } from './mixed.ts'
import { compatible, drawPairs, inOrder, metBefore, sameSettings, type Themed } from './pairs.ts'

/**
 * Decides which alterations share a bank. Faults with different ids are distinguished by what fails. Freedoms that a
 * bank could take at once must be lawful together, or one of them is not lawful. Faults that others hid get another
 * group. A group with an unexpected result is split until each member is proven alone.
 */

/** Maximum number of faults in one bank, or of TPPs in one client; larger groups fail too often. */
export const LARGEST = 16

/** Maximum number of freedoms in one bank. */
const FREEDOMS = 12

/** Maximum number of freedoms in one bank that block musts. */
const BLOCKING = 4

/** Maximum number of pairs of a fault and a freedom in one bank. */
const PAIRS = 4

export type Chaptered = Fault & { chapter: string }

/**
 * Groups of faults that can be distinguished.
 *
 * @param before ids of groups that shared a bank before: they do so again; other faults form new groups.
 */
export function groupFaults(
  faults: Chaptered[],
  largest = LARGEST,
  before: readonly (readonly string[])[] = [],
): Chaptered[][] {
  const social = faults
    .filter((fault) => !alone(fault))
    .sort((one, other) => placeOf(other) - placeOf(one))
  const again = before.map((ids) => told(social.filter(({ id }) => ids.includes(id))))
  const others = social.filter((fault) => !again.some((group) => group.includes(fault)))
  return [
    ...faults.filter(alone).map((fault) => [fault]),
    ...again.filter(({ length }) => length > 0),
    ...groupsOf(others, apart, largest),
  ]
}

const alone = ({ target, stops }: Fault) => target !== undefined || stops === true

/** The faults that differ from all before them in the group; expectations may have changed since it was formed. */
function told(group: Chaptered[]): Chaptered[] {
  return group.filter((each, place) => group.slice(0, place).every((other) => apart(each, other)))
}

/** As few groups of similar size as possible; any two members of a group are compatible. */
export function groupsOf<Each>(
  all: Each[],
  suits: (one: Each, other: Each) => boolean,
  largest = LARGEST,
): Each[][] {
  const groups: Each[][] = Array.from({ length: Math.ceil(all.length / largest) }, () => [])
  for (const each of all) {
    const room = groups
      .filter((group) => group.length < largest && group.every((other) => suits(each, other)))
      .sort((one, other) => one.length - other.length)
    if (room[0]) room[0].push(each)
    else groups.push([each])
  }
  return groups
}

/**
 * The two parts in which a group that does not hold is proven: hidden members and the others, or else two halves.
 *
 * @param hidden was this member hidden by others?
 */
export function partsOf<Each>(group: Each[], hidden: (each: Each) => boolean): [Each[], Each[]] {
  const unseen = group.filter(hidden)
  if (unseen.length > 0 && unseen.length < group.length)
    return [unseen, group.filter((each) => !hidden(each))]
  const middle = Math.ceil(group.length / 2)
  return [group.slice(0, middle), group.slice(middle)]
}

/** Do they fail different ids and, within one chapter, different requirements? */
export function apart(one: Chaptered, other: Chaptered): boolean {
  if (sameSettings(one, other)) return false
  const touched = chapterOf(one) === chapterOf(other) ? requirementsOf : idsOf
  const others = touched(other)
  return touched(one).every((each) => !others.includes(each))
}

const requirementsOf = (fault: Fault) => idsOf(fault).map((id) => id.split('/')[0])

const placeOf = (fault: Chaptered) => CHAPTERS.indexOf(chapterOf(fault))

const idsOf = ({ fails, warns = [] }: Fault) => [...fails, ...warns]

/**
 * Groups of freedoms that a bank could take at once, the outermost first. A draw decides which freedoms are combined,
 * except for pairs that once caused a wrong verdict. Freedoms that block musts are only combined with others that block
 * different musts.
 */
export function groupVariants(variants: Themed[], seed: number): Themed[][] {
  return [...groupBlocking(variants), ...groupSocial(variants, seed)]
}

/** Groups of the freedoms that block no must. */
export function groupSocial(variants: Themed[], seed: number): Themed[][] {
  const social = variants.filter(({ blocks }) => blocks === undefined)
  const groups = new Map(social.map((variant) => [variant, [variant]]))
  for (const pair of [...metBefore(social), ...drawPairs(social, seed)]) {
    const [one, other] = pair.map((variant) => groups.get(variant) ?? [])
    if (!one || !other || one === other || !couldBeOne(one, other)) continue
    const both = [...one, ...other]
    for (const variant of both) groups.set(variant, both)
  }
  return joined([...new Set(groups.values())]).map(inOrder)
}

function groupBlocking(variants: Themed[]): Themed[][] {
  const blocking = variants.filter(({ blocks }) => blocks !== undefined)
  const suit = (one: Themed, other: Themed) =>
    compatible(one, other) && !one.blocks?.some((id) => other.blocks?.includes(id))
  return groupsOf(blocking, suit, BLOCKING).map(inOrder)
}

/** Merges groups: smaller ones fill the room that larger ones leave. */
function joined(groups: Themed[][]): Themed[][] {
  const full: Themed[][] = []
  for (const group of groups.toSorted((one, other) => other.length - one.length)) {
    const room = full.find((other) => couldBeOne(group, other))
    if (room) room.push(...group)
    else full.push([...group])
  }
  return full
}

const couldBeOne = (one: Themed[], other: Themed[]) =>
  one.length + other.length <= FREEDOMS &&
  one.every((each) => other.every((another) => compatible(each, another)))

/** Number of pairs that are grouped at once; all pairs together would take minutes. */
const AT_ONCE = 120

/** Groups of faults with a freedom each: faults of different chapters, freedoms of different themes. */
export function groupMixed(pairs: Mixed[]): Mixed[][] {
  if (pairs.length > AT_ONCE)
    return [...groupMixed(pairs.slice(0, AT_ONCE)), ...groupMixed(pairs.slice(AT_ONCE))]
  const alone = ([{ stops }]: Mixed) => stops === true
  const social = pairs.filter((pair) => !alone(pair))
  return [...pairs.filter(alone).map((pair) => [pair]), ...groupsOf(social, suit, PAIRS)]
}

const suit = ([fault, variant]: Mixed, [other, another]: Mixed) =>
  chapterOf(fault) !== chapterOf(other) &&
  apart(fault, other) &&
  compatible(variant, another) &&
  !sameSettings(fault, another) &&
  !sameSettings(other, variant)
