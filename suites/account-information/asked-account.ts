import type { Row } from '../../engine/judge/rows.ts'
import type { Finding } from '../../engine/judge/rule.ts'
import { brief } from '../../engine/judge/schemas.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

/**
 * Rows that are not of the account whose id stands in the path: the first of them as a finding.
 * Undefined where there is nothing to judge. A row without an AccountId breaks another rule.
 */
export function strangersTo(
  { about: { subject } }: Exchange,
  rows: Row[] | undefined,
): Finding[] | undefined {
  if (!rows || subject === undefined) return undefined
  const index = rows.findIndex(({ AccountId: id }) => typeof id === 'string' && id !== subject)
  if (index < 0) return rows.length > 0 ? [] : undefined
  return [
    {
      message: 'a row is of another account than the one that was asked for',
      expected: `only rows of ${brief(subject)}`,
      actual: brief(rows[index]?.AccountId),
    },
  ]
}
