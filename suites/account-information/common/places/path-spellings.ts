import { expectThat, noteNegative } from '../../../../engine/suite-api/expect.ts'
import { type Exchange, rowsOf } from '../../../../engine/suite-api/responses.ts'

/**
 * Addresses of the lists that differ from the documented ones as text, and that a router behind a gateway may take for
 * them: what protects them must not rest on the text alone.
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

/** Each spelling, at one of the lists: at another one in each draw. */
export function spelledOtherwise(seed: number): string[] {
  return SPELLINGS.map((spell, index) => spell(LISTS[(index + seed) % LISTS.length] ?? '/accounts'))
}

/** Nobody promises that such an address is refused, as a page of its own may be there: it shows no data. */
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
