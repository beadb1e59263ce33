import { check } from '../../../engine/suite-api/check.ts'
import { expect } from '../../../engine/suite-api/expect.ts'
import { requireExchange } from '../../../engine/suite-api/flow.ts'
import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { succeeded } from '../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable } from '../../tables.ts'
import { jws } from '../../values/jws.ts'
import {
  anotherRegistration,
  correctClaims,
  expectNoClient,
  register,
  registeredSecond,
  requireNoneMade,
  wrongRegistrationCheck,
} from '../common/registration/fresh-registration.ts'
import { stored } from '../common/registration/registered-values.ts'
import {
  REGISTRATION_CHECKS,
  registrationObject,
  SECOND_CLIENT_CHECKS,
} from './registration-objects.ts'

/** POST /oauth/register. Requirements: specs/account-information/registration.yaml */

/**
 * The same claims, software statement included, as an unsigned JSON object with Content-Type
 * application/json. Fails: 2xx with a client_id.
 */
wrongRegistrationCheck(
  'REG-02/plain-json',
  'A registration that is not a JWT is refused',
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

for (const { id, title, kind, rows, ...options } of REGISTRATION_CHECKS) {
  wrongRegistrationCheck(id, title, { ...options, asks: [jws] }, (context) =>
    expectTable(context, { owner: id, type: jws, rows, places: [registrationObject(kind)] }),
  )
}

/**
 * The second client's complete correct request (its statement, its signature)
 * over the first client's transport certificate, then the first client's statement
 * with the second client's signature and certificate; needs a second client of
 * another org_id. Fails: 2xx with a client_id.
 */
check(
  'REG-30/another-organisation',
  "A software statement is refused over another organisation's certificate",
  { registers: true, needs: ['clients.second'] },
  async (context) => {
    const second = context.tpp('second')
    const statement = claimsOf(second.client.softwareStatement ?? '')
    const { client } = context.tpp()
    const own = claimsOf(client.softwareStatement ?? '')
    if (!statement || statement.org_id === own?.org_id) {
      throw new NotApplicable('the target has no second client of another organisation')
    }
    await context.caller('second')
    await anotherRegistration(context)

    const answer = await second.register({
      deviation: "a software statement over another organisation's certificate",
      identity: 'first',
    })

    expectNoClient(answer)

    const { software_id } = own ?? {}
    const claims = { iss: software_id, software_id, redirect_uris: client.redirectUris }
    const stolen = await second.register({
      deviation: "another organisation's software statement",
      softwareStatement: client.softwareStatement ?? null,
      jwt: { claims },
    })

    expectNoClient(stolen)
  },
)

/**
 * Over the second client's own certificate. The controls are its correct registration, and that
 * a software may be registered again. Fails: 2xx with a client_id.
 */
for (const { id, title, kind, rows, ...options } of SECOND_CLIENT_CHECKS) {
  check(
    id,
    title,
    { ...options, asks: [jws], registers: true, needs: ['clients.second'] },
    async (context) => {
      const places = [registrationObject(kind, await registeredSecond(context))]
      await expectTable(context, { owner: id, type: jws, rows, places })
    },
  )
}

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

for (const [id, contentType] of [
  ['REG-27/text-plain', 'text/plain'],
  ['REG-27/application-json', 'application/json'],
] as const) {
  wrongRegistrationCheck(
    id,
    `A registration JWT under the Content-Type ${contentType} is refused`,
    {},
    async (context) => {
      const deviation = `Content-Type ${contentType}`
      expectNoClient(await register(context, { deviation, contentType }))
    },
  )
}
