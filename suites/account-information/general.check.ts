import type { Tpp } from '../../engine/client/tpp.ts'
import { check } from '../../engine/journey/context.ts'
import { exchangeOf, OWNERS, taken } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { member } from '../../engine/judge/rows.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { anotherRegistration, claimsAgain, unregistered } from './common/fresh-registration.ts'

/** What holds for the service as a whole. Requirements: specs/account-information/general.yaml */

check('GEN-08/read', 'A registration cannot be read after its creation', {}, async ({ steps }) => {
  const step = await steps.registration()
  const registration = exchangeOf(step)
  const tpp = taken(step)
  relyOn(OWNERS.management, await tpp.token({ grant_type: 'client_credentials' }))

  const answer = await manage(tpp, registration, 'GET')

  expect(answer).toBeRefused()
})

check(
  'GEN-08/delete',
  'A registration cannot be deleted after its creation',
  { registers: true },
  async (context) => {
    await anotherRegistration(context)
    const tpp = await unregistered(context)
    const registration = await tpp.register()
    relyOn(OWNERS.registration, registration)
    tpp.adopt(registration.response?.json)
    relyOn(OWNERS.management, await tpp.token({ grant_type: 'client_credentials' }))

    const answer = await manage(tpp, registration, 'DELETE')

    expect(answer).toBeRefused()
  },
)

check(
  'GEN-08/update',
  'A registration cannot be changed after its creation',
  { registers: true },
  async (context) => {
    const { tpp, exchange } = await anotherRegistration(context)
    relyOn(OWNERS.management, await tpp.token({ grant_type: 'client_credentials' }))
    const body = JSON.stringify(claimsAgain({ tpp, exchange }))

    const answer = await manage(tpp, exchange, 'PUT', body)

    expect(answer).toBeRefused()
  },
)

check(
  'GEN-10/password-grant',
  "The customer's credentials, given by the TPP, get no access token",
  {},
  async ({ caller, target }) => {
    const { tpp } = await caller()
    const grant = { grant_type: 'client_credentials' } as const
    relyOn(OWNERS.management, await tpp.token(grant))

    const answer = await tpp.token(grant, {
      deviation: "the customer's credentials",
      form: { grant_type: 'password', ...credentialsOf(target.document.customers.first) },
    })

    expect(answer).toGiveNoToken()
  },
)

/** A request to manage a client at the address and with the token of its registration. */
function manage(
  tpp: Tpp,
  registration: Exchange,
  method: 'GET' | 'PUT' | 'DELETE',
  body?: string,
): Promise<Exchange> {
  const { json } = registration.response ?? {}
  const uri = member(json, 'registration_client_uri')
  const token = member(json, 'registration_access_token')
  const documented = `${tpp.target.endpoints.registration}/${tpp.registered?.client_id}`
  return tpp.call('elsewhere', {
    method,
    ...(body !== undefined && { body, headers: { 'Content-Type': 'application/json' } }),
    path: typeof uri === 'string' && /^https:/i.test(uri) ? uri : documented,
    bearer: typeof token === 'string' ? token : null,
    identity: tpp.name,
    deviation: `${method} of a registration`,
  })
}

/** User name and password; made-up ones where the customer logs in by something else. */
function credentialsOf({ credentials }: { credentials: Record<string, string> }) {
  const { username = 'customer', password = 'secret' } = credentials
  return { username, password }
}
