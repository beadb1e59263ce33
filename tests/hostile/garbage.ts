import fc from 'fast-check'
import type { Context, Next } from 'koa'
import { expect } from 'vitest'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { judged, outcomes, TIMEOUT } from './bank.ts'
import { SEED, type Situation } from './situation.ts'

/** Answers in which something has become garbage, wherever a run gets with them. */

const deep = (levels: number, open: string, close: string) =>
  `${open.repeat(levels)}${close.repeat(levels)}`

/** JSON text that stands in the place of a value. */
export const GARBAGE: Record<string, string> = {
  null: 'null',
  true: 'true',
  zero: '0',
  'a huge number': '1e999',
  'a negative number': '-1.5',
  'an empty text': '""',
  'a text of a megabyte': JSON.stringify('x'.repeat(1_000_000)),
  'half of a surrogate pair': '"\\ud800"',
  'the other half, within words': '"a\\udc00b"',
  NUL: '"\\u0000"',
  'line ends': '"a\\r\\nb: c"',
  'an escape sequence of terminals': '"\\u001b[2J"',
  'right to left': '"\\u202e/\\u2066"',
  'a path': '"../../../../etc/passwd"',
  'a query': '"?a=b#c%00%zz"',
  'an address without a host': '"https:///"',
  'a broken address': '"http://["',
  'an address of a file': '"file:///etc/passwd"',
  'an address of data': '"data:application/json,{}"',
  'an address of a script': '"javascript:alert(1)"',
  'a broken JWT': '"eyJhbGciOiJub25lIn0..%%"',
  'a JWT of null': '"eyJhbGciOiJQUzI1NiJ9.bnVsbA.AAAA"',
  'a JWT of a list': '"W10.W10.W10"',
  'no array': '{}',
  'no object': '[]',
  'an array of null': '[null]',
  'an array of arrays': '[[],[[]]]',
  'an object of names that mean something':
    '{"__proto__":{"a":1},"constructor":null,"length":-1,"then":"x"}',
  'lists 5,000 deep': deep(5000, '[', ']'),
  'objects 5,000 deep': `${'{"Data":'.repeat(5000)}1${'}'.repeat(5000)}`,
  'lists 150 deep': deep(150, '[', ']'),
  'a hundred thousand elements': `[${'0,'.repeat(99_999)}0]`,
  'ten thousand members': `{${Array.from({ length: 10_000 }, (_, n) => `"m${n}":${n}`).join()}}`,
  'a date that is none': '"2026-02-31T25:61:61Z"',
  'a date of another millennium': '"+275760-09-13T00:00:00.001Z"',
}

const MARK = '\u0001garbage\u0001'

/** The text of a value with the n-th place in it, counted from outside, replaced. */
function spoilt(value: unknown, place: number, garbage: string): string {
  let left = place
  const mark = (inner: unknown): unknown => {
    if (left === 0) {
      left -= 1
      return MARK
    }
    left -= 1
    if (Array.isArray(inner)) return inner.map(mark)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [name, mark(member)]))
  }
  return JSON.stringify(mark(value)).replace(JSON.stringify(MARK), () => garbage)
}

function placesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, member) => sum + placesIn(member), 1)
}

/** Which answers are affected, where and by what. */
interface Plan {
  /** One answer in so many; the same paths every time. */
  each: number
  picks: number[]
}

const plan: fc.Arbitrary<Plan> = fc.record({
  each: fc.constantFrom(1, 3, 10, 40),
  picks: fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 40 }),
})

function spoiling({ each, picks }: Plan, kinds: string[]): Alteration {
  let count = 0
  return {
    id: 'garbage',
    story: 'A serialiser has gone mad.',
    async middleware(ctx: Context, next: Next) {
      await next()
      count += 1
      const pick = picks[count % picks.length] ?? 0
      if ((pick + count) % each !== 0) return
      // Also where an address is looked for in a header, there is none.
      ctx.set('link', '<https://[>; rel="next"')
      const { body } = ctx
      const garbage = GARBAGE[kinds[pick % kinds.length] ?? ''] ?? 'null'
      const location = String(ctx.response.headers.location ?? '')
      if (location !== '') {
        const text = JSON.parse(garbage)
        const value = encodeURIComponent(
          String(text)
            .slice(0, 4000)
            .replace(/\p{Surrogate}/gu, '%'),
        )
        const names = ['code', 'id_token', 'state']
        const name = names[pick % 3] as string
        ctx.set('location', location.replace(new RegExp(`${name}=[^&]*`), `${name}=${value}`))
        return
      }
      if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return
      if (Object.getPrototypeOf(body) !== Object.prototype) return
      ctx.body = spoilt(body, pick % placesIn(body), garbage)
      ctx.type = 'application/json'
    },
  }
}

/** Runs the whole suite against a bank that answers so; never is a crash of ours the outcome. */
async function neverAnError(kinds: string[], seed: number, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(plan, async (chosen) => {
      const run = await judged([spoiling(chosen, kinds)], (document) => {
        document.timeout = (TIMEOUT * 5) / 1000
      })
      expect(outcomes(run, 'error')).toEqual([])
    }),
    { numRuns: runs, seed, endOnFailure: true },
  )
}

const all = Object.keys(GARBAGE)

export const situations: Situation[] = [
  ...all.map((kind, seed) => ({
    id: `garbage/${kind.replaceAll(/[^A-Za-z0-9]+/g, '-')}`,
    what: `Anywhere in answers, redirects and tokens: ${kind}.`,
    expected: 'Findings and what they block; no check crashes.',
    seconds: 240,
    megabytes: 1500,
    async run() {
      await neverAnError([kind], seed + 1, 1)
      return undefined
    },
  })),
  {
    id: 'garbage/mixed',
    what: 'All of that by turns, in eight runs of other seeds.',
    expected: 'Findings and what they block; no check crashes.',
    seconds: 500,
    megabytes: 1500,
    async run() {
      await neverAnError(all, SEED, 8)
      return undefined
    },
  },
]
