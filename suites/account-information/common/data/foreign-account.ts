import { expect, expectThat } from '../../../../engine/suite-api/expect.ts'
import { blockBy } from '../../../../engine/suite-api/outcomes.ts'
import {
  type Exchange,
  rowsOf,
  rulesBrokenBy,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'

/**
 * An AccountId of another customer gives an error, or nothing. Rows of the own accounts give away
 * nothing: they are wrong whoever's account was asked for, which `…/asked-account-only` says.
 */
export function expectNothingForeign(
  answer: Exchange,
  own: string[],
  whose = 'another customer’s account',
): void {
  if (!succeeded(answer)) {
    expect(answer).toBeRefused()
    return
  }
  const rows = rowsOf(answer)
  const rule = rulesBrokenBy(answer).find((id) => id.endsWith('/asked-account-only'))
  if (rule && rows.every(({ AccountId: id }) => own.includes(String(id)))) {
    blockBy(rule, 'it was given rows of its own accounts', answer)
  }
  expectThat(rows.length === 0, {
    message: `${rows.length} rows of ${whose}`,
    expected: 'an error, or nothing',
    actual: `${rows.length} rows`,
    exchange: answer,
  })
}
