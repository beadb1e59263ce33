import { check } from '../../../engine/suite-api/check.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { refreshed, requireExchange, requireValue } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { everything, OF_EVERYBODY } from '../../consents.ts'
import { createConsent } from '../common/consents/consent-requests.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { requireScopes } from '../common/places/scope-places.ts'
import { isKnownScope } from '../common/scope-lists.ts'

/**
 * POST /oauth/token: the scope that a token has by what the bank says, and what the token
 * opens. Requirements: specs/account-information/token.yaml
 */

const MORE = 'the access token gives access to more than its scope'

/** A consent is created with the token of a client_credentials grant. Fails: the token has another scope. */
check(
  'TOK-38/as-stated',
  'A token that creates account access consents has their scope, as the token response states it',
  {},
  async (context) => {
    const client = await context.caller()
    const { accounts, fundsConfirmation: other } = client.tpp.client.scopes
    const grant = requireExchange(await context.steps.management())
    await createConsent(client)
    const scopes = requireScopes(grant)
    expectThat(scopes.includes(accounts) || other === undefined || !scopes.includes(other), {
      message: MORE,
      expected: `a scope with ${accounts}`,
      actual: scopes.join(' '),
      exchange: grant,
    })
  },
)

/**
 * The token of a code reads accounts. Fails: the scopes that came with it are all known to be for something else. Not
 * judged: scopes that only this server knows, such as one for the consent of the token.
 */
check(
  'TOK-38/data-as-stated',
  'A token that reads accounts has their scope, as the token response states it',
  {
    uses: [everything],
    over: OF_EVERYBODY,
    follows: ['TOK-16/space-separated', 'TOK-36/within-registration', 'TOK-38/as-stated'],
  },
  async ({ approved, steps }, consent) => {
    const approval = await approved(consent)
    const exchanged = await steps.exchange(consent)
    requireValue(exchanged)
    const grant = requireExchange(exchanged)
    const read = requireExchange(await steps.accounts(consent))
    relyOn(readOwner(approval, '/accounts'), read).toSucceed()
    const { accounts, fundsConfirmation } = approval.tpp.client.scopes
    const others = ['openid', 'offline_access', fundsConfirmation]
    const scopes = requireScopes(grant)
    const isOther = (one: string) => others.includes(one) || isKnownScope(one)
    const isNamed = scopes.includes(accounts) || scopes.some((one) => !isOther(one))
    expectThat(isNamed, {
      message: MORE,
      expected: `a scope with ${accounts}`,
      actual: scopes.join(' '),
      exchange: grant,
    })
  },
)

/**
 * Right after a refresh without scope, and once more if that fails: a bank may know a new refresh token a moment late. Not
 * applicable where the bank states scopes of its own: it may state others at each answer. It may ignore what is asked for.
 */
check(
  'TOK-23/named',
  'A refresh that names the scopes which the first access token had gets an access token',
  { uses: [everything], follows: ['TOK-16/space-separated'] },
  async ({ approved, steps }) => {
    const exchanged = await steps.exchange(everything)
    requireValue(exchanged)
    const first = requireScopes(requireExchange(exchanged))
    requireValue(await steps.refresh(everything))
    const approval = await approved(everything)
    const { tpp } = approval
    const { accounts } = tpp.client.scopes
    const own = first.filter((one) => !['openid', 'offline_access', accounts].includes(one))
    if (own.length > 0 || !first.includes(accounts)) {
      throw new NotApplicable('the bank states scopes of its own')
    }
    const ask = async () => {
      await approval.refresh()
      const held = await approval.tokens()
      const grant = { grant_type: 'refresh_token', refresh_token: held.refreshToken ?? '' } as const
      const form = { scope: first.join(' ') }
      const answer = await tpp.token(grant, { form, deviation: 'a refresh that names its scopes' })
      const tokens = refreshed(held, answer)
      if (tokens) approval.use(tokens)
      return { answer, tokens }
    }
    const { answer, tokens } = await ask()
    expect(tokens ? answer : (await ask()).answer).toGiveAToken()
  },
)
