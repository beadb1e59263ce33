import type { Context } from '../../../../engine/suite-api/check.ts'
import { expect, matchers } from '../../../../engine/suite-api/expect.ts'
import type { CallDeviation } from '../../../../engine/suite-api/flow.ts'
import { blockBy } from '../../../../engine/suite-api/outcomes.ts'
import { type Exchange, refused } from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { type Asked, askTable, expectNoneBroken } from '../../../tables.ts'
import {
  bearerCredential,
  type Credentials,
  isElsewhere,
  isInvalid,
  isMissing,
} from '../../../values/bearer-credential.ts'
import type { Value } from '../../../values/value-type.ts'
import { deletionPlaces } from '../places/credential-places.ts'
import { accountAccess, type ConsentKind, fundsConfirmation } from './consent-kinds.ts'

/** Deletions of unauthorised consents of both kinds, with a missing or invalid Authorization header. */

type Row = Value<Credentials, CallDeviation>

/** For each kind, the checks that judge a missing and an invalid header. */
export const OF_ACCOUNTS = {
  missing: 'CLC-07/without-authorization',
  invalid: 'CLC-07/invalid-token',
}
export const OF_FUNDS = { missing: 'FCC-13/without-authorization', invalid: 'FCC-13/invalid-token' }

/** Sends these rows to the deletions of a kind, once for all checks; a correct bank refuses each with status 401. */
function deletions(owner: string, kind: ConsentKind, rows: (row: Row) => boolean) {
  return sharedFixture([], async (context) => {
    const clients = await kind.clients(context)
    // Whether they are refused by 401 or by another status is open.
    const judge = rows === isElsewhere ? undefined : with401
    const places = deletionPlaces(kind, clients, judge)
    return askTable(context, { owner, type: bearerCredential, rows, places })
  })
}

/** Octets of a header that nginx and Apache httpd take by default; they refuse a longer one with 400 before it is read. */
const LONGEST = 8000

/**
 * A gateway may refuse a header as too large before it is read (RFC 6585 section 5). The token for registration queries is
 * one that the bank issued: RFC 6750 section 3.1 has 403 for what it does not open.
 */
function with401(answer: Exchange, { registrationToken }: Credentials) {
  const sent = answer.request.headers.map(([, value]) => value)
  const isLong = sent.some((value) => value.length > LONGEST)
  const isForQueries = sent.includes(`Bearer ${registrationToken}`)
  const others = [...(isLong ? [400, 413] : []), ...(isForQueries ? [403] : [])]
  return matchers.toHaveStatus(answer, 401, 431, ...others)
}

/** Each of them runs once, for all checks. */
export const attempts = {
  accounts: {
    missing: deletions(OF_ACCOUNTS.missing, accountAccess, isMissing),
    invalid: deletions(OF_ACCOUNTS.invalid, accountAccess, isInvalid),
    elsewhere: deletions('CLC-07/in-the-query', accountAccess, isElsewhere),
  },
  funds: {
    missing: deletions(OF_FUNDS.missing, fundsConfirmation, isMissing),
    invalid: deletions(OF_FUNDS.invalid, fundsConfirmation, isInvalid),
    elsewhere: deletions('FCC-13/in-the-query', fundsConfirmation, isElsewhere),
  },
}

type Attempts = (typeof attempts)['accounts']

/** Ends the check where one of these values was accepted; the check that sends them reports it. */
export function relyOnRefusals({ broken }: Asked, owner: string): void {
  const served = broken.find(({ exchange }) => !exchange || !refused(exchange))
  if (served) blockBy(owner, `relies on ${owner}: ${served.finding.message}`, served.exchange)
}

/** Expects that a token in a wrong place is refused, after a missing or invalid header was refused. */
export async function expectElsewhereRefused(
  context: Context,
  { missing, invalid, elsewhere }: Attempts,
  owners: { missing: string; invalid: string },
): Promise<void> {
  relyOnRefusals(await missing(context), owners.missing)
  relyOnRefusals(await invalid(context), owners.invalid)
  expectNoneBroken(await elsewhere(context), bearerCredential)
}

/** Expects that every consent that these attempts did not delete still exists. */
export async function expectNothingDeleted(
  context: Context,
  { missing, invalid }: Attempts,
  owners: { missing: string; invalid: string },
): Promise<void> {
  const [without, wrong] = [await missing(context), await invalid(context)]
  relyOnRefusals(without, owners.missing)
  relyOnRefusals(wrong, owners.invalid)
  for (const answer of [...without.after, ...wrong.after]) expect(answer).toSucceed()
}
