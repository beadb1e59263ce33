import { CHAPTERS } from '../engine/catalogue/catalogue.ts'
import { STEP_OWNERS } from '../engine/journey/steps.ts'
import { numbersFrom, type Themed } from './pairs.ts'
import type { Fault, Variant } from './proof.ts'

/**
 * Who shares a bank. Two faults of different chapters, whose ids differ, are told apart by what
 * fails; two freedoms that a bank could take at once are lawful together, or one of them is not.
 * A pair that does not hold is taken apart, and each is proven by itself.
 */
export type Company<Each> = [Each] | [Each, Each]

type Chaptered = Fault & { chapter: string }

/** Pairs of faults: a late chapter disturbs nothing before it, so the last go with the first. */
export function faultsInCompany(faults: Chaptered[]): Company<Chaptered>[] {
  const alone = (fault: Chaptered) =>
    fault.target !== undefined || idsOf(fault).some((id) => STEP_OWNERS.includes(id))
  const social = faults.filter((fault) => !alone(fault))
  const sorted = social.sort((one, other) => placeOf(other) - placeOf(one))
  return [...faults.filter(alone).map((fault): [Chaptered] => [fault]), ...matched(sorted, apart)]
}

function apart(one: Chaptered, other: Chaptered): boolean {
  if (chapterOf(one) === chapterOf(other) || sameSettings(one, other)) return false
  const ids = idsOf(other)
  return idsOf(one).every((id) => !ids.includes(id))
}

const chapterOf = ({ chapter }: Chaptered) => chapter.split('.')[0] as string

const placeOf = (fault: Chaptered) => CHAPTERS.indexOf(chapterOf(fault))

const idsOf = ({ fails, warns = [] }: Fault) => [...fails, ...warns]

/** Pairs of freedoms, drawn with a seed; what warns or blocks is judged by itself. */
export function variantsInCompany(variants: Themed[], seed: number): Company<Themed>[] {
  const alone = ({ warns, blocks, target }: Variant) => warns ?? blocks ?? target
  const random = numbersFrom(seed)
  const drawn = variants
    .filter((variant) => !alone(variant))
    .map((variant) => ({ variant, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ variant }) => variant)
  return [
    ...variants.filter(alone).map((variant): [Themed] => [variant]),
    ...matched(drawn, (one, other) => one.theme !== other.theme && !sameSettings(one, other)),
  ]
}

function sameSettings(one: Fault | Variant, other: Fault | Variant): boolean {
  return Object.keys(one.settings ?? {}).some((name) => name in (other.settings ?? {}))
}

/** Each with the last one that suits it; those whom nobody suits stay alone. */
function matched<Each>(all: Each[], suits: (one: Each, other: Each) => boolean): Company<Each>[] {
  const left = [...all]
  const companies: Company<Each>[] = []
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    const each = one
    const place = left.findLastIndex((other) => suits(each, other))
    const [other] = place < 0 ? [] : left.splice(place, 1)
    companies.push(other === undefined ? [each] : [each, other])
  }
  return companies
}
