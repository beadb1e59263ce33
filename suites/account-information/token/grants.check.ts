import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { refreshed, requireValue, tokensOf } from '../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { answerOf, type Exchange } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { relyOnEndsOfOthers } from '../../bystanders.ts'
import { codeOfAnotherClient, everything, secondClient } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import {
  relyOnNothingGiven,
  relyOnThisCode,
  requireGiven,
  requirementOf,
  tryOwnCode,
} from '../common/tokens/codes.ts'
import { newestRefreshToken } from '../common/tokens/refreshed-access.ts'
import { alteredBy, OF_PARTS, OTHER_CASE, OTHER_END } from '../common/tokens/unknown-tokens.ts'
import {
  partiesOf,
  REPLAYED,
  relyOnClientCredentials,
  WRONG_AUTHENTICATIONS,
  type WrongAuthentication,
} from '../common/tokens/wrong-authentications.ts'

/**
 * POST /oauth/token: a client authenticates for every grant as for client_credentials,
 * and uses only its own grants. Requirements: specs/account-information/token.yaml
 */

const ALL: readonly WrongAuthentication[] = [...WRONG_AUTHENTICATIONS, REPLAYED]

for (const [requirement, withCode, withRefreshToken] of [
  ['TOK-05', 'TOK-05/with-code', 'TOK-05/with-refresh-token'],
  ['TOK-06', 'TOK-06/with-code', 'TOK-06/with-refresh-token'],
  ['TOK-07', 'TOK-07/with-code', 'TOK-07/with-refresh-token'],
  ['TOK-08', 'TOK-08/with-code', 'TOK-08/with-refresh-token'],
  ['TOK-32', 'TOK-32/with-code', 'TOK-32/with-refresh-token'],
  ['TOK-33', 'TOK-33/with-code', 'TOK-33/with-refresh-token'],
  ['TOK-39', 'TOK-39/with-code', 'TOK-39/with-refresh-token'],
] as const) {
  const wrongs = ALL.filter(({ id }) => requirementOf(id) === requirement)
  const follows = requirement === 'TOK-32' ? ['TOK-32/replayed'] : []

  check(
    withCode,
    'A code is not exchanged if the client authenticates in this wrong way',
    { uses: [everything, codeOfAnotherClient], follows },
    async (context) => {
      const tries = await tryOwnCode(context)
      const { tried, untyped } = tries
      relyOnNothingGiven(tries)
      const own = tried.filter(({ id }) => requirementOf(id) === requirement)
      for (const { answer } of own) if (answer) expect(answer).toGiveNoToken()
      for (const { id, elsewhere } of own) relyOn(id, elsewhere).toGiveNoToken()
      const given = tried.find(({ answer }) => answer && tokensOf(answer))
      // The code was exchanged afterwards, so it was valid when these requests were refused.
      if (given && own.length > 0) return
      if (given)
        blockBy(`${requirementOf(given.id)}/with-code`, 'the code was exchanged', given.answer)
      if (untyped && tokensOf(untyped))
        blockBy('TOK-02/with-code', 'the code was exchanged', untyped)
      requireGiven(tries)
    },
  )

  check(
    withRefreshToken,
    'A refresh token gets no access token if the client authenticates in this wrong way',
    { uses: [secondClient], spends: secondClient, follows },
    async (context) => {
      for (const wrong of wrongs) await expectNoRefresh(context, wrong)
    },
  )
}

check(
  'TOK-02/with-code',
  'A code is not exchanged by a request without grant_type',
  { uses: [everything, codeOfAnotherClient], follows: ['TOK-02/missing'] },
  async (context) => {
    const tries = await tryOwnCode(context)
    const { untyped } = tries
    relyOnNothingGiven(tries)
    if (untyped && tokensOf(untyped)) {
      const parties = await partiesOf(context)
      const wrong = { form: { grant_type: undefined }, deviation: 'no grant_type' }
      await relyOnClientCredentials(parties, 'TOK-02/missing', wrong)
      expect(untyped).toGiveNoToken()
    }
    requireGiven(tries)
  },
)

/** The first request with this code. The correct request comes last. */
check(
  'TOK-11/other-case',
  'A code with its letters in the other case is refused',
  { uses: [everything, codeOfAnotherClient], follows: ['TOK-11/unknown'] },
  async (context) => {
    const tries = await tryOwnCode(context)
    const recased = tries.near.find(({ id }) => id === 'TOK-11/other-case')
    if (!recased) throw new NotApplicable('the letters of the code are of one case')
    expect(recased.answer).toGiveNoToken()
    requireGiven(tries)
  },
)

/** With another last character, with more behind it, and without its last characters. The correct request comes last. */
check(
  'TOK-11/other-end',
  'A text that begins as a code does, and is not that code, is refused',
  { uses: [everything, codeOfAnotherClient], follows: ['TOK-11/unknown', 'TOK-11/other-case'] },
  async (context) => {
    const tries = await tryOwnCode(context)
    const { near } = tries
    for (const { id, answer } of near) if (id === 'TOK-11/other-end') expect(answer).toGiveNoToken()
    requireGiven(tries)
  },
)

check(
  'TOK-52/with-code',
  'A code is not exchanged by a request that has code or redirect_uri twice, right and wrong',
  {
    uses: [everything, codeOfAnotherClient],
    follows: ['TOK-52/assertion-twice', 'TOK-11/unknown', 'TOK-12/other'],
  },
  async (context) => {
    const tries = await tryOwnCode(context)
    relyOnNothingGiven(tries)
    requireGiven(tries)
    if (!tries.twice) throw new NotApplicable('the code was exchanged before, as other checks tell')
    for (const answer of tries.twice) expect(answer).toGiveNoToken()
  },
)

/** A valid assertion together with the client_id of the code's client, whose own correct request comes last. */
check(
  'TOK-35/named',
  'A code is not exchanged for another client that names in its form the one it was issued to',
  { uses: [everything, codeOfAnotherClient], follows: ['TOK-35/other-client'] },
  async (context) => {
    context.tpp('second')
    const tries = await tryOwnCode(context)
    const { foreign, named } = tries
    relyOnThisCode(tries)
    if (foreign) relyOn('TOK-35/other-client', foreign).toGiveNoToken()
    if (named) expect(named).toGiveNoToken()
    requireGiven(tries)
  },
)

check(
  'TOK-40/left-out',
  'A code is not exchanged without the redirect URI that its request named',
  { uses: [everything, codeOfAnotherClient], follows: ['TOK-12/other'] },
  async (context) => {
    const tries = await tryOwnCode(context)
    relyOnNothingGiven(tries)
    requireGiven(tries)
    if (!tries.unplaced) {
      throw new NotApplicable('the code was exchanged before, as other checks tell')
    }
    expect(tries.unplaced).toGiveNoToken()
  },
)

const WITHOUT_CLIENT_ID = { follows: ['TOK-09/without-client-id'] }

/** Judged where the code then gives a token in a request with client_id. */
check(
  'TOK-09/with-code',
  'A code is exchanged without client_id beside the client assertion',
  { uses: [everything, codeOfAnotherClient], ...WITHOUT_CLIENT_ID },
  async (context) => {
    const tries = await tryOwnCode(context)
    relyOnNothingGiven(tries)
    requireGiven(tries)
    if (!tries.unnamed)
      throw new NotApplicable('the code was exchanged before, as other checks tell')
    expect(tries.unnamed).toGiveAToken()
  },
)

check(
  'TOK-09/with-refresh-token',
  'A refresh token gets an access token without client_id beside the client assertion',
  { uses: [secondClient], ...WITHOUT_CLIENT_ID },
  async (context) => {
    requireValue(await context.steps.refresh(secondClient))
    const approval = await context.approved(secondClient)
    const held = await approval.tokens()
    const grant = { grant_type: 'refresh_token', refresh_token: held.refreshToken ?? '' } as const
    const answer = await approval.tpp.token(grant, { form: { client_id: undefined } })
    const tokens = refreshed(held, answer)
    if (tokens) approval.use(tokens)
    else await approval.refresh()
    expect(answer).toGiveAToken()
  },
)

/** The refresh token of the second client works before each attempt (control). */
const refreshing = sharedFixture([secondClient], async (context) => {
  requireValue(await context.steps.refresh(secondClient))
  const approval = await context.approved(secondClient)
  return async (): Promise<string> => {
    const { refreshToken = '' } = await approval.tokens()
    const control = await approval.tpp.token({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    })
    const tokens = tokensOf(control)
    if (!tokens) {
      relyOnEndsOfOthers(context.session)
      throw new NotApplicable('the bank ends a refresh token at a refusal')
    }
    approval.use({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken })
    return tokens.refreshToken ?? refreshToken
  }
})

async function expectNoRefresh(
  context: Context<typeof secondClient>,
  { id, attempts, byAnother }: WrongAuthentication,
): Promise<void> {
  if (byAnother) context.tpp('second')
  const parties = await partiesOf(context, 'second')
  const next = await refreshing(context)
  for (const wrong of attempts(parties)) {
    const grant = { grant_type: 'refresh_token', refresh_token: await next() } as const
    const answer: Exchange = await parties.tpp.token(grant, wrong)
    if (tokensOf(answer)) await relyOnClientCredentials(parties, id, wrong)
    expect(answer).toGiveNoToken()
  }
}

/** Under its own client_id, and under the other's. Last here: a bank may treat it as theft and end the approval. */
check(
  'TOK-13/other-client',
  'A refresh token is not exchanged for another client than the one that it was issued to',
  { uses: [secondClient], spends: secondClient },
  async (context) => {
    const { approved, caller, observe } = context
    const owner = await approved(secondClient)
    const refreshToken = await newestRefreshToken(context, secondClient)
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken } as const
    const { tpp } = await caller()
    relyOn(OWNERS.management, await tpp.token({ grant_type: 'client_credentials' })).toSucceed()
    expect(
      await tpp.token(grant, { deviation: 'a refresh token of another client' }),
    ).toGiveNoToken()
    const still = await owner.tpp.token(grant)
    const tokens = tokensOf(still)
    observe('its owner’s refresh afterwards', answerOf(still), still)
    if (!tokens) return
    const newest = tokens.refreshToken ?? refreshToken
    owner.use({ ...tokens, refreshToken: newest })
    const named = await tpp.token(
      { ...grant, refresh_token: newest },
      {
        form: { client_id: owner.tpp.registered?.client_id },
        deviation: 'a refresh token of another client, which the form names',
      },
    )
    expect(named).toGiveNoToken()
  },
)

/**
 * The newest refresh token of the second client, with another end; one of parts also in other letters, which
 * TOK-13/unknown leaves out. Last here: a bank may treat a right beginning with a wrong end as theft and end the approval.
 */
check(
  'TOK-13/altered',
  'A refresh token with another end, or with its letters in the other case, is refused',
  { uses: [secondClient], spends: secondClient, follows: ['TOK-13/unknown'] },
  async (context) => {
    const next = await refreshing(context)
    const approval = await context.approved(secondClient)
    const ids = OF_PARTS.test(await next()) ? [...OTHER_CASE, ...OTHER_END] : OTHER_END
    for (const id of ids) {
      const refreshToken = await next()
      const [altered] = alteredBy([id], refreshToken)
      if (!altered) continue
      const deviation = `a refresh token ${altered.words}`
      const grant = { grant_type: 'refresh_token', refresh_token: altered.text } as const
      const answer = await approval.tpp.token(grant, { deviation })
      const tokens = tokensOf(answer)
      if (tokens) approval.use({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken })
      expect(answer).toGiveNoToken()
    }
  },
)
