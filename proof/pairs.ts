import type { Context } from 'koa'
import type { Policies } from '../bank/policies.ts'
import { drawn } from './draw.ts'
import type { Fault, Variant } from './proof.ts'

/** A variant, and the file of proof/variants that holds it. */
export type Themed = Variant & { theme: string }

/** What encodes or rewrites whole bodies comes last, so its middleware is the outermost. */
const OUTERMOST = ['transport', 'bodies']

/** Every pair of variants that a bank could be at once, in the order of a draw. */
export function drawPairs(variants: Themed[], seed: number): [Themed, Themed][] {
  const all = variants.flatMap((one, place) =>
    variants
      .slice(place + 1)
      .filter((other) => compatible(one, other))
      .map((other) => inOrder<[Themed, Themed]>([one, other])),
  )
  return drawn(all, seed)
}

/** Freedoms that condemned a lawful bank together once, and neither alone: they meet in every proof. */
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
]

/** Those of them that are among these variants. */
export function metBefore(variants: Themed[]): [Themed, Themed][] {
  return MET.flatMap(([one, other]) => {
    const first = variants.find(({ id }) => id === one)
    const second = variants.find(({ id }) => id === other)
    return first && second ? [[first, second]] : []
  })
}

/** Variants of one theme often say the opposite; of two themes, when both want one setting. */
export function compatible(one: Themed, other: Themed): boolean {
  return one.theme !== other.theme && !sameSettings(one, other)
}

/** Do both want one setting? */
export function sameSettings(one: Fault | Variant, other: Fault | Variant): boolean {
  return Object.keys(one.settings ?? {}).some((name) => name in (other.settings ?? {}))
}

/** Variants that share a bank, the outermost first. */
export function inOrder<Group extends Themed[]>(variants: Group): Group {
  const rank = ({ theme }: Themed) =>
    OUTERMOST.includes(theme) ? OUTERMOST.indexOf(theme) : OUTERMOST.length
  return variants.toSorted((one, other) => rank(one) - rank(other)) as Group
}

/** Both freedoms as one; what either warns of or blocks is lawful. */
export function together([outer, inner]: [Variant, Variant]): Variant {
  return {
    id: `${outer.id} + ${inner.id}`,
    story: `${outer.story} ${inner.story}`,
    settings: { ...inner.settings, ...outer.settings },
    policies(correct, tools) {
      const first = outer.policies?.(correct, tools) ?? {}
      const both: Policies = { ...correct, ...first }
      return { ...first, ...inner.policies?.(both, tools) }
    },
    async middleware(ctx: Context, next) {
      const within = inner.middleware ? () => inner.middleware?.(ctx, next) : next
      await (outer.middleware ? outer.middleware(ctx, async () => within()) : within())
    },
    target(document) {
      outer.target?.(document)
      inner.target?.(document)
    },
    warns: [...(outer.warns ?? []), ...(inner.warns ?? [])],
    blocks: [...(outer.blocks ?? []), ...(inner.blocks ?? [])],
    because: [outer.because, inner.because].filter(Boolean).join(' '),
    silent: outer.silent === true && inner.silent === true,
  }
}
