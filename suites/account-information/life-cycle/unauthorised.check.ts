import { check } from '../../../engine/suite-api/check.ts'
import { expectNoneBroken } from '../../tables.ts'
import { bearerCredential } from '../../values/bearer-credential.ts'
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
