import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireExchange, requireValue, tokensOf } from '../../../engine/suite-api/flow.ts'
import { blockForData, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { answerOf, succeeded } from '../../../engine/suite-api/responses.ts'
import { codeOfAnotherClient, everything, secondClient } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectNoneBroken, expectTable, relyOnNoneBroken } from '../../tables.ts'
import { redirectUri } from '../../values/redirect-uri.ts'
import { scope } from '../../values/scope.ts'
import { consentPath, createConsent } from '../common/consents/consent-requests.ts'
import { isWrong, requireScopes, tokenPlaces } from '../common/places/scope-places.ts'
import { clientsOf } from '../common/registration/clients.ts'
import { withFewerScopes } from '../common/registration/narrow-registration.ts'
import { isKnownScope } from '../common/scope-lists.ts'
import { relyOnThisCode, tryOwnCode } from '../common/tokens/codes.ts'
import {
  CONFIRMED_ONCE_MORE,
  confirmedOnceMore,
  NOT_TRIED,
  requireConfirmed,
  requireExchanged,
} from '../common/tokens/once-more.ts'
import { newestRefreshToken } from '../common/tokens/refreshed-access.ts'
import { relyOnRightExchange, TRIED_CODE, triedCode } from '../common/tokens/tried-code.ts'
import {
  alteredBy,
  OF_PARTS,
  OTHER_CASE,
  unknownCode,
  unknownRefreshToken,
} from '../common/tokens/unknown-tokens.ts'
import { unregisteredScope } from './unregistered-scope.ts'

/** POST /oauth/token: the grants, their codes and tokens. Requirements: specs/account-information/token.yaml */

const CLIENT = { grant_type: 'client_credentials' } as const

/** These checks share one code. */
const TRIED = {
  registers: 'where allowed',
  uses: [everything],
  grants: [TRIED_CODE],
} as const

check(
  'TOK-03/client-credentials',
  'A client_credentials request gets an access token',
  {},
  async ({ steps }) => {
    expect(requireExchange(await steps.management())).toGiveAToken()
  },
)

/**
 * Two clients at once, each of which then queries a consent of its own. Not applicable
 * where one of them gets no token: a bank may serve one such request at a time.
 */
check(
  'TOK-03/at-once',
  'Clients that ask for access tokens at the same time each get one that gives access to their own consents',
  { follows: ['TOK-03/client-credentials', 'TOK-17/honoured'] },
  async (context) => {
    context.tpp('second')
    const clients = [await context.caller(), await context.caller('second')]
    const paths: string[] = []
    for (const client of clients) paths.push(consentPath(await createConsent(client)))
    const grants = await Promise.all(clients.map(({ tpp }) => tpp.token(CLIENT)))
    const bearers = grants.map((grant) => tokensOf(grant)?.accessToken)
    for (const [index, { get }] of clients.entries()) {
      const bearer = bearers[index]
      if (bearer === undefined) throw new NotApplicable('the bank serves one client at a time')
      const path = paths[index] ?? ''
      const answer = await get(path, { bearer })
      if (!succeeded(answer)) relyOn(OWNERS.query, await get(path)).toSucceed()
      expect(answer).toSucceed()
    }
  },
)

check(
  'TOK-03/authorization-code',
  'The code of an approval is exchanged for an access token',
  { uses: [everything] },
  async ({ steps }) => {
    expect(requireExchange(await steps.exchange(everything))).toGiveAToken()
  },
)

/**
 * The refresh token of an approval whose access token still works. Fails:
 * no access_token. Not applicable when no refresh token was issued.
 */
check(
  'TOK-03/refresh-token',
  'A refresh token gets an access token',
  { uses: [everything] },
  async ({ steps }) => {
    expect(requireExchange(await steps.refresh(everything))).toGiveAToken()
  },
)

check(
  'TOK-11/unknown',
  'A code that the bank did not issue is refused',
  { uses: [everything] },
  async (context) => expect(await unknownCode(context)).toGiveNoToken(),
)

check(
  'TOK-12/other',
  'A code is not exchanged with another redirect URI than that of its request',
  { ...TRIED, asks: [redirectUri] },
  async (context) => expectNoneBroken((await triedCode(context)).elsewhere, redirectUri),
)

/** Missing authentication in a client_credentials request is judged by TOK-04/no-assertion. */
async function relyOnAuthentication({ caller }: Context): Promise<void> {
  const { tpp } = await caller()
  const deviation = 'no client authentication'
  relyOn(
    'TOK-04/no-assertion',
    await tpp.token(CLIENT, { authentication: 'none', deviation }),
  ).toGiveNoToken()
}

check(
  'TOK-04/authorization-code',
  'A code is not exchanged without client authentication',
  TRIED,
  async (context) => {
    const tried = await triedCode(context)
    relyOnNoneBroken(tried.elsewhere, 'TOK-12/other')
    if (tokensOf(tried.byNobody)) await relyOnAuthentication(context)
    expect(tried.byNobody).toGiveNoToken()
  },
)

/**
 * The code of TOK-12, exchanged correctly after that, is presented again
 * with a new client assertion. If a bank invalidates a code at the first
 * wrong request, this check and TOK-04/authorization-code each use a new
 * code, from one more visit. No later check relies on its tokens.
 */
check('TOK-14/replayed', 'An authorisation code works once', TRIED, async (context) => {
  const tried = await triedCode(context)
  relyOnRightExchange(tried)
  expect(tried.again).toGiveNoToken()
})

check(
  'TOK-13/unknown',
  'A refresh token that the bank did not issue is refused',
  { uses: [everything] },
  async (context) => {
    expect(await unknownRefreshToken(context)).toGiveNoToken()
    const refreshToken = await newestRefreshToken(context, everything)
    const approval = await context.approved(everything)
    const { accessToken } = await approval.tokens()
    const others = [
      ...(OF_PARTS.test(refreshToken) ? [] : alteredBy(OTHER_CASE, refreshToken)),
      { text: accessToken, words: 'that is the access token' },
    ]
    for (const { text, words } of others) {
      if (text === refreshToken) continue
      const grant = { grant_type: 'refresh_token', refresh_token: text } as const
      const answer = await approval.tpp.token(grant, { deviation: `a refresh token ${words}` })
      const tokens = tokensOf(answer)
      if (tokens) approval.use({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken })
      expect(answer).toGiveNoToken()
    }
  },
)

check(
  'TOK-23/not-wider',
  'A refreshed access token has no scope that the first one did not have',
  { uses: [everything] },
  async ({ steps }) => {
    const exchanged = await steps.exchange(everything)
    requireValue(exchanged)
    const first = requireScopes(requireExchange(exchanged))
    const refreshed = await steps.refresh(everything)
    requireValue(refreshed)
    const later = requireScopes(requireExchange(refreshed))
    const wider = later.filter((scope) => isKnownScope(scope) && !first.includes(scope))
    expectThat(wider.length === 0, {
      message: `the refreshed token has more scopes: ${wider.join(' ')}`,
      expected: first.join(' '),
      actual: later.join(' '),
      exchange: refreshed.exchange,
    })
  },
)

/**
 * A refresh with the scope for funds confirmation in addition
 * to those of the first token. Fails: a token with that scope.
 */
check(
  'TOK-23/asked-for',
  'A refresh that asks for a scope which the first access token did not have does not get it',
  { uses: [everything] },
  async (context) => {
    const { approved, steps, caller } = context
    const exchanged = await steps.exchange(everything)
    requireValue(exchanged)
    const first = requireScopes(requireExchange(exchanged))
    const refreshToken = await newestRefreshToken(context, everything)
    const approval = await approved(everything)
    const { scopes } = (await caller()).tpp.client
    const { fundsConfirmation = (await unregisteredScope(context)).beyond } = scopes
    if (first.includes(fundsConfirmation)) blockForData('a scope that the approval does not have')
    const answer = await approval.tpp.token(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      {
        form: { scope: `${first.join(' ')} ${fundsConfirmation}` },
        deviation: 'a refresh that asks for more',
        about: { owns: ['TOK-36/within-registration'] },
      },
    )
    const tokens = tokensOf(answer)
    if (!tokens) return expect(answer).toGiveNoToken()
    approval.use({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken })
    const later = requireScopes(answer)
    expectThat(!later.includes(fundsConfirmation), {
      message: `the refreshed token has the scope ${fundsConfirmation}`,
      expected: first.join(' '),
      actual: later.join(' '),
      exchange: answer,
    })
  },
)

/**
 * Scopes beyond the registered ones, and similar spellings of a registered one, by each client. Fails: a
 * token with a scope that is not registered, or not requested, if the bank follows the requested scope.
 */
check(
  'TOK-36/asked-for',
  'A client_credentials request for a scope that is not registered does not get it',
  { asks: [scope] },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TOK-36/asked-for', type: scope, rows: isWrong },
      places: tokenPlaces(clientsOf(context)),
    }),
)

/**
 * A new client, registered without the scope for funds confirmation, asks for it. Not
 * applicable where the bank registers every scope, or does not give this scope without others.
 */
check(
  'TOK-36/left-out',
  'A client does not get a scope that it did not register, and that others have',
  { registers: true },
  async (context) => {
    const { tpp, leftOut } = await withFewerScopes(context)
    const scope = tpp.client.scopes.accounts
    const deviation = `the scope ${leftOut}, which this client did not register`
    relyOn(OWNERS.management, await tpp.token({ ...CLIENT, scope })).toSucceed()
    const ofOthers = requireExchange(await context.steps.management('first', true))
    if (!tokensOf(ofOthers) || !requireScopes(ofOthers).includes(leftOut)) {
      throw new NotApplicable(`a client that registered ${leftOut} does not get it either`)
    }
    const answer = await tpp.token(
      { ...CLIENT, scope: leftOut },
      { deviation, about: { owns: ['TOK-36/within-registration'] } },
    )
    if (!tokensOf(answer)) return expect(answer).toGiveNoToken()
    expectThat(!requireScopes(answer).includes(leftOut), {
      message: `the access token has the scope ${leftOut}`,
      expected: `no scope but ${scope}`,
      actual: requireScopes(answer).join(' '),
      exchange: answer,
    })
  },
)

check(
  'TOK-27/recorded',
  'What the token endpoint answers without a client certificate',
  {},
  async ({ caller, observe }) => {
    const { tpp } = await caller()
    const answer = await tpp.token(CLIENT, { identity: 'none', deviation: 'no certificate' })
    observe('token request without client certificate', answerOf(answer), answer)
  },
)

/**
 * Records status and scope of a client_credentials request without
 * scope; never fails. A response without scope here is judged by TOK-16.
 */
check(
  'TOK-30/recorded',
  'What a client_credentials request without scope is answered',
  {},
  async ({ caller, observe }) => {
    const { tpp } = await caller()
    const answer = await tpp.token(CLIENT, { form: { scope: undefined }, deviation: 'no scope' })
    observe('client_credentials without scope', answerOf(answer), answer)
    observe('its scope', tokensOf(answer)?.scope ?? 'absent', answer)
  },
)

/**
 * The second client, authenticated correctly over its own certificate,
 * presents a new code of the first client with that client's redirect URI.
 */
check(
  'TOK-35/other-client',
  'A code is not exchanged for another client than the one that it was issued to',
  { uses: [everything, codeOfAnotherClient] },
  async (context) => {
    context.tpp('second')
    const { tpp: other } = await context.caller('second')
    relyOn(OWNERS.management, await other.token(CLIENT)).toSucceed()
    const tries = await tryOwnCode(context)
    relyOnThisCode(tries)
    if (tries.foreign) expect(tries.foreign).toGiveNoToken()
  },
)

check(
  'TOK-04/refresh-token',
  'A refresh token gets no access token without client authentication',
  { uses: [secondClient], spends: secondClient },
  async (context) => {
    const { tpp } = await context.approved(secondClient)
    const refreshToken = await newestRefreshToken(context, secondClient)
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken } as const
    const deviation = 'a refresh token without client authentication'
    const answer = await tpp.token(grant, { authentication: 'none', deviation })
    if (tokensOf(answer)) await relyOnAuthentication(context)
    expect(answer).toGiveNoToken()
  },
)

/** Here the code is also one from a re-confirmation. */
check(
  'TOK-35/second-client',
  'The code of a re-confirmation for the second client is not exchanged for the first',
  { ...CONFIRMED_ONCE_MORE, follows: ['TOK-35/other-client'] },
  async (context) => {
    const { tried, right } = await confirmedOnceMore(context)
    if (!tried.foreign) throw new NotApplicable(NOT_TRIED)
    relyOn(OWNERS.management, await (await context.caller()).tpp.token(CLIENT)).toSucceed()
    expect(tried.foreign).toGiveNoToken()
    requireExchanged(right, tried.foreign)
  },
)

check(
  'TOK-12/second-client',
  'The code of a re-confirmation is not exchanged with another redirect URI for the second client',
  { ...CONFIRMED_ONCE_MORE, asks: [redirectUri], follows: ['TOK-12/other'] },
  async (context) => {
    const { tried, right } = await confirmedOnceMore(context)
    if (tried.foreign) relyOn('TOK-35/second-client', tried.foreign).toGiveNoToken()
    if (!tried.elsewhere) throw new NotApplicable(NOT_TRIED)
    expectNoneBroken(tried.elsewhere, redirectUri)
    requireExchanged(right, tried.elsewhere)
  },
)

check(
  'TOK-04/second-client',
  'The code of a re-confirmation is not exchanged for the second client without authentication',
  { ...CONFIRMED_ONCE_MORE, follows: ['TOK-04/authorization-code', 'TOK-04/no-assertion'] },
  async (context) => {
    const { tried, right } = await confirmedOnceMore(context)
    if (tried.foreign) relyOn('TOK-35/second-client', tried.foreign).toGiveNoToken()
    if (tried.elsewhere) relyOnNoneBroken(tried.elsewhere, 'TOK-12/second-client')
    if (!tried.byNobody) throw new NotApplicable(NOT_TRIED)
    expect(tried.byNobody).toGiveNoToken()
    requireExchanged(right, tried.byNobody)
  },
)

check(
  'TOK-14/second-client',
  'The code of a re-confirmation for the second client works once',
  { ...CONFIRMED_ONCE_MORE, follows: ['TOK-14/replayed'] },
  async (context) => {
    const { again } = requireConfirmed(await confirmedOnceMore(context))
    if (!again) throw new NotApplicable('the tokens of the code are needed, older ones are ended')
    expect(again).toGiveNoToken()
  },
)
