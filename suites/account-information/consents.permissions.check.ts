import { check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { brief } from '../../engine/judge/schemas.ts'
import { everything } from '../consents.ts'
import { CONSENTS, create, NINE_PERMISSIONS } from './common/consent-requests.ts'

/**
 * Permissions of POST /account-access-consents.
 * Requirements: specs/account-information/consents.yaml
 */

check(
  'CONS-09/all-nine',
  'A consent with all nine permissions is created',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    expect(await create(client, { Permissions: NINE_PERMISSIONS })).toSucceed()
  },
)

/** Combinations that version 3.1.2 knows too: each of the nine stands in one. */
const COMBINATIONS = [
  ['ReadAccountsBasic'],
  ['ReadAccountsDetail'],
  ['ReadAccountsBasic', 'ReadBalances'],
  ['ReadAccountsBasic', 'ReadStatementsBasic'],
  ['ReadAccountsBasic', 'ReadStatementsDetail'],
  [
    'ReadAccountsBasic',
    'ReadTransactionsBasic',
    'ReadTransactionsCredits',
    'ReadTransactionsDebits',
  ],
  [
    'ReadAccountsBasic',
    'ReadTransactionsDetail',
    'ReadTransactionsCredits',
    'ReadTransactionsDebits',
  ],
]

check(
  'CONS-09/sensible-combinations',
  'Each permission can be asked for without those that it does not need',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn('CONS-09/all-nine', await create(client, { Permissions: NINE_PERMISSIONS }))
    for (const Permissions of COMBINATIONS) {
      expect(await create(client, { Permissions })).toSucceed()
    }
  },
)

/** ReadAccountsDetails is not among them: the document itself spells it so once. */
const UNSUPPORTED = [
  'ReadPAN',
  'ReadParty',
  'ReadOffers',
  'ReadProducts',
  'ReadBeneficiariesBasic',
  'ReadDirectDebits',
  'ReadEverything',
  'readaccountsbasic',
  '',
]

check(
  'CONS-10/other-value',
  'A permission outside the nine causes rejection, beside allowed ones and alone',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    for (const [index, value] of UNSUPPORTED.entries()) {
      // Behind the allowed ones and before them.
      const Permissions =
        index % 2 === 0 ? [...everything.permissions, value] : [value, ...everything.permissions]
      const deviation = `permission ${brief(value)}`
      expect(await create(client, { Permissions }, { deviation })).toBeRefused()
    }
    const deviation = 'permission ReadParty alone'
    expect(await create(client, { Permissions: ['ReadParty'] }, { deviation })).toBeRefused()
  },
)

check('CONS-11/missing', 'A request without Permissions is refused', {}, async ({ caller }) => {
  const client = await caller()
  relyOn(OWNERS.consent, await create(client))
  const deviation = 'no Permissions'
  expect(await create(client, { Permissions: undefined }, { deviation })).toBeRefused()
  expect(await client.post(CONSENTS, { Risk: {} }, { deviation: 'no Data' })).toBeRefused()
})

check('CONS-12/empty', 'A request for no permission at all is refused', {}, async ({ caller }) => {
  const client = await caller()
  relyOn(OWNERS.consent, await create(client))
  const deviation = 'Permissions []'
  expect(await create(client, { Permissions: [] }, { deviation })).toBeRefused()
})

check(
  'CONS-12/not-an-array',
  'A request whose Permissions is no array of strings is refused',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    for (const Permissions of ['ReadAccountsBasic', null, [1]]) {
      const deviation = `Permissions ${brief(Permissions)}`
      expect(await create(client, { Permissions }, { deviation })).toBeRefused()
    }
  },
)
