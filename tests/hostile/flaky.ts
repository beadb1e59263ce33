import type { Socket } from 'node:net'
import fc from 'fast-check'
import type { Context, Next } from 'koa'
import { expect } from 'vitest'
import { judged, outcomes, TIMEOUT } from './bank.ts'
import { SEED, type Situation } from './situation.ts'

/** Lines and services that fail now and then: a balancer with a dead node, a deployment, a blip. */

interface Kind {
  what: string
  /** Does the bank carry the request out before the trouble comes? */
  done: boolean
  act(ctx: Context): void
}

const destroy = ({ req }: Context) => (req.socket as Socket).destroy()

const cutInBody = ({ req }: Context) =>
  (req.socket as Socket).end(
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"Data":{',
  )

const KINDS: Record<string, Kind> = {
  'cut-before': { what: 'is cut before the bank sees it', done: false, act: destroy },
  'cut-after': { what: 'is cut after the bank has carried it out', done: true, act: destroy },
  'cut-in-the-body': { what: 'is answered, and cut in the body', done: true, act: cutInBody },
  'silent-before': { what: 'never reaches the bank, in silence', done: false, act: () => {} },
  'silent-after': { what: 'is carried out and never answered', done: true, act: () => {} },
}

/** Does one of these to the n-th request of a run, the first being 1. */
type Plan = (n: number) => Kind | undefined

/** @param patience milliseconds for a request: what is never answered costs as much each time. */
async function flaky(plan: Plan, patience = TIMEOUT * 3): Promise<void> {
  let count = 0
  const run = await judged(
    [
      {
        id: 'flaky',
        story: 'One node of several is dying.',
        async middleware(ctx: Context, next: Next) {
          count += 1
          const kind = plan(count)
          if (!kind) return next()
          if (kind.done) await next()
          ctx.respond = false
          kind.act(ctx)
        },
      },
    ],
    (document) => {
      document.timeout = patience / 1000
    },
  )
  expect(outcomes(run, 'fail', 'warn', 'error')).toEqual([])
}

const situation = (id: string, what: string, plan: Plan, patience?: number): Situation => ({
  id: `flaky/${id}`,
  what,
  expected: 'Nothing is held against the bank.',
  seconds: 500,
  megabytes: 500,
  async run() {
    await flaky(plan, patience)
    return undefined
  },
})

/** One request in so many. */
const EACH = [3, 7, 23]

/** Where a blip begins, and how many requests it lasts. */
const BLIPS: [from: number, length: number][] = [
  [4, 3],
  [30, 6],
  [120, 12],
  [500, 40],
]

const entries = Object.entries(KINDS)

export const situations: Situation[] = [
  ...entries.flatMap(([id, kind]) =>
    EACH.map((each) =>
      situation(
        `${id}/one-in-${each}`,
        `One request in ${each} ${kind.what}.`,
        (n) => (n % each === 0 ? kind : undefined),
        TIMEOUT,
      ),
    ),
  ),
  ...entries.flatMap(([id, kind]) =>
    BLIPS.map(([from, length]) =>
      situation(
        `${id}/blip-at-${from}`,
        `After ${from} requests, each of ${length} ${kind.what}; then all is well again.`,
        (n) => (n > from && n <= from + length ? kind : undefined),
      ),
    ),
  ),
  {
    ...situation('any', '', () => undefined),
    what: 'Any of that, at any requests of a run, in six runs.',
    async run() {
      const each = fc.record({ gap: fc.integer({ min: 1, max: 120 }), kind: fc.nat(4) })
      const schedule = fc.array(each, { minLength: 8, maxLength: 40 })
      await fc.assert(
        fc.asyncProperty(schedule, async (steps) => {
          let at = 0
          const troubles = new Map(
            steps.map(({ gap, kind }) => {
              at += gap
              return [at, entries[kind]?.[1]]
            }),
          )
          await flaky((n) => troubles.get(n))
        }),
        { numRuns: 6, seed: SEED, endOnFailure: true },
      )
      return undefined
    },
  },
]
