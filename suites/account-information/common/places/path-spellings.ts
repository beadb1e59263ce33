import { expectThat, noteNegative } from '../../../../engine/suite-api/expect.ts'
import { type Exchange, rowsOf } from '../../../../engine/suite-api/responses.ts'

/**
 * Addresses of the lists that differ from the documented ones as text, but that a router
 * behind a gateway may treat as equal: protection must not depend on the text alone.
 */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => `${path};v=1`,
  (path) => path.replace(/^\/(.)/, (_, letter: string) => `/${letter.toUpperCase()}`),
  (path) => path.replace(/^\/(.)/, (_, letter: string) => `/%${hexadecimal(letter)}`),
]

const LISTS = ['/accounts', '/balances', '/transactions'] as const

const hexadecimal = (letter: string) => letter.charCodeAt(0).toString(16)

/** Each spelling, at one of the lists; each draw uses another list. */
export function spelledOtherwise(seed: number): string[] {
  return SPELLINGS.map((spell, index) => spell(LISTS[(index + seed) % LISTS.length] ?? '/accounts'))
}

/** Such an address need not be refused, since another page may be there. It must not show data. */
export function expectNoRows(answer: Exchange, deviation: string): void {
  noteNegative()
  const rows = rowsOf(answer)
  expectThat(rows.length === 0, {
    message: `${rows.length} rows in spite of ${deviation}`,
    expected: 'a refusal, or an answer without data',
    actual: `${rows.length} rows at ${new URL(answer.request.url).pathname}`,
    exchange: answer,
  })
}
