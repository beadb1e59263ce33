import { chapterOf, themeOf, themesOf } from '../run/chapters.ts'
import type { Fault, Judged, Variant } from '../run/proof.ts'
import { sameSettings, type Themed } from './pairs.ts'

type Chaptered = Fault & { chapter: string }

/**
 * A fault at a bank that also takes a freedom of the fault's chapter: it must still be found. A freedom that hides a
 * fault is worse than a freedom that is reported as a fault, because nobody notices.
 */
export type Mixed = [Chaptered, Themed]

export const mixedName = ([fault, variant]: Mixed) => `${fault.id} + ${variant.id}`

/** Faults that a freedom once hid: these pairs are in every proof. */
export const HID: readonly (readonly [fault: string, variant: string])[] = [
  ['refresh-without-client-authentication', 'refresh-tokens-rotate'],
  ['refresh-tokens-of-the-first-client-for-the-second', 'refresh-tokens-rotate'],
  ['revocation-leaves-update-time', 'date-times-spelt-in-any-way'],
  ['denial-leaves-update-time', 'date-times-spelt-in-any-way'],
  ['approval-with-the-second-client-leaves-update-time', 'date-times-spelt-in-any-way'],
  ['last-row-twice-account-transactions-both-filters', 'transaction-ids-come-and-go'],
]

/** The pairs of HID whose members are among these. */
export function hidBefore(faults: Chaptered[], variants: Themed[]): Mixed[] {
  return HID.flatMap(([one, other]) => {
    const fault = faults.find(({ id }) => id === one)
    const variant = variants.find(({ id }) => id === other)
    return fault && variant ? [[fault, variant] satisfies Mixed] : []
  })
}

/** Every fault with every freedom of its chapter that a bank could take at the same time. */
export function allMixed(faults: Chaptered[], variants: Themed[]): Mixed[] {
  return faults.flatMap((fault) => {
    const themes = themesOf(chapterOf(fault))
    return variants
      .filter((variant) => themes.includes(themeOf(variant)) && together(fault, variant))
      .map((variant): Mixed => [fault, variant])
  })
}

function together(fault: Fault, variant: Variant): boolean {
  // With less data, less of a fault is visible; other proofs show that a check then says so.
  if (fault.target || variant.target || variant.silent) return false
  return !sameSettings(fault, variant)
}

const idsOf = ({ fails, warns = [] }: Fault) => [...fails, ...warns]

/** Is a fault found by its own checks, or by others of its chapter? Ids that `others` expect do not count. */
export function isFound(
  fault: Chaptered,
  { fails, warns }: Judged,
  chapterOfId: (id: string) => string | undefined,
  others: Fault[] = [],
): boolean {
  const own = idsOf(fault)
  const theirs = others.flatMap(idsOf)
  return [...fails, ...warns].some(
    (id) => own.includes(id) || (chapterOfId(id) === chapterOf(fault) && !theirs.includes(id)),
  )
}

/**
 * What is wrong with the result for a bank with both: the fault is not found, or something ended with an error. The
 * checks of the chapter that find it, and its side effects, may differ, because a freedom can hide a part of a fault or
 * move it to another request. What each does alone is proven exactly. If every check that finds the fault says why it
 * cannot judge such a bank, nothing is hidden.
 */
export function mixedComplaints(
  [fault, variant]: Mixed,
  judged: Judged,
  chapterOfId: (id: string) => string | undefined,
): string[] {
  const found = isFound(fault, judged, chapterOfId)
  const passed = idsOf(fault).some((id) => judged.messages[id] === undefined)
  return [
    ...(judged.fired > 0 && !found && passed ? [`${variant.id} hides ${fault.id}`] : []),
    ...judged.errors.map((id) => `error in ${id}: ${judged.messages[id] ?? ''}`),
  ]
}
