import { chapterOf, themeOf, themesOf } from '../run/chapters.ts'
import type { Fault, Judged, Variant } from '../run/proof.ts'
import { sameSettings, type Themed } from './pairs.ts'

type Chaptered = Fault & { chapter: string }

/**
 * A fault at a bank that takes a freedom of the fault's chapter: it must be found there too. A freedom
 * that hides a fault is worse than one that is taken for a fault: nobody notices.
 */
export type Mixed = [Chaptered, Themed]

export const mixedName = ([fault, variant]: Mixed) => `${fault.id} + ${variant.id}`

/** Faults that a freedom once hid: they meet in every proof. */
export const HID: readonly (readonly [fault: string, variant: string])[] = [
  ['refresh-without-client-authentication', 'refresh-tokens-rotate'],
  ['refresh-tokens-of-the-first-client-for-the-second', 'refresh-tokens-rotate'],
  ['revocation-leaves-update-time', 'date-times-spelt-in-any-way'],
  ['denial-leaves-update-time', 'date-times-spelt-in-any-way'],
  ['approval-with-the-second-client-leaves-update-time', 'date-times-spelt-in-any-way'],
  ['last-row-twice-account-transactions-both-filters', 'transaction-ids-come-and-go'],
]

/** Those of them that are among these. */
export function hidBefore(faults: Chaptered[], variants: Themed[]): Mixed[] {
  return HID.flatMap(([one, other]) => {
    const fault = faults.find(({ id }) => id === one)
    const variant = variants.find(({ id }) => id === other)
    return fault && variant ? [[fault, variant] satisfies Mixed] : []
  })
}

/** Every fault with every freedom of its chapter that a bank could have beside it. */
export function allMixed(faults: Chaptered[], variants: Themed[]): Mixed[] {
  return faults.flatMap((fault) => {
    const themes = themesOf(chapterOf(fault))
    return variants
      .filter((variant) => themes.includes(themeOf(variant)) && together(fault, variant))
      .map((variant): Mixed => [fault, variant])
  })
}

function together(fault: Fault, variant: Variant): boolean {
  // With less data less can be seen of a fault; that a check then says so is proven elsewhere.
  if (fault.target || variant.target || variant.silent) return false
  return !sameSettings(fault, variant)
}

const idsOf = ({ fails, warns = [] }: Fault) => [...fails, ...warns]

/** Is a fault found by its own checks, or by others of its chapter? What is expected of `others` tells nothing of it. */
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
 * What is wrong with how a bank with both was judged: the fault is not found, or something erred. By
 * which of its chapter's checks it is found may change, and what else it then disturbs: a freedom leaves
 * part of a fault's traces unseen, or moves it to another request. What each alone brings is proven exactly.
 * Where every check that finds the fault says why it cannot judge such a bank, nothing is hidden.
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
