import type { Context } from '../../../../engine/suite-api/check.ts'
import type { NamedConsent } from '../../../../engine/suite-api/consents.ts'
import { matchers, relyOn } from '../../../../engine/suite-api/expect.ts'
import { blockBy } from '../../../../engine/suite-api/outcomes.ts'
import { rulesBrokenBy } from '../../../../engine/suite-api/responses.ts'
import type { Place } from '../../../tables.ts'
import { type AccountIds, accountIdInPath } from '../../../values/identifier.ts'
import type { Value } from '../../../values/value-type.ts'
import { pathOf, requireAccountIds, type Tail } from '../data/data-reads.ts'
import { readOwner } from '../data/read-owners.ts'

/** AccountIds in paths: the three addresses of one account. */

type Row = Value<AccountIds, string>

/** Rows that name no account of the consent. */
export const isUnknown = ({ level, lawful }: Row) => level === 'should' && !lawful

const SINGLE = [
  { operation: 'account', tail: '', rule: 'ACC-02/asked-account-only' },
  { operation: 'account-balances', tail: '/balances', rule: 'BAL-02/asked-account-only' },
  { operation: 'account-transactions', tail: '/transactions', rule: 'TXN-02/asked-account-only' },
] as const

/** Each address of an account, under each of these approvals that the run has. */
function accountIdPlaces<Used extends NamedConsent>(
  context: Context<Used>,
  consents: readonly Used[],
  single: (typeof SINGLE)[number],
): Place<AccountIds, string, Used>[] {
  const { operation, tail, rule } = single
  const [first] = consents
  const had = consents.filter((consent) => consent === first || context.has(consent))
  return had.map((consent) => ({
    name: consent === first ? operation : `${operation}, ${consent.name}`,
    kind: 'data',
    async open({ approved }: Context<Used>) {
      const approval = await approved(consent)
      const [id = '', own] = await requireAccountIds(approval)
      const path = pathOf(id, tail)
      relyOn(readOwner(approval, path), await approval.get(path)).toSucceed()
      const { consentId } = approval
      return {
        right: { id, ofOthers: { ...(own !== undefined && { own }), consent: consentId } },
        ask: (made: string, deviation: string) =>
          approval.get(`/accounts/${made}${tail}`, { deviation }),
        judge(answer) {
          // Rows of an account that was not asked for are judged by that rule.
          if (rulesBrokenBy(answer).includes(rule))
            blockBy(rule, 'the answer has rows of another account', answer)
          return matchers.toBeRefused(answer)
        },
      }
    },
  }))
}

/** The part of the table for the check of one address, out of the rows that the three addresses share. */
export function unknownAccounts<Used extends NamedConsent>(
  context: Context<Used>,
  { owner, tail, consents }: { owner: string; tail: Tail; consents: readonly Used[] },
) {
  const placesOf = (single: (typeof SINGLE)[number]) => accountIdPlaces(context, consents, single)
  return {
    owner,
    type: accountIdInPath,
    rows: isUnknown,
    places: SINGLE.filter((single) => single.tail === tail).flatMap(placesOf),
    beside: SINGLE.flatMap(placesOf),
  }
}
