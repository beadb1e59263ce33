import { type Context, check } from '../../../engine/suite-api/check.ts'
import { daysFromNow } from '../../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import type { Caller } from '../../../engine/suite-api/flow.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { dear, expectTable } from '../../tables.ts'
import { permissions } from '../../values/consent-enumerations.ts'
import { permissionCompany } from '../../values/permission-company.ts'
import {
  CONSENTS,
  create,
  NINE_PERMISSIONS,
  pastPeriod,
} from '../common/consents/consent-requests.ts'
import { companyPlaces, isOfOtherType, isOther, permissionPlaces } from './permission-places.ts'

/**
 * Permissions of POST /account-access-consents.
 * Requirements: specs/account-information/consents.yaml
 */

check(
  'CONS-09/all-nine',
  'A consent with all nine permissions is created, and with some of them, in any order',
  { asks: [permissions] },
  async (context) => {
    const client = await context.caller()
    relyOn(OWNERS.consent, await create(client)).toSucceed()
    expect(await create(client, { Permissions: NINE_PERMISSIONS })).toSucceed()
    await expectTable(context, {
      ...{ owner: 'CONS-09/all-nine', type: permissions },
      rows: ({ lawful, level }) => lawful === true && level === 'must',
      places: dear(permissionPlaces(context)),
    })
  },
)

/** Combinations that version 3.1.2 also allows. Blocked by CONS-09/all-nine where that fails. */
check(
  'CONS-09/sensible-combinations',
  'Each permission can be asked for without those that it does not need',
  { asks: [permissionCompany] },
  async (context) => {
    const client = await context.caller()
    relyOn('CONS-09/all-nine', await create(client, { Permissions: NINE_PERMISSIONS })).toSucceed()
    await expectTable(context, {
      ...{ owner: 'CONS-09/sensible-combinations', type: permissionCompany },
      rows: ({ lawful, level }) => lawful === true && level === 'must',
      places: companyPlaces(context),
    })
  },
)

/** Each wrong value of the table, by one of the clients; then one value together with dates, by each client. */
check(
  'CONS-10/other-value',
  'A permission outside the nine causes rejection, beside allowed ones and alone',
  { asks: [permissions] },
  async (context) => {
    await expectTable(context, {
      ...{ owner: 'CONS-10/other-value', type: permissions, rows: isOther },
      places: permissionPlaces(context),
    })
    const dates = { ...pastPeriod(), ExpirationDateTime: daysFromNow(30) }
    const Permissions = [...everything.permissions, 'ReadParty']
    const deviation = 'permission ReadParty beside dates'
    for (const client of await clients(context)) {
      relyOn(OWNERS.consentWithPeriod, await create(client, dates)).toSucceed()
      expect(await create(client, { ...dates, Permissions }, { deviation })).toBeRefused()
    }
  },
)

check(
  'CONS-10/in-company',
  'A permission outside the nine causes rejection, whichever of the nine it is beside',
  { asks: [permissionCompany], follows: ['CONS-10/other-value'] },
  async (context) =>
    expectTable(context, {
      ...{ owner: 'CONS-10/in-company', type: permissionCompany },
      rows: ({ lawful, level }) => level === 'must' && !lawful,
      places: companyPlaces(context),
    }),
)

/** The clients of the target, since each may be served by a different service. */
async function clients({ caller, target }: Context): Promise<Caller[]> {
  return [await caller(), ...(target.clients.second ? [await caller('second')] : [])]
}

check(
  'CONS-11/missing',
  'A request without Permissions is refused',
  { for: 'each client' },
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client)).toSucceed()
    const deviation = 'no Permissions'
    expect(await create(client, { Permissions: undefined }, { deviation })).toBeRefused()
    expect(await client.post(CONSENTS, { Risk: {} }, { deviation: 'no Data' })).toBeRefused()
  },
)

check(
  'CONS-12/empty',
  'A request for no permission at all is refused',
  { for: 'each client' },
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client)).toSucceed()
    expect(await create(client, { Permissions: [] }, { deviation: 'Permissions []' })).toBeRefused()
  },
)

check(
  'CONS-12/not-an-array',
  'A request whose Permissions is no array of strings is refused',
  { asks: [permissions] },
  async (context) => {
    await expectTable(context, {
      ...{ owner: 'CONS-12/not-an-array', type: permissions, rows: isOfOtherType },
      places: permissionPlaces(context),
    })
  },
)
