import { type Context, check } from '../../engine/suite-api/check.ts'
import { daysFromNow } from '../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../engine/suite-api/expect.ts'
import type { Caller } from '../../engine/suite-api/flow.ts'
import { brief } from '../../engine/suite-api/responses.ts'
import { everything } from '../consents.ts'
import { OWNERS } from '../owners.ts'
import { CONSENTS, create, NINE_PERMISSIONS, PERIOD } from './common/consent-requests.ts'

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
    relyOn(OWNERS.consent, await create(client)).toSucceed()
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

/**
 * 2xx for [ReadAccountsBasic], [ReadAccountsDetail], and for ReadAccountsBasic with ReadBalances;
 * with ReadStatementsBasic; with ReadStatementsDetail; with ReadTransactionsBasic, Credits and
 * Debits; with ReadTransactionsDetail, Credits and Debits. Blocked by CONS-09/all-nine where that
 * fails.
 */
check(
  'CONS-09/sensible-combinations',
  'Each permission can be asked for without those that it does not need',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn('CONS-09/all-nine', await create(client, { Permissions: NINE_PERMISSIONS })).toSucceed()
    for (const Permissions of COMBINATIONS) {
      expect(await create(client, { Permissions })).toSucceed()
    }
  },
)

/**
 * What the table leaves out of the permissions of version 3.1.2, and words that no version has.
 * ReadAccountsDetails is not among them: the document itself spells it so once (AMB-01).
 */
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
  'ReadBeneficiariesDetail',
  'ReadPartyPSU',
  'ReadScheduledPaymentsBasic',
  'ReadScheduledPaymentsDetail',
  'ReadStandingOrdersBasic',
  'ReadStandingOrdersDetail',
  'ReadBalances,ReadTransactionsBasic',
  ' ReadBalances ',
]

/**
 * The correct permissions and, behind or before them, one that is unsupported (one request each):
 * each refused. Then one with ReadParty alone.
 */
check(
  'CONS-10/other-value',
  'A permission outside the nine causes rejection, beside allowed ones and alone',
  {},
  async (context) => {
    const client = await context.caller()
    relyOn(OWNERS.consent, await create(client)).toSucceed()
    for (const [index, value] of UNSUPPORTED.entries()) {
      // Behind the allowed ones and before them.
      const Permissions =
        index % 2 === 0 ? [...everything.permissions, value] : [value, ...everything.permissions]
      const deviation = `permission ${brief(value)}`
      expect(await create(client, { Permissions }, { deviation })).toBeRefused()
    }
    const deviation = 'permission ReadParty alone'
    const wrong = { Permissions: ['ReadParty'] }
    expect(await create(client, wrong, { deviation })).toBeRefused()
    // The same beside dates, and from the second client.
    const dates = { ...PERIOD, ExpirationDateTime: daysFromNow(30) }
    relyOn(OWNERS.consentWithPeriod, await create(client, dates)).toSucceed()
    const Permissions = [...everything.permissions, 'ReadParty']
    expect(await create(client, { ...dates, Permissions }, { deviation })).toBeRefused()
    if (!context.target.clients.second) return
    const second = await context.caller('second')
    relyOn(OWNERS.consent, await create(second)).toSucceed()
    expect(await create(second, { Permissions }, { deviation })).toBeRefused()
  },
)

/** The clients of the target, each of which may be served by another service. */
async function clients({ caller, target }: Context): Promise<Caller[]> {
  return [await caller(), ...(target.clients.second ? [await caller('second')] : [])]
}

check('CONS-11/missing', 'A request without Permissions is refused', {}, async (context) => {
  const deviation = 'no Permissions'
  for (const client of await clients(context)) {
    relyOn(OWNERS.consent, await create(client)).toSucceed()
    expect(await create(client, { Permissions: undefined }, { deviation })).toBeRefused()
    expect(await client.post(CONSENTS, { Risk: {} }, { deviation: 'no Data' })).toBeRefused()
  }
})

check('CONS-12/empty', 'A request for no permission at all is refused', {}, async (context) => {
  const deviation = 'Permissions []'
  for (const client of await clients(context)) {
    relyOn(OWNERS.consent, await create(client)).toSucceed()
    expect(await create(client, { Permissions: [] }, { deviation })).toBeRefused()
  }
})

check(
  'CONS-12/not-an-array',
  'A request whose Permissions is no array of strings is refused',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client)).toSucceed()
    for (const Permissions of ['ReadAccountsBasic', null, [1], ['ReadAccountsBasic', null]]) {
      const deviation = `Permissions ${brief(Permissions)}`
      expect(await create(client, { Permissions }, { deviation })).toBeRefused()
    }
  },
)
