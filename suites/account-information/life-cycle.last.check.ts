import { type Context, check } from '../../engine/suite-api/check.ts'
import type { Approval } from '../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../engine/suite-api/expect.ts'
import { requireValue, type TokenSet, tokensOf, visitEnd } from '../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import { type Exchange, refused, succeeded } from '../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../engine/suite-api/shared-fixture.ts'
import { everything, reconfirmed, secondClient } from '../consents.ts'
import { dataPaths } from '../ended-consents.ts'
import { OWNERS } from '../owners.ts'
import { ACCOUNTS, consentPath, createConsent } from './common/consent-requests.ts'
import { requireAccountIds } from './common/data-reads.ts'
import { readOwner } from './common/read-owners.ts'
import { settling } from './common/settling.ts'
import { approvedBefore } from './common/visits.ts'

/**
 * The last of all: the consents that everything else needs are deleted, and with them every token that
 * was ever issued for them. Requirements: specs/account-information/life-cycle.yaml
 */

interface End {
  approval: Approval
  deletion: Exchange
  /** The query of the consent just before, and after. */
  queries: { before: Exchange; after: Exchange }
  /** Each path just before, with the token in use. */
  before: { path: string; answer: Exchange }[]
  /** Every token set that was issued for the consent, each access token once. */
  tokens: TokenSet[]
}

async function endOf(
  context: Context<never>,
  approval: Approval,
  issued: readonly (TokenSet | undefined)[],
): Promise<End> {
  // A bank may end everything that was issued for a consent once a wrong client has shown a token of it.
  const list = await approval.get('/accounts')
  if ([401, 403].includes(list.response?.status ?? 0)) {
    throw new NotApplicable('an earlier refusal has ended the tokens of this approval')
  }
  const paths = dataPaths(approval.facts.permissions, await requireAccountIds(approval))
  const before: End['before'] = []
  for (const path of paths) before.push({ path, answer: await approval.get(path) })
  const now = await approval.tokens()
  const tokens = [now, ...issued].filter(
    (each, at, all): each is TokenSet =>
      each !== undefined && all.findIndex((one) => one?.accessToken === each.accessToken) === at,
  )
  const path = consentPath(approval.consentId)
  const query = await approval.get(path)
  const deletion = await approval.delete(path)
  const ask = () => approval.get(path, { deviation: 'its consent was deleted' })
  const after = await settling(context).until(ask, refused)
  return { approval, deletion, queries: { before: query, after }, before, tokens }
}

/** “everything”, which was re-confirmed: tokens of both authorisations, and of refreshes. */
const twiceConfirmed = sharedFixture([everything, reconfirmed], async (context) => {
  const { approved, steps } = context
  await approved(reconfirmed)
  const approval = await approved(everything)
  const issued = [
    (await steps.exchange(everything)).value,
    (await steps.exchange(reconfirmed)).value,
    (await steps.refresh(everything).catch(() => undefined))?.value,
  ]
  return endOf(context, approval, issued)
})

/** “second client”. */
const ofSecondClient = sharedFixture([secondClient], async (context) => {
  context.tpp('second')
  const approval = await context.approved(secondClient)
  requireValue(await context.steps.exchange(secondClient))
  return endOf(context, approval, [(await context.steps.exchange(secondClient)).value])
})

function expectGone(owner: string, { deletion, queries }: End): void {
  if (!succeeded(queries.before)) {
    blockBy('CLC-19/others-untouched', 'it was gone before its own deletion', queries.before)
  }
  relyOn(owner, deletion).toSucceed()
  expect(queries.after).toBeAnError()
}

/** Nothing that was issued for the consent gives data; each path did just before. */
async function expectNothing(
  context: Context<never>,
  owner: string,
  { approval, deletion, before, tokens }: End,
): Promise<void> {
  relyOn(owner, deletion).toSucceed()
  const deviation = 'its consent was deleted'
  const { until } = settling(context)
  for (const { accessToken: bearer } of tokens) {
    for (const { path, answer } of before) {
      relyOn(readOwner(approval, path), answer).toSucceed()
      const ask = () => approval.get(path, { bearer, deviation })
      expect(await until(ask, refused)).toBeRefused()
    }
  }
}

/** No refresh token that was issued for the consent gives an access token which reads accounts. */
async function expectNoRefresh({ approval, deletion, tokens }: End): Promise<void> {
  relyOn('CLC-01/authorised', deletion).toSucceed()
  const deviation = 'a refresh token of a deleted consent'
  const refreshTokens = new Set(tokens.flatMap(({ refreshToken }) => refreshToken ?? []))
  if (refreshTokens.size === 0) throw new NotApplicable('the bank issues no refresh token')
  for (const refresh_token of refreshTokens) {
    const grant = { grant_type: 'refresh_token', refresh_token } as const
    const answer = await approval.tpp.token(grant, { deviation })
    const bearer = tokensOf(answer)?.accessToken
    if (bearer) expect(await approval.get('/accounts', { bearer, deviation })).toBeRefused()
    else expect(answer).toGiveNoToken()
  }
}

check(
  'CLC-03/re-confirmed',
  'A consent that was re-confirmed and then deleted cannot be queried any more',
  { uses: [everything, reconfirmed], follows: ['CLC-03/query-refused'], last: true },
  async (context) => expectGone('CLC-01/authorised', await twiceConfirmed(context)),
)

check(
  'CLC-03/second-client',
  'A consent that the second client deleted cannot be queried by it any more',
  { uses: [secondClient], follows: ['CLC-03/query-refused'], last: true },
  async (context: Context<typeof secondClient>) =>
    expectGone('CLC-01/second-client', await ofSecondClient(context)),
)

check(
  'CLC-04/re-confirmed',
  'After the deletion of a consent that was re-confirmed, no access token of it gets data',
  { uses: [everything, reconfirmed], follows: ['CLC-04/data-refused'], last: true },
  async (context) => expectNothing(context, 'CLC-01/authorised', await twiceConfirmed(context)),
)

check(
  'CLC-04/second-client',
  'After the second client deleted its consent, no access token of it gets data',
  { uses: [secondClient], follows: ['CLC-04/data-refused'], last: true },
  async (context: Context<typeof secondClient>) =>
    expectNothing(context, 'CLC-01/second-client', await ofSecondClient(context)),
)

const LATE_CODE = 'a consent that is deleted before its code is used'

/** Where the code still gives an access token, that reads no data. Fails: data. */
check(
  'CLC-04/late-code',
  'A code that is used after the TPP deleted its consent gives no data',
  { uses: [everything], grants: [LATE_CODE], follows: ['CLC-04/data-refused'], last: true },
  async (context) => {
    await approvedBefore(context, everything)
    const client = await context.caller()
    const consentId = await createConsent(client, ACCOUNTS)
    const visit = await context.visit({ purpose: LATE_CODE, consentId, correct: true })
    if (visit.kind !== 'granted') {
      blockBy(OWNERS.visit, `the visit ended with ${visitEnd(visit)}`, visit.last)
    }
    relyOn('CLC-01/authorised', await client.delete(consentPath(consentId))).toSucceed()
    const deviation = 'a code of a deleted consent'
    const { code, request } = visit
    const grant = { code, redirect_uri: request.redirectUri } as const
    const answer = await client.tpp.token(
      { grant_type: 'authorization_code', ...grant },
      { deviation },
    )
    const bearer = tokensOf(answer)?.accessToken
    if (bearer === undefined) return expect(answer).toGiveNoToken()
    const ask = () => client.get('/accounts', { bearer, deviation })
    expect(await settling(context).until(ask, refused)).toBeRefused()
  },
)

check(
  'TOK-31/re-confirmed',
  'After the deletion of a consent that was re-confirmed, no refresh token of it gives access to data',
  { uses: [everything, reconfirmed], follows: ['TOK-31/deleted'], last: true },
  async (context) => expectNoRefresh(await twiceConfirmed(context)),
)

check(
  'CLC-01/second-client',
  'DELETE of the second client’s own consent answers 204',
  { uses: [secondClient], follows: ['CLC-01/awaiting', 'CLC-01/authorised'], last: true },
  async (context) => {
    expect((await ofSecondClient(context)).deletion).toHaveStatus(204)
  },
)
