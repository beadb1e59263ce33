import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireValue, tokensOf } from '../../../engine/suite-api/flow.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable } from '../../tables.ts'
import { assertionType, grantType } from '../../values/token-enumerations.ts'
import { assertionTypePlaces, grantTypePlaces, isSentTwice } from './parameter-places.ts'

/**
 * POST /oauth/token: fields that nobody knows, that have no value, or that are sent
 * twice (RFC 6749 3.2). Requirements: specs/account-information/token.yaml
 */

const CLIENT = { grant_type: 'client_credentials' } as const

/** Expects a token for a request with these fields too, if need be right after one without them that gets a token. */
async function expectServedWith(
  { caller, steps }: Context,
  form: Record<string, string>,
  deviation: string,
): Promise<void> {
  requireValue(await steps.management())
  const { tpp } = await caller()
  const ask = () => tpp.token(CLIENT, { form, deviation })
  const answer = await ask()
  if (tokensOf(answer)) return
  // The client may have been locked after wrong requests: right after a correct one it is not.
  relyOn(OWNERS.management, await tpp.token(CLIENT)).toGiveAToken()
  expect(await ask()).toGiveAToken()
}

check(
  'TOK-50/ignored',
  'A token request with one additional, unknown field gets a token',
  {},
  (context) => expectServedWith(context, { assay_unknown: '1' }, 'a field that nobody knows'),
)

/** Fields of other grants, and the secret that a client with private_key_jwt does not send. */
const EMPTY = { client_secret: '', code: '', redirect_uri: '', refresh_token: '' }

check(
  'TOK-51/as-omitted',
  'A token request with optional fields that have no value gets a token',
  {},
  (context) => expectServedWith(context, EMPTY, 'optional fields without a value'),
)

/** A JWT that says nothing, and that nobody signed. */
const WRONG = 'client_assertion=e30.e30.e30'

/** In both orders: one shows a bank that takes the first of two values, the other one that takes the last. */
const ORDERS = [
  { words: 'right, then wrong', respelled: (form: string) => `${form}&${WRONG}` },
  { words: 'wrong, then right', respelled: (form: string) => `${WRONG}&${form}` },
]

check(
  'TOK-52/assertion-twice',
  'A token request with two client assertions, one right and one wrong, gets no token',
  {},
  async ({ caller, steps }) => {
    requireValue(await steps.management())
    const { tpp } = await caller()
    for (const { words, respelled } of ORDERS) {
      const deviation = `client_assertion sent twice: ${words}`
      expect(await tpp.token(CLIENT, { respelled, deviation })).toGiveNoToken()
    }
  },
)

check(
  'TOK-52/grant-type-twice',
  'A token request that has its grant type twice gets no token',
  { asks: [grantType], follows: ['TOK-52/assertion-twice'] },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TOK-52/grant-type-twice', type: grantType, rows: isSentTwice },
      places: grantTypePlaces(['first']),
    }),
)

/** Read by the code of client authentication, and not by that of the grants. */
check(
  'TOK-52/assertion-type-twice',
  'A token request that has the type of its assertion twice gets no token',
  { asks: [assertionType], follows: ['TOK-52/assertion-twice'] },
  (context) =>
    expectTable(context, {
      ...{ owner: 'TOK-52/assertion-type-twice', type: assertionType, rows: isSentTwice },
      places: assertionTypePlaces(['first']),
    }),
)
