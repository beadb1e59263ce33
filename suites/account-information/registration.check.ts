import { check } from '../../engine/suite-api/check.ts'
import type { Tpp } from '../../engine/suite-api/client.ts'
import { expect } from '../../engine/suite-api/expect.ts'
import { requireExchange } from '../../engine/suite-api/flow.ts'
import { claimsOf, headerOf, type JwtDeviation, jwt } from '../../engine/suite-api/jwt.ts'
import { NotApplicable } from '../../engine/suite-api/outcomes.ts'
import { succeeded } from '../../engine/suite-api/responses.ts'
import { OWNERS } from '../owners.ts'
import {
  anotherRegistration,
  correctClaims,
  expectNoClient,
  register,
  registeredSecond,
  requireNoneMade,
  softwareStatementOf,
  wrongRegistrationCheck,
} from './common/fresh-registration.ts'
import { stored } from './common/registered-values.ts'

/** POST /oauth/register. Requirements: specs/account-information/registration.yaml */

wrongRegistrationCheck(
  'REG-01/no-certificate',
  'A registration without a client certificate is refused',
  {},
  async (context) => {
    expectNoClient(
      await register(context, { deviation: 'no client certificate', identity: 'none' }),
    )
  },
)

wrongRegistrationCheck(
  'REG-01/untrusted',
  'A registration over a certificate of an unknown authority is refused',
  {},
  async (context) => {
    expectNoClient(
      await register(context, { deviation: 'an untrusted certificate', identity: 'untrusted' }),
    )
  },
)

wrongRegistrationCheck(
  'REG-01/expired',
  'A registration over an expired certificate is refused',
  { needs: ['refusedCertificates.expired'] },
  async (context) => {
    if (!context.tpp().wire.has('expired')) {
      throw new NotApplicable('the target has no expired certificate')
    }
    expectNoClient(
      await register(context, { deviation: 'an expired certificate', identity: 'expired' }),
    )
  },
)

/**
 * The same claims, software statement included, as an unsigned JSON object with Content-Type
 * application/json. Fails: 2xx with a client_id.
 */
wrongRegistrationCheck(
  'REG-02/plain-json',
  'A registration that is no JWT is refused',
  {},
  async (context) => {
    const body = JSON.stringify(await correctClaims(context))

    expectNoClient(
      await register(context, {
        deviation: 'the claims as unsigned JSON',
        contentType: 'application/json',
        body,
      }),
    )
  },
)

const UNSIGNED = {
  deviation: 'an unsigned software statement',
  signature: { alg: 'none' },
} as const

const FORGED = {
  deviation: 'a software statement signed by a stranger',
  signature: { key: 'unknown' },
} as const

wrongRegistrationCheck(
  'REG-03/missing',
  'A registration without a software statement is refused',
  {},
  async (context) => {
    expectNoClient(
      await register(context, { deviation: 'no software statement', softwareStatement: null }),
    )
  },
)

wrongRegistrationCheck(
  'REG-03/unsigned',
  'A software statement without a signature is refused',
  {},
  async (context) => {
    expectNoClient(
      await register(context, {
        deviation: UNSIGNED.deviation,
        softwareStatement: (statement) => signedAgain(context.tpp(), statement, UNSIGNED.signature),
      }),
    )
  },
)

wrongRegistrationCheck(
  'REG-03/forged',
  'A software statement that the directory did not sign is refused',
  {},
  async (context) => {
    expectNoClient(
      await register(context, {
        deviation: FORGED.deviation,
        softwareStatement: (statement) => signedAgain(context.tpp(), statement, FORGED.signature),
      }),
    )
  },
)

/**
 * The second client's complete correct request (its statement, its signature) over the first
 * client's transport certificate; needs a second client of another org_id. Fails: 2xx with a
 * client_id.
 */
check(
  'REG-30/another-organisation',
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

/**
 * The second client's request over its own certificate, the statement unsigned, then signed by a stranger;
 * its correct registration is the control, and that a software may be registered once more. Fails: 2xx with a
 * client_id.
 */
check(
  'REG-03/second-client',
  "The second client's software statement is refused where the directory did not sign it",
  {
    registers: true,
    needs: ['clients.second'],
    follows: ['REG-03/unsigned', 'REG-03/forged'],
  },
  async (context) => {
    const second = await registeredSecond(context)
    for (const { deviation, signature } of context.cases([UNSIGNED, FORGED])) {
      const answer = await second.register({
        deviation,
        softwareStatement: (statement) => signedAgain(second, statement, signature),
      })
      expectNoClient(answer)
    }
  },
)

check(OWNERS.registration, 'A correct registration answers 201', {}, async (context) => {
  const exchange = requireExchange(await context.steps.registration())
  if (!succeeded(exchange)) await requireNoneMade(context)
  expect(exchange).toHaveStatus(201)
})

check(
  'REG-23/recorded',
  'The claims of a registration that was accepted are recorded',
  {},
  async ({ steps, observe }) => {
    const exchange = requireExchange(await steps.registration())

    const claims = Object.keys(claimsOf(exchange.request.body ?? '') ?? {})
    observe('claims of the registration', claims.sort().join(' '), exchange)
  },
)

wrongRegistrationCheck(
  'REG-24/forged',
  'A registration that the holder of the software statement did not sign is refused',
  {},
  async (context) => {
    expectNoClient(
      await register(context, { deviation: 'signed by a stranger', jwt: { key: 'unknown' } }),
    )
    expectNoClient(await register(context, { deviation: 'not signed', jwt: { alg: 'none' } }))
  },
)

wrongRegistrationCheck(
  'REG-24/expired',
  'A registration that has expired is refused',
  {},
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

wrongRegistrationCheck(
  'REG-24/other-audience',
  'A registration that is meant for another server is refused',
  {},
  async (context) => {
    expectNoClient(
      await register(context, {
        deviation: 'a registration for another server',
        jwt: { claims: { aud: 'https://other.example' } },
      }),
    )
  },
)

check(
  'REG-24/second-client',
  'A registration for which the second client’s key did not sign is refused',
  { registers: true, needs: ['clients.second'], follows: ['REG-24/forged'] },
  async (context) => {
    const second = await registeredSecond(context)
    const deviation = 'signed by a stranger, by the second client'
    expectNoClient(await second.register({ deviation, jwt: { key: 'unknown' } }))
  },
)

check(
  'REG-25/recorded',
  'Whether registration issues a client_secret is recorded',
  {},
  async ({ steps, observe }) => {
    const exchange = requireExchange(await steps.registration())

    const secret = stored(exchange, 'client_secret')
    observe(
      'client_secret of the registration',
      secret === undefined ? 'absent' : 'issued',
      exchange,
    )
  },
)

for (const [slug, contentType] of [
  ['text-plain', 'text/plain'],
  ['application-json', 'application/json'],
] as const) {
  wrongRegistrationCheck(
    `REG-27/${slug}`,
    `A registration JWT under the Content-Type ${contentType} is refused`,
    {},
    async (context) => {
      const deviation = `Content-Type ${contentType}`
      expectNoClient(await register(context, { deviation, contentType }))
    },
  )
}

/** The software statement's claims under another signature, with the kid of the directory's. */
function signedAgain({ client }: Tpp, statement: string, deviation: JwtDeviation): string {
  const { signingKey } = client
  const signer = { key: signingKey, kid: String(headerOf(statement)?.kid) }
  return jwt(claimsOf(statement) ?? {}, signer, deviation)
}
