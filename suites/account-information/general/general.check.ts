import { check } from '../../../engine/suite-api/check.ts'
import type { Tpp } from '../../../engine/suite-api/client.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireExchange, requireValue } from '../../../engine/suite-api/flow.ts'
import {
  type Exchange,
  leadsInside,
  member,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../owners.ts'
import {
  adoptFrom,
  anotherRegistration,
  claimsAgain,
  unlessFull,
  unregistered,
} from '../common/registration/fresh-registration.ts'

/** The service as a whole. Requirements: specs/account-information/general.yaml */

check('GEN-08/read', 'A registration cannot be read after its creation', {}, async ({ steps }) => {
  const step = await steps.registration()
  const registration = requireExchange(step)
  const tpp = requireValue(step)
  await steps.management()
  relyOn(OWNERS.management, await tpp.token({ grant_type: 'client_credentials' })).toSucceed()

  const answer = await manage(tpp, registration, 'GET')

  // A portal answers every address with a page of its own, which has no data of the client.
  const id = tpp.registered?.client_id
  if (succeeded(answer) && id && !answer.response?.body.includes(id)) return
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
    unlessFull(registration)
    adoptFrom(tpp, registration)
    relyOn(OWNERS.management, await tpp.token({ grant_type: 'client_credentials' })).toSucceed()

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
    relyOn(OWNERS.management, await tpp.token({ grant_type: 'client_credentials' })).toSucceed()
    const body = JSON.stringify(claimsAgain({ tpp, exchange }))

    const answer = await manage(tpp, exchange, 'PUT', body)

    expect(answer).toBeRefused()
  },
)

/**
 * Grant_type password with username and password of the first customer's
 * credentials (made-up ones where the target has none of these names),
 * otherwise a correct token request. Fails: an access_token is issued.
 */
check(
  'GEN-10/password-grant',
  "A TPP that sends the customer's credentials gets no access token",
  { for: 'each client' },
  async ({ caller, target }) => {
    const { tpp } = await caller()
    const grant = { grant_type: 'client_credentials' } as const
    relyOn(OWNERS.management, await tpp.token(grant)).toSucceed()

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
  const isOutside = typeof uri === 'string' && !leadsInside(uri, registration.request.url)
  const documented = `${tpp.target.endpoints.registration}/${tpp.registered?.client_id}`
  return tpp.call('elsewhere', {
    method,
    ...(body !== undefined && { body, headers: { 'Content-Type': 'application/json' } }),
    path: isOutside && /^https:/i.test(uri) ? uri : documented,
    bearer: typeof token === 'string' ? token : null,
    identity: tpp.name,
    deviation: `${method} of a registration`,
  })
}

/** User name and password; made-up ones where the customer logs in another way. */
function credentialsOf({ credentials }: { credentials: Record<string, string> }) {
  const { username = 'customer', password = 'secret' } = credentials
  return { username, password }
}
