import { expect, expectThat } from '../../../engine/judge/expect.ts'
import { succeeded } from '../../../engine/judge/matchers.ts'
import { rowsOf } from '../../../engine/judge/rows.ts'
import type { Exchange } from '../../../engine/wire/exchange.ts'

/** An AccountId of another customer gives an error, or nothing. */
export function expectNothingForeign(answer: Exchange): void {
  if (!succeeded(answer)) {
    expect(answer).toBeRefused()
    return
  }
  const rows = rowsOf(answer)
  expectThat(rows.length === 0, {
    message: `${rows.length} rows of another customer's account`,
    expected: 'an error, or nothing',
    actual: `${rows.length} rows`,
    exchange: answer,
  })
}
