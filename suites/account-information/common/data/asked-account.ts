import type { Context } from '../../../../engine/suite-api/check.ts'
import { blockForData } from '../../../../engine/suite-api/outcomes.ts'
import { brief, type Exchange, type Row } from '../../../../engine/suite-api/responses.ts'
import type { Finding, RuleTools } from '../../../../engine/suite-api/rule.ts'

/** What a rule about the account in the path needs. */
export const TWO_ACCOUNTS = {
  needs: 'two accounts under one consent, and rows of one of them',
  unlessAbsent: 'second-account',
} as const

/** Ends a check that cannot tell one account from all of them. */
export function lackingSecondAccount(
  context: Pick<Context, 'unlessAbsent'>,
  what: string,
  block: (what: string) => never = blockForData,
): never {
  context.unlessAbsent('second-account')
  block(what)
}

/**
 * Rows that are not of the account whose id stands in the path: the first of them as a finding.
 * Undefined where there is nothing to judge: no row, or a consent whose only account this is, so that
 * none of another could be among them. A row without an AccountId breaks another rule.
 */
export function strangersTo(
  { about: { subject, consent } }: Exchange,
  rows: Row[] | undefined,
  { bank }: Pick<RuleTools, 'bank'>,
): Finding[] | undefined {
  if (!rows || subject === undefined) return undefined
  const index = rows.findIndex(({ AccountId: id }) => typeof id === 'string' && id !== subject)
  const others = (bank.accounts?.get(consent?.id ?? '') ?? 0) > 1
  if (index < 0) return rows.length > 0 && others ? [] : undefined
  return [
    {
      message: 'a row is of another account than the one that was asked for',
      expected: `only rows of ${brief(subject)}`,
      actual: brief(rows[index]?.AccountId),
    },
  ]
}
