import { correct } from '../../bank/policies.ts'
import { drawn } from '../run/draw.ts'
import type { Fault, Variant } from '../run/proof.ts'

/** A variant with its file in proof/variants: tokens.ts, or tokens.approvals.ts of the same theme. */
export type Themed = Variant & { theme: string }

/** Variants that encode or rewrite whole bodies; their middleware must be the outermost. */
const OUTERMOST = ['transport', 'bodies']

/** Every pair of variants that a bank could take at once, in the order of a draw. */
export function drawPairs(variants: Themed[], seed: number): [Themed, Themed][] {
  const all = variants.flatMap((one, place) =>
    variants
      .slice(place + 1)
      .filter((other) => compatible(one, other))
      .map((other) => inOrder<[Themed, Themed]>([one, other])),
  )
  return drawn(all, seed)
}

/** Pairs of freedoms that once made a lawful bank fail together, but not alone: they are in every proof. */
export const MET: readonly (readonly [string, string])[] = [
  ['refresh-tokens-are-not-offered', 'only-the-newest-approval'],
  ['data-refused-by-any-status', 'newest-approval-though-it-asked-for-more'],
  ['newest-approval-of-one-client', 'refusals-lead-to-a-page'],
  ['funds-deleted-under-aisp', 'grants-refused-by-any-status'],
  ['balances-beside-accounts-alone', 'new-tokens-end-the-old'],
  ['codes-and-tokens-with-every-character', 'token-behind-its-padding-ignored'],
  ['many-keys', 'unavailable-now-and-then'],
  ['configuration-with-much-more', 'grants-are-asked-late'],
  ['combinations-of-3.1.2-only', 'refusals-cut-the-line'],
  ['transaction-ids-come-and-go', 'rows-in-another-order-each-time'],
  ['rate-limit-of-each-endpoint', 'ninety-days-while-nobody-looks'],
  ['balances-beside-accounts-alone', 'only-the-newest-approval'],
  ['times-to-the-second-move-with-re-confirmation', 'short-lived-tokens-without-refresh'],
  ['ends-take-effect-later', 'newest-approval-revokes-at-the-decision'],
  ['refusals-lead-to-a-page', 'only-the-newest-client-token'],
  ['consents-always-name-accounts', 'refusals-lead-to-a-page'],
  ['accounts-chosen-again', 'short-lived-tokens-without-refresh'],
  ['newest-approval-revokes-at-the-decision', 'short-lived-tokens-without-refresh'],
  ['token-endpoint-without-certificates', 'new-tokens-end-the-old'],
  ['extra-scopes-are-left-out', 'scopes-of-the-server-itself'],
  ['more-members-everywhere', 'merchants-and-addresses-of-some'],
]

/** The pairs of MET whose members are among these variants. */
export function metBefore(variants: Themed[]): [Themed, Themed][] {
  return MET.flatMap(([one, other]) => {
    const first = variants.find(({ id }) => id === one)
    const second = variants.find(({ id }) => id === other)
    return first && second ? [[first, second]] : []
  })
}

/** Files whose variants read or rewrite what a page's form sends. */
const OF_FORMS = ['authorisation.login', 'authorisation.pages']

/** Variants of one file often contradict each other; those of two files do if both change one setting or page forms. */
export function compatible(one: Themed, other: Themed): boolean {
  const forms = [one, other].every(({ theme }) => OF_FORMS.includes(theme))
  const isKnown = UNJUDGED.some((pair) => [one, other].every(({ id }) => pair.includes(id)))
  const rows = changesRows(one) && changesRows(other)
  return one.theme !== other.theme && !forms && !isKnown && !rows && !sameSettings(one, other)
}

/** Two variants that change which bookings there are can contradict each other: one limits them, the other adds older ones. */
function changesRows({ policies }: Themed): boolean {
  return policies !== undefined && 'rowsBooked' in policies(correct, { fired() {} })
}

/**
 * Pairs that no sentence forbids, and at which a lawful bank still fails together with a third freedom: where only the
 * newest token of a client works, and is known a moment late, a redirect does not say whether it is refused. And where a
 * code is known a moment late, an error that is not invalid_grant says that it may be used up.
 */
const UNJUDGED = [
  ['what-is-new-is-known-a-moment-later', 'refusals-lead-to-a-page'],
  ['what-is-new-is-known-a-moment-later', 'errors-of-any-shape'],
]

/** Do both change the same setting? */
export function sameSettings(one: Fault | Variant, other: Fault | Variant): boolean {
  return Object.keys(one.settings ?? {}).some((name) => name in (other.settings ?? {}))
}

/** Variants that share a bank, the outermost first. */
export function inOrder<Group extends Themed[]>(variants: Group): Group {
  const rank = ({ theme }: Themed) =>
    OUTERMOST.includes(theme) ? OUTERMOST.indexOf(theme) : OUTERMOST.length
  return variants.toSorted((one, other) => rank(one) - rank(other)) as Group
}
