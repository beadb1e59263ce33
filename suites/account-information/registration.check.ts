import { claimsOf, headerOf, type JwtDeviation, jwt } from '../../engine/client/jwt.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { exchangeOf, OWNERS } from '../../engine/journey/steps.ts'
import { expect } from '../../engine/judge/expect.ts'
import { NotApplicable } from '../../engine/judge/outcome.ts'
import {
  anotherRegistration,
  claimsAgain,
  expectNoClient,
  register,
  softwareStatementOf,
} from './common/fresh-registration.ts'
import { stored } from './common/registered-values.ts'

/** POST /oauth/register. Requirements: specs/account-information/registration.yaml */

check(
  'REG-01/no-certificate',
  'A registration without a client certificate is refused',
  { registers: true },
  async (context) => {
    expectNoClient(
      await register(context, { deviation: 'no client certificate', identity: 'none' }),
    )
  },
)

check(
  'REG-01/untrusted',
  'A registration over a certificate of an unknown authority is refused',
  { registers: true },
  async (context) => {
    expectNoClient(
      await register(context, { deviation: 'an untrusted certificate', identity: 'untrusted' }),
    )
  },
)

check(
  'REG-01/expired',
  'A registration over an expired certificate is refused',
  { registers: true, needs: ['refusedCertificates.expired'] },
  async (context) => {
    if (!context.tpp().wire.has('expired')) {
      throw new NotApplicable('the target has no expired certificate')
    }
    expectNoClient(
      await register(context, { deviation: 'an expired certificate', identity: 'expired' }),
    )
  },
)

check(
  'REG-02/plain-json',
  'A registration that is no JWT is refused',
  { registers: true },
  async (context) => {
    const body = JSON.stringify(claimsAgain(await anotherRegistration(context)))

    expectNoClient(
      await register(context, {
        deviation: 'the claims as unsigned JSON',
        contentType: 'application/json',
        body,
      }),
    )
  },
)

check(
  'REG-03/missing',
  'A registration without a software statement is refused',
  { registers: true },
  async (context) => {
    expectNoClient(
      await register(context, { deviation: 'no software statement', softwareStatement: null }),
    )
  },
)

check(
  'REG-03/unsigned',
  'A software statement without a signature is refused',
  { registers: true },
  async (context) => {
    expectNoClient(
      await register(context, {
        deviation: 'an unsigned software statement',
        softwareStatement: (statement) => signedAgain(context, statement, { alg: 'none' }),
      }),
    )
  },
)

check(
  'REG-03/forged',
  'A software statement that the directory did not sign is refused',
  { registers: true },
  async (context) => {
    expectNoClient(
      await register(context, {
        deviation: 'a software statement signed by a stranger',
        softwareStatement: (statement) => signedAgain(context, statement, { key: 'unknown' }),
      }),
    )
  },
)

check(
  'REG-03/another-organisation',
  "A software statement is refused over another organisation's certificate",
  { registers: true, needs: ['clients.second'] },
  async (context) => {
    const second = context.tpp('second')
    const statement = claimsOf(second.client.softwareStatement ?? '')
    if (!statement || statement.org_id === softwareStatementOf(context)?.org_id) {
      throw new NotApplicable('the target has no second client of another organisation')
    }
    await context.caller('second')
    await anotherRegistration(context)

    const answer = await second.register({
      deviation: "a software statement over another organisation's certificate",
      identity: 'first',
    })

    expectNoClient(answer)
  },
)

check(OWNERS.registration, 'A correct registration answers 201', {}, async ({ steps }) => {
  expect(exchangeOf(await steps.registration())).toHaveStatus(201)
})

check(
  'REG-23/recorded',
  'The claims of a registration that was accepted are recorded',
  {},
  async ({ steps, observe }) => {
    const exchange = exchangeOf(await steps.registration())

    const claims = Object.keys(claimsOf(exchange.request.body ?? '') ?? {})
    observe('claims of the registration', claims.sort().join(' '), exchange)
  },
)

check(
  'REG-24/forged',
  'A registration that the holder of the software statement did not sign is refused',
  { registers: true },
  async (context) => {
    expectNoClient(
      await register(context, { deviation: 'signed by a stranger', jwt: { key: 'unknown' } }),
    )
  },
)

check(
  'REG-24/expired',
  'A registration that has expired is refused',
  { registers: true },
  async (context) => {
    const hourAgo = Math.floor(Date.now() / 1000) - 3600

    expectNoClient(
      await register(context, {
        deviation: 'expired an hour ago',
        jwt: { claims: { iat: hourAgo - 300, exp: hourAgo } },
      }),
    )
  },
)

check(
  'REG-24/other-audience',
  'A registration that is meant for another server is refused',
  { registers: true },
  async (context) => {
    expectNoClient(
      await register(context, {
        deviation: 'for another server',
        jwt: { claims: { aud: 'https://other.example' } },
      }),
    )
  },
)

check(
  'REG-25/recorded',
  'Whether registration issues a client_secret is recorded',
  {},
  async ({ steps, observe }) => {
    const exchange = exchangeOf(await steps.registration())

    const secret = stored(exchange, 'client_secret')
    observe(
      'client_secret of the registration',
      secret === undefined ? 'absent' : 'issued',
      exchange,
    )
  },
)

check(
  'REG-27/text-plain',
  'A registration JWT under another Content-Type is refused',
  { registers: true },
  async (context) => {
    expectNoClient(
      await register(context, { deviation: 'Content-Type text/plain', contentType: 'text/plain' }),
    )
  },
)

/** The software statement's claims under another signature, with the kid of the directory's. */
function signedAgain(context: Context, statement: string, deviation: JwtDeviation): string {
  const { signingKey } = context.tpp().client
  const signer = { key: signingKey, kid: String(headerOf(statement)?.kid) }
  return jwt(claimsOf(statement) ?? {}, signer, deviation)
}
