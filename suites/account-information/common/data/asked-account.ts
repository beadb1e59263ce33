import type { Context } from '../../../../engine/suite-api/check.ts'
import { blockForData } from '../../../../engine/suite-api/outcomes.ts'
import { brief, type Exchange, type Row } from '../../../../engine/suite-api/responses.ts'
import type { Finding, RuleTools } from '../../../../engine/suite-api/rule.ts'

/** Options of a rule about the account in the path. */
export const TWO_ACCOUNTS = {
  needs: 'two accounts under one consent, and rows of one of them',
  unlessAbsent: 'second-account',
} as const

/** Ends a check that cannot distinguish one account from all accounts. */
export function lackingSecondAccount(
  context: Pick<Context, 'unlessAbsent'>,
  what: string,
  block: (what: string) => never = blockForData,
): never {
  context.unlessAbsent('second-account')
  block(what)
}

/**
 * A finding for the first row that is not of the account in the path. Undefined where
 * nothing can be judged: no row, or a consent with only this account, so that there is no
 * other account whose rows could appear. A row without an AccountId breaks another rule.
 */
export function strangersTo(
  { about: { subject, consent } }: Exchange,
  rows: Row[] | undefined,
  { bank }: Pick<RuleTools, 'bank'>,
): Finding[] | undefined {
  if (!rows || subject === undefined) return undefined
  const index = rows.findIndex(({ AccountId: id }) => typeof id === 'string' && id !== subject)
  const others = (bank.accounts?.get(consent?.id ?? '')?.size ?? 0) > 1
  if (index < 0) return rows.length > 0 && others ? [] : undefined
  return [
    {
      message: 'a row is of another account than the one that was asked for',
      expected: `only rows of ${brief(subject)}`,
      actual: brief(rows[index]?.AccountId),
    },
  ]
}
