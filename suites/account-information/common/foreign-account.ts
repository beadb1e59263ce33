import { expect, expectThat } from '../../../engine/suite-api/expect.ts'
import { type Exchange, rowsOf, succeeded } from '../../../engine/suite-api/responses.ts'

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
