import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { expect, expectThat } from '../../../../engine/suite-api/expect.ts'
import { blockBy, blockForData, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import {
  type Exchange,
  otherRowsOf,
  rowsOf,
  rulesBrokenBy,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import { described } from './account-comparisons.ts'

/**
 * Ends a check that found no AccountId of another customer outside the customer's own ids. Either
 * both share all accounts, or an id is only "unique and persistent for a given ConsentId": each
 * consent numbers its accounts, and an id of another consent names an account of this one.
 */
export async function endWithoutForeignId(mine: Approval, theirs: Approval): Promise<never> {
  const [own, others] = [await accountsById(mine), await accountsById(theirs)]
  const shared = [...others].filter(([id]) => own.has(id))
  if (shared.length > 0 && shared.every(([id, account]) => own.get(id) !== account)) {
    throw new NotApplicable('an AccountId tells an account within its own consent alone')
  }
  blockForData('an account of each customer, with an AccountId of its own')
}

async function accountsById({ get }: Approval): Promise<Map<string, string>> {
  const rows = rowsOf(await get('/accounts'))
  return new Map(rows.map((row) => [String(row.AccountId), described(row)]))
}

/**
 * Expects an error, or no rows, for an AccountId of another customer. Rows of own accounts
 * disclose nothing: they are wrong for any requested account, which `…/asked-account-only` judges.
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
  const beside = otherRowsOf(answer).filter(({ AccountId: id }) => !own.includes(String(id)))
  const rows = [...rowsOf(answer), ...beside]
  const rule = rulesBrokenBy(answer).find((id) => id.endsWith('/asked-account-only'))
  if (rule && rows.every(({ AccountId: id }) => own.includes(String(id)))) {
    blockBy(rule, 'the answer has rows of the caller’s own accounts', answer)
  }
  expectThat(rows.length === 0, {
    message: `${rows.length} rows of ${whose}`,
    expected: 'an error, or nothing',
    actual: `${rows.length} rows`,
    exchange: answer,
  })
}
