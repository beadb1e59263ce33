import { check } from '../../../engine/suite-api/check.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { brief, member, refused } from '../../../engine/suite-api/responses.ts'
import { isWronglyRead } from '../../texts.ts'
import { atWork, create, NAMES } from '../common/consents/funds-consents.ts'

/** Letters and marks of names in DebtorAccount. Requirements: specs/account-information/funds-confirmation.yaml */

/** A letter outside ASCII, an apostrophe and an ampersand, as names have them. */
const NAME = "Zoé D'Arcy & Sons"

/** The name as an encoding without this letter writes it. */
const REPLACED = NAME.replace('é', '?')

/**
 * Fails: the name is refused where another one that is made up is taken, or it comes back misread. The bank may show a
 * name of its own. Not applicable where it takes the names of its customers alone.
 */
check(
  'FCC-31/any-letters',
  'A Name with an apostrophe, an ampersand and a letter outside ASCII is taken, and not misread',
  { follows: ['FCC-05/accepted'] },
  async (context) => {
    const client = await atWork(context)
    const answer = await create(client, { account: { Name: NAME } })
    if (refused(answer)) {
      const other = await create(client, { account: { Name: NAMES.Name } })
      if (refused(other)) throw new NotApplicable('the bank takes the names of its customers alone')
      relyOn('FCC-05/accepted', other).toSucceed()
    }
    expect(answer).toSucceed()
    const shown = member(answer.response?.json, 'Data', 'DebtorAccount', 'Name')
    const isMisread = typeof shown === 'string' && (isWronglyRead(shown) || shown === REPLACED)
    expectThat(!isMisread, {
      message: 'the name that was sent comes back in other characters',
      expected: `${brief(NAME)}, or a name of the bank`,
      actual: brief(shown),
      exchange: answer,
      place: '/Data/DebtorAccount/Name',
    })
  },
)
