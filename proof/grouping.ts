import { CHAPTERS } from '../engine/catalogue/catalogue.ts'
import { OWNERS } from '../suites/owners.ts'
import { chapterOf } from './chapters.ts'
import { inOrder, numbersFrom, type Themed } from './pairs.ts'
import type { Fault, Variant } from './proof.ts'

/**
 * Who shares a bank. Faults of different chapters, whose ids differ, are told apart by what fails; two
 * freedoms that a bank could take at once are lawful together, or one of them is not. A group that
 * does not hold is halved until each is proven by itself.
 */

/** Faults at most in one bank: with more of them groups hold less often than is gained. */
const LARGEST = 6

type Chaptered = Fault & { chapter: string }

const STEPS: readonly string[] = Object.values(OWNERS)

/** Groups of faults, each with room for one of a chapter. */
export function groupFaults(faults: Chaptered[], largest = LARGEST): Chaptered[][] {
  const alone = (fault: Chaptered) =>
    fault.target !== undefined || idsOf(fault).some((id) => STEPS.includes(id))
  const social = faults
    .filter((fault) => !alone(fault))
    .sort((one, other) => placeOf(other) - placeOf(one))
  return [...faults.filter(alone).map((fault) => [fault]), ...groupsOf(social, apart, largest)]
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

/** Proves a group that does not hold in two halves. */
export async function inHalves<Each, Proof>(
  group: Each[],
  prove: (half: Each[]) => Promise<Proof[]>,
): Promise<Proof[]> {
  const middle = Math.ceil(group.length / 2)
  return [...(await prove(group.slice(0, middle))), ...(await prove(group.slice(middle)))]
}

function apart(one: Chaptered, other: Chaptered): boolean {
  if (chapterOf(one) === chapterOf(other) || sameSettings(one, other)) return false
  const ids = idsOf(other)
  return idsOf(one).every((id) => !ids.includes(id))
}

const placeOf = (fault: Chaptered) => CHAPTERS.indexOf(chapterOf(fault))

const idsOf = ({ fails, warns = [] }: Fault) => [...fails, ...warns]

/** Pairs of freedoms, drawn with a seed, the outermost first; what warns or blocks is judged by itself. */
export function pairVariants(variants: Themed[], seed: number): Themed[][] {
  const alone = ({ warns, blocks, target }: Variant) => warns ?? blocks ?? target
  const random = numbersFrom(seed)
  const drawn = variants
    .filter((variant) => !alone(variant))
    .map((variant) => ({ variant, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ variant }) => variant)
  return [
    ...variants.filter(alone).map((variant) => [variant]),
    ...matched(drawn, (one, other) => one.theme !== other.theme && !sameSettings(one, other)).map(
      inOrder,
    ),
  ]
}

function sameSettings(one: Fault | Variant, other: Fault | Variant): boolean {
  return Object.keys(one.settings ?? {}).some((name) => name in (other.settings ?? {}))
}

/** Each with the last one that suits it; those whom nobody suits stay alone. */
function matched<Each>(all: Each[], suits: (one: Each, other: Each) => boolean): Each[][] {
  const left = [...all]
  const pairings: Each[][] = []
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    const each = one
    const place = left.findLastIndex((other) => suits(each, other))
    const [other] = place < 0 ? [] : left.splice(place, 1)
    pairings.push(other === undefined ? [each] : [each, other])
  }
  return pairings
}
