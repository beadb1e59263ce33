import { CHAPTERS } from '../../engine/catalogue/catalogue.ts'
import { chapterOf } from '../run/chapters.ts'
import type { Fault } from '../run/proof.ts'
import type { Mixed } from './mixed.ts'
import { compatible, drawPairs, inOrder, metBefore, sameSettings, type Themed } from './pairs.ts'

/**
 * Who shares a bank. Faults whose ids differ are told apart by what fails; freedoms that a bank could
 * take at once are lawful together, or one of them is not. Faults that others hid meet others; a group
 * that shows what none of its members says is separated until each is proven by itself.
 */

/** Faults at most in one bank, or TPPs in one client: with more of them groups hold less often than is gained. */
export const LARGEST = 16

/** Freedoms at most in one bank. */
const FREEDOMS = 12

/** Freedoms that keep musts from being judged at most in one bank. */
const BLOCKING = 4

/** Faults with a freedom each at most in one bank. */
const PAIRS = 4

export type Chaptered = Fault & { chapter: string }

/**
 * Groups of faults that are told apart.
 *
 * @param before ids of those that shared a bank before: they do so again, and others among themselves.
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

/** Those that show where none before them does: what is expected of a fault may have changed. */
function told(group: Chaptered[]): Chaptered[] {
  return group.filter((each, place) => group.slice(0, place).every((other) => apart(each, other)))
}

/** As few groups as hold them all, of about one size; any two of a group suit each other. */
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
 * The two parts in which a group that does not hold is proven: those that others hid and the rest, or else two halves.
 *
 * @param hidden did one not show itself?
 */
export function partsOf<Each>(group: Each[], hidden: (each: Each) => boolean): [Each[], Each[]] {
  const unseen = group.filter(hidden)
  if (unseen.length > 0 && unseen.length < group.length)
    return [unseen, group.filter((each) => !hidden(each))]
  const middle = Math.ceil(group.length / 2)
  return [group.slice(0, middle), group.slice(middle)]
}

/** Do they show at different ids, and in one chapter at different requirements? */
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
 * Groups of freedoms that a bank could take at once, the outermost first. Whom a freedom meets, a draw decides, but
 * for those that were once found wanting together. What keeps musts from being judged meets only its like, which
 * keeps others.
 */
export function groupVariants(variants: Themed[], seed: number): Themed[][] {
  return [...groupBlocking(variants), ...groupSocial(variants, seed)]
}

/** Those of them that keep no must from being judged. */
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

/** The same where the smaller fill what room the larger leave. */
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

/** Pairs that are looked through at once for who suits whom: of all there are it would take minutes. */
const AT_ONCE = 120

/** Groups of faults with a freedom each: the faults of different chapters, the freedoms of different themes. */
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
