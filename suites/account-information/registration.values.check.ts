import { redirectsTo } from '../../engine/client/redirect.ts'
import { check } from '../../engine/journey/context.ts'
import { OWNERS, taken } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { NotApplicable } from '../../engine/judge/outcome.ts'
import { everything } from '../consents.ts'
import {
  anotherRegistration,
  claimsAgain,
  madeClient,
  register,
} from './common/fresh-registration.ts'
import {
  ONE_CLIENT,
  redirectUris,
  visitOf,
  withFewerGrants,
  withFewerRedirectUris,
} from './common/narrow-registration.ts'
import { expectNotRegistered, listOf, notIn, registeredValues } from './common/registered-values.ts'

/**
 * POST /oauth/register: which values are registered, and what they allow.
 * Requirements: specs/account-information/registration.yaml
 */

check(
  'REG-04/outside',
  'A redirect URI outside the software statement is not registered',
  { registers: true },
  async (context) => {
    const uri = 'https://elsewhere.invalid/callback'

    const answer = await register(context, {
      deviation: 'a redirect URI outside the software statement',
      jwt: { claims: { redirect_uris: [...(await redirectUris(context)), uri] } },
    })

    expectNotRegistered(answer, 'redirect_uris', uri)
  },
)

check(
  'REG-04/similar',
  'A redirect URI that is nearly one of the software statement is not registered',
  { registers: true },
  async (context) => {
    const uris = await redirectUris(context)
    for (const uri of likeOneOf(uris)) {
      const answer = await register(context, {
        deviation: 'a redirect URI that is nearly one of the software statement',
        jwt: { claims: { redirect_uris: [...uris, uri] } },
      })

      expectNotRegistered(answer, 'redirect_uris', uri)
    }
  },
)

check(
  'REG-04/subset',
  'A part of the redirect URIs of the software statement can be registered',
  { registers: true },
  async (context) => {
    const { exchange } = await withFewerRedirectUris(context)

    expect(exchange).toSucceed()
  },
)

check(
  'REG-05/grant-type',
  'A grant type that the configuration does not advertise is not registered',
  { registers: true },
  async (context) => {
    const advertised = await listOf(context, 'grant_types_supported')
    const candidates = ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code']
    const grantType = notIn(advertised, candidates)

    const answer = await register(context, {
      deviation: 'a grant type that is not advertised',
      jwt: { claims: { grant_types: ['authorization_code', 'client_credentials', grantType] } },
    })

    expectNotRegistered(answer, 'grant_types', grantType)
  },
)

check(
  'REG-05/response-type',
  'A response type that the configuration does not advertise is not registered',
  { registers: true },
  async (context) => {
    const advertised = await listOf(context, 'response_types_supported')
    const responseType = notIn(advertised, ['token', 'id_token token', 'code token', 'code'])

    const answer = await register(context, {
      deviation: 'a response type that is not advertised',
      jwt: { claims: { response_types: ['code id_token', responseType] } },
    })

    expectNotRegistered(answer, 'response_types', responseType)
  },
)

check(
  'REG-05/auth-method',
  'An authentication method that the configuration does not advertise is not registered',
  { registers: true },
  async (context) => {
    const advertised = await listOf(context, 'token_endpoint_auth_methods_supported')
    const candidates = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'none']
    const method = notIn(advertised, candidates)

    const answer = await register(context, {
      deviation: 'an authentication method that is not advertised',
      jwt: { claims: { token_endpoint_auth_method: method } },
      about: { owns: ['REG-17/private-key-jwt'] },
    })

    expectNotRegistered(answer, 'token_endpoint_auth_method', method)
  },
)

/** Members of a registration that name an algorithm, their lists in the configuration, their rules. */
const ALGORITHMS = [
  {
    name: 'request_object_signing_alg',
    list: 'request_object_signing_alg_values_supported',
    rule: 'REG-18/ps256',
  },
  {
    name: 'id_token_signed_response_alg',
    list: 'id_token_signing_alg_values_supported',
    rule: 'REG-19/ps256',
  },
  {
    name: 'token_endpoint_auth_signing_alg',
    list: 'token_endpoint_auth_signing_alg_values_supported',
    rule: 'REG-20/ps256',
  },
]

check(
  'REG-05/signing-algorithm',
  'A signing algorithm that the configuration does not advertise is not registered',
  { registers: true },
  async (context) => {
    const configuration = taken(await context.steps.discovery())
    const listed = ALGORITHMS.filter(({ list }) => Array.isArray(configuration[list]))
    if (listed.length === 0) throw new NotApplicable('the configuration lists no algorithms')
    for (const { name, list, rule } of listed) {
      const algorithm = notIn(await listOf(context, list), ['RS256', 'none', 'HS256'])
      const answer = await register(context, {
        deviation: `an algorithm that is not advertised for ${name}`,
        jwt: { claims: { [name]: algorithm } },
        about: { owns: [rule] },
      })
      expectNotRegistered(answer, name, algorithm)
    }
  },
)

check(
  'REG-05/scope',
  'A scope that the configuration does not advertise is not registered',
  { registers: true },
  async (context) => {
    const advertised = await listOf(context, 'scopes_supported')
    const scope = notIn(advertised, ['payments', 'offline_access', 'profile'])
    const claims = claimsAgain(await anotherRegistration(context))

    const answer = await register(context, {
      deviation: 'a scope that is not advertised',
      jwt: { claims: { scope: `${claims.scope} ${scope}` } },
    })

    expectNotRegistered(answer, 'scope', scope)
  },
)

check(
  'REG-12/unregistered-grant',
  'A client gets no token by a grant type that is not registered for it',
  { registers: true },
  async (context) => {
    const correct = await anotherRegistration(context)
    const tpp = await withFewerGrants(context)
    const grant = { grant_type: 'client_credentials' } as const
    relyOn(OWNERS.management, await correct.tpp.token(grant))

    const answer = await tpp.token(grant, { deviation: 'a grant type that is not registered' })

    expect(answer).toGiveNoToken()
  },
)

check(
  'REG-13/left-out',
  'A redirect URI that was not registered gets no code',
  { registers: true, uses: ['everything'], refusals: 1 },
  async (context) => {
    const { exchange, leftOut, tpp, another } = await withFewerRedirectUris(context)
    if (!another) throw new NotApplicable(ONE_CLIENT)
    if (!madeClient(exchange)) throw new NotApplicable('the bank registers no part of the URIs')
    if (registeredValues(exchange, 'redirect_uris').includes(leftOut)) {
      throw new NotApplicable('the bank registers every redirect URI of the software statement')
    }
    tpp.adopt(exchange.response?.json)
    await context.approved(everything)

    const visit = await visitOf(context, tpp, leftOut)

    const granted = visit.kind === 'granted' && redirectsTo(visit.redirect, leftOut)
    expectThat(!granted, {
      message: 'a code arrived at a redirect URI that is not registered',
      expected: 'no code',
      actual: 'a code',
      exchange: visit.last,
    })
  },
)

/** Addresses that are nearly the first of these: a path below it, a query, a host below its own. */
function likeOneOf([first = '']: string[]): string[] {
  const { origin, pathname, hostname } = new URL(first)
  const below = new URL(`${origin}${pathname.replace(/\/$/, '')}/more`)
  const queried = new URL(`${origin}${pathname}?more=1`)
  const sub = new URL(first)
  sub.hostname = `more.${hostname}`
  // No host is below an IP address: that one stays as it is.
  return [below, queried, sub].map(({ href }) => href).filter((uri) => uri !== new URL(first).href)
}
