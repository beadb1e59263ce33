import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expectThat, noteNegative, relyOn } from '../../../engine/suite-api/expect.ts'
import { type Exchange, member } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { OF_THE_CLIENT } from '../common/oauth-errors.ts'
import { unknownCode, unknownRefreshToken } from '../common/tokens/unknown-tokens.ts'

/** POST /oauth/token: what an OAuth error says. Requirements: specs/account-information/token.yaml */

for (const { id, owner, what, ask } of [
  { id: 'TOK-56/code', owner: 'TOK-11/unknown', what: 'code', ask: unknownCode },
  {
    id: 'TOK-56/refresh-token',
    owner: 'TOK-13/unknown',
    what: 'refresh token',
    ask: unknownRefreshToken,
  },
] as const) {
  check(
    id,
    `The error for an unknown ${what} does not say that something else is wrong`,
    { uses: [everything], follows: [owner] },
    async (context: Context<typeof everything>) => {
      const answer: Exchange = await ask(context)
      relyOn(owner, answer).toGiveNoToken()
      noteNegative()
      const error = member(answer.response?.json, 'error')
      expectThat(!OF_THE_CLIENT.includes(String(error)), {
        message: `the error for an unknown ${what} is ${String(error)}`,
        expected: 'invalid_grant',
        actual: String(error),
        exchange: answer,
        place: '/error',
      })
    },
  )
}
