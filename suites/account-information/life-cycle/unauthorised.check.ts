import { randomBytes } from 'node:crypto'
import { check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { type Caller, requireExchange } from '../../../engine/suite-api/flow.ts'
import { OWNERS } from '../../owners.ts'
import { expectNoneBroken } from '../../tables.ts'
import { bearerCredential } from '../../values/bearer-credential.ts'
import { consentPath } from '../common/consents/consent-requests.ts'
import { awaitingDeleted } from '../common/consents/deleted-consents.ts'
import { ableToDelete, fundsPath } from '../common/consents/funds-consents.ts'
import {
  attempts,
  expectElsewhereRefused,
  expectNothingDeleted,
  OF_ACCOUNTS,
  OF_FUNDS,
  relyOnRefusals,
} from '../common/consents/unauthorised-deletions.ts'

/**
 * Deletions of both kinds of consents with a missing or invalid Authorization header.
 * Requirements: specs/account-information/life-cycle.yaml, funds-confirmation.yaml
 */

check(
  'CLC-07/without-authorization',
  'DELETE of a consent without Authorization header answers 401',
  { asks: [bearerCredential] },
  async (context) => expectNoneBroken(await attempts.accounts.missing(context), bearerCredential),
)

check(
  'CLC-07/invalid-token',
  'DELETE of a consent with an invalid Authorization header answers 401',
  { asks: [bearerCredential], follows: ['DATA-03/unknown-token'] },
  async (context) => {
    relyOnRefusals(await attempts.accounts.missing(context), OF_ACCOUNTS.missing)
    expectNoneBroken(await attempts.accounts.invalid(context), bearerCredential)
  },
)

check(
  'CLC-07/in-the-query',
  'DELETE of a consent with an access token elsewhere than in its Authorization header is refused',
  { asks: [bearerCredential] },
  (context) => expectElsewhereRefused(context, attempts.accounts, OF_ACCOUNTS),
)

check(
  'CLC-07/nothing-deleted',
  'A consent survives a DELETE with a missing or invalid Authorization header',
  {},
  (context) => expectNothingDeleted(context, attempts.accounts, OF_ACCOUNTS),
)

check(
  'FCC-13/without-authorization',
  'DELETE of a funds confirmation consent without Authorization header answers 401',
  { asks: [bearerCredential] },
  async (context) => expectNoneBroken(await attempts.funds.missing(context), bearerCredential),
)

check(
  'FCC-13/invalid-token',
  'DELETE of a funds confirmation consent with an invalid Authorization header answers 401',
  { asks: [bearerCredential], follows: ['DATA-03/unknown-token'] },
  async (context) => {
    relyOnRefusals(await attempts.funds.missing(context), OF_FUNDS.missing)
    expectNoneBroken(await attempts.funds.invalid(context), bearerCredential)
  },
)

check(
  'FCC-13/in-the-query',
  'DELETE of a funds confirmation consent with an access token elsewhere than in its Authorization header is refused',
  { asks: [bearerCredential], follows: ['CLC-07/in-the-query'] },
  (context) => expectElsewhereRefused(context, attempts.funds, OF_FUNDS),
)

check(
  'FCC-13/nothing-deleted',
  'A funds confirmation consent survives a DELETE with a missing or invalid Authorization header',
  {},
  (context) => expectNothingDeleted(context, attempts.funds, OF_FUNDS),
)

/** Fails: another status than 401. Whether the consent is there is asked only of a client that has authenticated. */
async function expectUnauthorised(client: Caller, path: string): Promise<void> {
  const bearer = randomBytes(32).toString('base64url')
  for (const wrong of [
    { bearer: null, deviation: 'no Authorization header, and the consent was deleted before' },
    { bearer, deviation: 'a made-up token, and the consent was deleted before' },
  ]) {
    expect(await client.delete(path, wrong)).toHaveStatus(401)
  }
}

check(
  'CLC-28/deleted',
  'DELETE with a missing or invalid Authorization header answers 401 for a deleted consent, too',
  { follows: [OF_ACCOUNTS.missing, OF_ACCOUNTS.invalid] },
  async (context) => {
    const { id, deletion } = await awaitingDeleted(context)
    relyOn(OWNERS.deletion, deletion).toSucceed()
    await expectUnauthorised(await context.caller(), consentPath(id))
  },
)

check(
  'FCC-30/deleted',
  'DELETE with a missing or invalid Authorization header answers 401 for a deleted funds confirmation consent, too',
  { follows: [OF_FUNDS.missing, OF_FUNDS.invalid, 'CLC-28/deleted'] },
  async (context) => {
    const client = await ableToDelete(context)
    const deletion = requireExchange(await context.steps.fundsDeletion())
    relyOn(OWNERS.fundsDeletion, deletion).toSucceed()
    await expectUnauthorised(client, fundsPath(deletion.about.subject ?? ''))
  },
)
