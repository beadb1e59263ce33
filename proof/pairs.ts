import type { Context } from 'koa'
import type { Policies } from '../bank/policies.ts'
import type { Variant } from './proof.ts'

/** A variant, and the file of proof/variants that holds it. */
export type Themed = Variant & { theme: string }

/** What encodes or rewrites whole bodies comes last, so its middleware is the outermost. */
const OUTERMOST = ['transport', 'bodies']

/**
 * Draws pairs of variants that a bank could be at once, no pair twice. The same seed draws the same
 * pairs from the same variants; fewer come where there are no more.
 */
export function drawPairs(variants: Themed[], count: number, seed: number): [Themed, Themed][] {
  const all = variants.flatMap((one, place) =>
    variants
      .slice(place + 1)
      .flatMap((other) =>
        compatible(one, other) ? [inOrder<[Themed, Themed]>([one, other])] : [],
      ),
  )
  const random = numbersFrom(seed)
  return Array.from({ length: Math.min(count, all.length) }, () => {
    const [drawn] = all.splice(Math.floor(random() * all.length), 1)
    return drawn as [Themed, Themed]
  })
}

/** Variants of one theme often say the opposite; of two themes, when both want one setting. */
function compatible(one: Themed, other: Themed): boolean {
  if (one.theme === other.theme) return false
  return !Object.keys(one.settings ?? {}).some((name) => name in (other.settings ?? {}))
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

/** Steady numbers from 0 to 1 for a seed: mulberry32. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
