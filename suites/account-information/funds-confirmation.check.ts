import { randomBytes } from 'node:crypto'
import type { CallDeviation, Caller } from '../../engine/journey/caller.ts'
import { fundsConfirmationBody } from '../../engine/journey/consent.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { exchangeOf, OWNERS, taken } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { answerOf, refused, succeeded } from '../../engine/judge/matchers.ts'
import { Blocked } from '../../engine/judge/outcome.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { consentIdOf, consentPath, invalidIds, newConsentId } from './common/consent-requests.ts'
import { expiredFundsToken } from './common/expired-token.ts'
import { spellingsOf } from './common/instants.ts'

/**
 * POST and DELETE of funds confirmation consents.
 * Requirements: specs/account-information/funds-confirmation.yaml
 */

const FUNDS = '/funds-confirmation-consents'

const fundsPath = (id: string) => `${FUNDS}/${encodeURIComponent(id)}`

/** A client at work, once the place of these consents is known. */
async function atWork({ steps, caller }: Context): Promise<Caller> {
  taken(await steps.fundsConfirmation())
  return caller()
}

/** The same, once it is known where they are deleted too. */
async function ableToDelete(context: Context): Promise<Caller> {
  const client = await atWork(context)
  taken(await context.steps.fundsDeletion())
  return client
}

/** POST with other members in Data, or in its DebtorAccount; an undefined one is left out. */
function create(
  caller: Caller,
  { data, account }: { data?: Record<string, unknown>; account?: Record<string, unknown> } = {},
  deviation?: CallDeviation,
): Promise<Exchange> {
  const { Data, Risk } = fundsConfirmationBody(caller.tpp.target, caller.funds().scheme)
  const DebtorAccount = { ...(Data.DebtorAccount as object), ...account }
  return caller.post(FUNDS, { Data: { ...Data, DebtorAccount, ...data }, Risk }, deviation)
}

/** The id of one more consent; its creation is the control of what follows. */
async function newFundsId(caller: Caller): Promise<string> {
  const exchange = await create(caller)
  relyOn(OWNERS.fundsConfirmation, exchange)
  return consentIdOf(exchange, 'FCC-07/consent-id')
}

check(
  'FCC-01/answers-201',
  'A valid request for a funds confirmation consent answers 201',
  {},
  async ({ steps }) => {
    expect(exchangeOf(await steps.fundsConfirmation())).toHaveStatus(201)
  },
)

check('FCC-20/unique', 'The same request twice gives two ConsentIds', {}, async (context) => {
  const client = await atWork(context)
  const first = await newFundsId(client)
  const second = await create(client)
  relyOn(OWNERS.fundsConfirmation, second)
  const id = consentIdOf(second, 'FCC-07/consent-id')
  expectThat(id !== first, {
    message: 'two consents have the same ConsentId',
    expected: `another ConsentId than ${first}`,
    actual: id,
    exchange: second,
    place: '/Data/ConsentId',
  })
})

/** A creation with another DebtorAccount is refused, right after the correct one. */
async function expectAccountRefused(
  context: Context,
  account: Record<string, unknown>,
  deviation: string,
): Promise<void> {
  const client = await atWork(context)
  relyOn(OWNERS.fundsConfirmation, await create(client))
  expect(await create(client, { account }, { deviation })).toBeRefused()
}

check(
  'FCC-02/missing-scheme',
  'A request without DebtorAccount.SchemeName is refused',
  {},
  async (context) =>
    expectAccountRefused(context, { SchemeName: undefined }, 'no DebtorAccount.SchemeName'),
)

check(
  'FCC-02/other-scheme',
  'A request with another scheme than UK.STD.PAN is refused',
  {},
  async (context) => {
    for (const SchemeName of ['UK.OBIE.IBAN', 'UK.OBIE.SortCodeAccountNumber', 'PAN']) {
      await expectAccountRefused(context, { SchemeName }, `SchemeName ${SchemeName}`)
    }
  },
)

check(
  'FCC-03/missing-identification',
  'A request without DebtorAccount.Identification is refused',
  {},
  async (context) =>
    expectAccountRefused(context, { Identification: undefined }, 'no DebtorAccount.Identification'),
)

check(
  'FCC-18/missing-debtor-account',
  'A request without DebtorAccount is refused',
  {},
  async (context) => {
    const client = await atWork(context)
    relyOn(OWNERS.fundsConfirmation, await create(client))
    const data = { DebtorAccount: undefined }
    expect(await create(client, { data }, { deviation: 'no DebtorAccount' })).toBeRefused()
    expect(await client.post(FUNDS, { Risk: {} }, { deviation: 'no Data' })).toBeRefused()
  },
)

check(
  'FCC-04/not-four-digits',
  'A request whose Identification is not four digits is refused',
  {},
  async (context) => {
    for (const Identification of ['123', '12345', 'abcd', '4000000000000002']) {
      const deviation = `Identification of ${Identification.length} characters, not four digits`
      await expectAccountRefused(context, { Identification }, deviation)
    }
  },
)

check('FCC-05/accepted', 'Name and SecondaryIdentification may be sent', {}, async (context) => {
  const client = await atWork(context)
  relyOn(OWNERS.fundsConfirmation, await create(client))
  const account = { Name: 'Credit Card', SecondaryIdentification: '0001' }
  expect(await create(client, { account })).toSucceed()
})

check(
  'FCC-06/accepted',
  'ExpirationDateTime may be sent, in any RFC 3339 spelling of UTC',
  {},
  async (context) => {
    const client = await atWork(context)
    relyOn(OWNERS.fundsConfirmation, await create(client))
    for (const ExpirationDateTime of spellingsOf(30)) {
      expect(await create(client, { data: { ExpirationDateTime } })).toSucceed()
    }
  },
)

check('FCC-11/recorded', 'What a request without Risk gives', {}, async (context) => {
  const client = await atWork(context)
  const { Data } = fundsConfirmationBody(context.target, client.funds().scheme)
  const answer = await client.post(FUNDS, { Data }, { deviation: 'no Risk' })
  context.observe('no Risk at creation', answerOf(answer), answer)
})

check(
  'FCC-12/answers-204',
  'DELETE of a funds confirmation consent answers 204',
  {},
  async ({ steps }) => {
    expect(exchangeOf(await steps.fundsDeletion())).toHaveStatus(204)
  },
)

/** One deletion with a missing or invalid Authorization, and then the owner's own. */
const unauthorised = once(async (context) => {
  const client = await ableToDelete(context)
  const path = fundsPath(await newFundsId(client))
  const without = await client.delete(path, { bearer: null, deviation: 'no Authorization header' })
  const bearer = randomBytes(32).toString('base64url')
  const unknown = await client.delete(path, { bearer, deviation: 'an unknown access token' })
  // What was deleted before can't be deleted: the check that let it happen says so.
  const survived = refused(without) && refused(unknown)
  return { without, unknown, own: survived ? await client.delete(path) : undefined }
})

check(
  'FCC-13/without-authorization',
  'DELETE of a funds confirmation consent without Authorization header answers 401',
  {},
  async (context) => {
    expect((await unauthorised(context)).without).toHaveStatus(401)
  },
)

check(
  'FCC-13/invalid-token',
  'DELETE of a funds confirmation consent with an invalid access token answers 401',
  {},
  async (context) => {
    const { unknown, without } = await unauthorised(context)
    relyOnAttempt('FCC-13/without-authorization', without)
    expect(unknown).toHaveStatus(401)
  },
)

/** Ends the check as blocked where an attempt without a valid token was not refused. */
function relyOnAttempt(id: string, attempt: Exchange): void {
  if (refused(attempt)) return
  throw new Blocked({ kind: 'check', id }, 'the attempt was not refused', attempt)
}

check(
  'FCC-13/expired-token',
  'DELETE of a funds confirmation consent with an expired access token answers 401',
  { needs: ['hooks.token-expired'] },
  async (context) => {
    const { unknown } = await unauthorised(context)
    if (unknown.response?.status !== 401) {
      const because = { kind: 'check', id: 'FCC-13/invalid-token' } as const
      throw new Blocked(because, 'a made-up token is not answered 401 either', unknown)
    }
    const client = await ableToDelete(context)
    const id = await newFundsId(client)
    const bearer = await expiredFundsToken(context)
    const answer = await client.delete(fundsPath(id), {
      bearer,
      deviation: 'an expired access token',
    })
    expect(answer).toHaveStatus(401)
  },
)

check(
  'FCC-13/nothing-deleted',
  'A funds confirmation consent survives a DELETE with a missing or invalid Authorization header',
  {},
  async (context) => {
    const { without, unknown, own } = await unauthorised(context)
    relyOnAttempt('FCC-13/without-authorization', without)
    relyOnAttempt('FCC-13/invalid-token', unknown)
    if (own) expect(own).toSucceed()
  },
)

/** The second client's attempt to delete a consent of the first, and the owner's own after it. */
const deletedByAnother = once(async (context) => {
  context.tpp('second')
  const owner = await ableToDelete(context)
  const id = await newFundsId(owner)
  taken(await context.steps.fundsConfirmation('second'))
  const other = await context.caller('second')
  const control = await other.delete(fundsPath(await newFundsId(other)))
  const attempt = await other.delete(fundsPath(id), { deviation: 'a consent of another client' })
  const own = await owner.delete(fundsPath(id))
  return { control, attempt, own }
})

check(
  'FCC-14/refused',
  'DELETE of a funds confirmation consent that another client owns is refused',
  {},
  async (context) => {
    const { control, attempt } = await deletedByAnother(context)
    relyOn(OWNERS.fundsDeletion, control)
    expect(attempt).toBeAnError()
  },
)

/** Ends the check as blocked where the second client was not refused. */
function relyOnRefusal(attempt: Exchange): void {
  if ((attempt.response?.status ?? 0) >= 400) return
  throw new Blocked({ kind: 'check', id: 'FCC-14/refused' }, 'it was not refused', attempt)
}

check(
  'FCC-14/survives',
  'A funds confirmation consent survives the DELETE of another client',
  {},
  async (context) => {
    const { control, attempt, own } = await deletedByAnother(context)
    relyOn(OWNERS.fundsDeletion, control)
    relyOnRefusal(attempt)
    expect(own).toSucceed()
  },
)

check(
  'FCC-23/with-403',
  'The refusal to delete another client’s funds confirmation consent has status 403',
  {},
  async (context) => {
    const { control, attempt } = await deletedByAnother(context)
    relyOn(OWNERS.fundsDeletion, control)
    relyOnRefusal(attempt)
    expect(attempt).toHaveStatus(403)
  },
)

check(
  'FCC-15/invalid-id',
  'DELETE of an invalid ConsentId of a funds confirmation consent gives an error response',
  {},
  async (context) => {
    const client = await ableToDelete(context)
    for (const id of invalidIds(await newFundsId(client))) {
      const deviation = `ConsentId of nothing, ${id.length} characters`
      expect(await client.delete(fundsPath(id), { deviation })).toBeAnError()
    }
  },
)

check(
  'FCC-17/kinds-apart',
  'The funds confirmation path does not delete an account access consent',
  {},
  async (context) => {
    const client = await ableToDelete(context)
    const id = await newConsentId(client)
    relyOn(OWNERS.query, await client.get(consentPath(id)))
    const deviation = 'the ConsentId of an account access consent'
    const answer = await client.delete(fundsPath(id), { deviation })
    context.observe(
      'DELETE of an account access consent as one for funds',
      answerOf(answer),
      answer,
    )
    if (succeeded(answer)) expect(await client.get(consentPath(id))).toSucceed()
  },
)

check(
  'FCC-17/not-as-accounts',
  'The path of account access consents neither shows nor deletes a funds confirmation consent',
  {},
  async (context) => {
    const client = await ableToDelete(context)
    const id = await newFundsId(client)
    const deviation = 'the ConsentId of a funds confirmation consent'
    expect(await client.get(consentPath(id), { deviation })).toBeAnError()
    const answer = await client.delete(consentPath(id), { deviation })
    if (succeeded(answer)) expect(await client.delete(fundsPath(id))).toSucceed()
  },
)
