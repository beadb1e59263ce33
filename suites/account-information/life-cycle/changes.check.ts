import { check } from '../../../engine/suite-api/check.ts'
import { expectThat, noteNegative, relyOn } from '../../../engine/suite-api/expect.ts'
import { type Exchange, member } from '../../../engine/suite-api/responses.ts'
import { debitsInPeriod } from '../../consents.ts'
import { widened } from '../../ended-consents.ts'
import { OWNERS } from '../../owners.ts'

/** Methods that the table of endpoints does not have. Requirements: specs/account-information/life-cycle.yaml */

/** Fails: PUT or PATCH was not refused, and afterwards the consent shows a permission that it did not have. */
check(
  'CLC-27/permissions',
  'PUT and PATCH add no permission to an authorised consent',
  { uses: [debitsInPeriod], spends: debitsInPeriod },
  async (context) => {
    const { before, query } = await widened(context)
    relyOn(OWNERS.query, before.query).toSucceed()
    noteNegative()
    if (!query) return
    relyOn(OWNERS.query, query).toSucceed()
    const had = permissionsIn(before.query)
    const added = permissionsIn(query).filter((one) => !had.includes(one))
    expectThat(added.length === 0, {
      message: `the consent was authorised without ${added.join(' and ')}, and has it now`,
      expected: had.join(' '),
      actual: permissionsIn(query).join(' '),
      exchange: query,
    })
  },
)

function permissionsIn({ response }: Exchange): string[] {
  return [member(response?.json, 'Data', 'Permissions')].flat().map(String)
}
