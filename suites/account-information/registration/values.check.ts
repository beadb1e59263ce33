import { randomUUID } from 'node:crypto'
import { type Context, check } from '../../../engine/suite-api/check.ts'
import { redirectsTo, type Tpp } from '../../../engine/suite-api/client.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireValue } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { succeeded } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable } from '../../tables.ts'
import { redirectUri } from '../../values/redirect-uri.ts'
import {
  besideRegistration,
  firstRegistration,
  isWrong,
  secondRegistration,
} from '../common/places/redirect-places.ts'
import {
  anotherRegistration,
  correctClaims,
  isAnotherClient,
  madeClient,
  REPLACED,
  register,
  wrongRegistrationCheck,
} from '../common/registration/fresh-registration.ts'
import {
  ONE_CLIENT,
  redirectUris,
  visitOf,
  withFewerRedirectUris,
  withoutGrants,
  withoutRefreshTokens,
} from '../common/registration/narrow-registration.ts'
import {
  expectNotRegistered,
  LISTS,
  requireList,
  requireRegisteredValues,
  requireUnadvertised,
  stored,
} from '../common/registration/registered-values.ts'
import { relyOnRightExchange, TRIED_CODE, triedCode } from '../common/tokens/tried-code.ts'
import { isOneAddress } from '../common/visits/landings.ts'
import { approvedBefore, expectNoCode } from '../common/visits/visits.ts'

/**
 * POST /oauth/register: which values are registered, and what they
 * permit. Requirements: specs/account-information/registration.yaml
 */

const OUTSIDE = 'https://elsewhere.invalid/callback'

/** The outside URI comes last; then second, or first where there is only one correct URI. */
wrongRegistrationCheck(
  'REG-04/outside',
  'A redirect URI outside the software statement is not registered',
  {},
  async (context) => {
    const deviation = 'a redirect URI outside the software statement'
    const right = await redirectUris(context)
    const before = right.toSpliced(right.length > 1 ? 1 : 0, 0, OUTSIDE)
    for (const redirect_uris of [[...right, OUTSIDE], before]) {
      const answer = await register(context, { deviation, jwt: { claims: { redirect_uris } } })
      expectNotRegistered(answer, 'redirect_uris', OUTSIDE)
    }
  },
)

/** Redirect_uris of the statement plus one that is not in it. Fails: 2xx whose redirect_uris has it. */
wrongRegistrationCheck(
  'REG-04/similar',
  'A redirect URI that is nearly one of the software statement is not registered',
  { asks: [redirectUri] },
  (context) =>
    expectTable(context, {
      ...{ owner: 'REG-04/similar', type: redirectUri, rows: isWrong },
      places: [firstRegistration],
      beside: besideRegistration(context, 'second'),
    }),
)

check(
  'REG-04/second-client',
  'A redirect URI outside the second client’s software statement is not registered for it',
  {
    ...{ registers: true, needs: ['clients.second'], asks: [redirectUri] },
    follows: ['REG-04/outside', 'REG-04/similar'],
  },
  (context) =>
    expectTable(context, {
      ...{ owner: 'REG-04/second-client', type: redirectUri, rows: isWrong },
      places: [secondRegistration],
      beside: besideRegistration(context, 'first'),
    }),
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

/**
 * Grant_types with password added (or another that is not in grant_types_supported). Fails: 2xx
 * whose grant_types has it.
 */
wrongRegistrationCheck(
  'REG-05/grant-type',
  'A grant type that the configuration does not advertise is not registered',
  {},
  async (context) => {
    const advertised = await requireList(context, 'grant_types_supported')
    const candidates = ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code']
    const grantType = requireUnadvertised(advertised, candidates)
    const { grant_types: grantTypes } = await correctClaims(context)

    const answer = await register(context, {
      deviation: 'a grant type that is not advertised',
      jwt: { claims: { grant_types: [grantTypes, grantType].flat() } },
    })

    expectNotRegistered(answer, 'grant_types', grantType)
  },
)

/**
 * Response_types with token added (or another that is not in response_types_supported). Fails: 2xx
 * whose response_types has it.
 */
wrongRegistrationCheck(
  'REG-05/response-type',
  'A response type that the configuration does not advertise is not registered',
  {},
  async (context) => {
    const advertised = await requireList(context, 'response_types_supported')
    const responseType = requireUnadvertised(advertised, [
      'token',
      'id_token token',
      'code token',
      'code',
    ])

    const answer = await register(context, {
      deviation: 'a response type that is not advertised',
      jwt: { claims: { response_types: ['code id_token', responseType] } },
    })

    expectNotRegistered(answer, 'response_types', responseType)
  },
)

/**
 * Token_endpoint_auth_method client_secret_basic (or another that is not advertised). Fails: 2xx
 * that returns it. Owns REG-17/private-key-jwt on this exchange.
 */
wrongRegistrationCheck(
  'REG-05/auth-method',
  'An authentication method that the configuration does not advertise is not registered',
  {},
  async (context) => {
    const advertised = await requireList(context, 'token_endpoint_auth_methods_supported')
    const candidates = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'none']
    const method = requireUnadvertised(advertised, candidates)

    const answer = await register(context, {
      deviation: 'an authentication method that is not advertised',
      jwt: { claims: { token_endpoint_auth_method: method } },
      about: { owns: ['REG-17/private-key-jwt'] },
    })

    expectNotRegistered(answer, 'token_endpoint_auth_method', method)
  },
)

/** Members of a registration that name an algorithm, with their rules. */
const ALGORITHMS = [
  { name: 'request_object_signing_alg', rule: 'REG-18/ps256' },
  { name: 'id_token_signed_response_alg', rule: 'REG-19/ps256' },
  { name: 'token_endpoint_auth_signing_alg', rule: 'REG-20/ps256' },
] as const

/**
 * Request_object_signing_alg, id_token_signed_response_alg and token_endpoint_auth_signing_alg,
 * one after the other: RS256, or else none, or else HS256, the first that is not advertised.
 * Fails: 2xx that returns it. Owns REG-18/ps256, REG-19/ps256 or REG-20/ps256 on this exchange.
 */
wrongRegistrationCheck(
  'REG-05/signing-algorithm',
  'A signing algorithm that the configuration does not advertise is not registered',
  {},
  async (context) => {
    const configuration = requireValue(await context.steps.discovery())
    const listed = ALGORITHMS.filter(({ name }) => Array.isArray(configuration[LISTS[name]]))
    if (listed.length === 0) throw new NotApplicable('the configuration lists no algorithms')
    for (const { name, rule } of listed) {
      const algorithm = requireUnadvertised(await requireList(context, LISTS[name]), [
        'RS256',
        'none',
        'HS256',
      ])
      const answer = await register(context, {
        deviation: `an algorithm that is not advertised for ${name}`,
        jwt: { claims: { [name]: algorithm } },
        about: { owns: [rule] },
      })
      expectNotRegistered(answer, name, algorithm)
    }
  },
)

/**
 * One of payments, offline_access, profile that scopes_supported lacks, beside the correct ones. Fails: 2xx whose scope
 * has it. Where the list lacks others that are registered, a scope that nobody has: OpenID Connect Discovery 1.0 section 3
 * lets a server leave out some of its scopes.
 */
wrongRegistrationCheck(
  'REG-05/scope',
  'A scope that the configuration does not advertise is not registered',
  {},
  async (context) => {
    const advertised = await requireList(context, 'scopes_supported')
    const scope = requireUnadvertised(advertised, ['payments', 'offline_access', 'profile'])
    const claims = await correctClaims(context)
    const ask = (wrong: string) =>
      register(context, {
        deviation: 'a scope that is not advertised',
        jwt: { claims: { scope: `${claims.scope} ${wrong}` } },
      })

    const answer = await ask(scope)
    const others = succeeded(answer) ? requireRegisteredValues(answer, 'scope') : []
    const isFull = others.every((one) => one === scope || advertised.includes(String(one)))
    if (isFull) return expectNotRegistered(answer, 'scope', scope)

    const ofNobody = `scope-${randomUUID()}`
    expectNotRegistered(await ask(ofNobody), 'scope', ofNobody)
  },
)

/** Not applicable where the bank registers no such client, or registers every grant for every client. */
check(
  'REG-12/unregistered-grant',
  'A client gets no token by a grant type that is not registered for it',
  { registers: true },
  async (context) => {
    const correct = await anotherRegistration(context)
    const tpp = await withoutGrants(context, 'client_credentials')
    const grant = { grant_type: 'client_credentials' } as const
    relyOn(OWNERS.management, await correct.tpp.token(grant)).toSucceed()

    const answer = await tpp.token(grant, { deviation: UNREGISTERED })

    expect(answer).toGiveNoToken()
  },
)

/** The authorisation page may already refuse it: without a code there is no token. */
check(
  'REG-12/unregistered-code',
  'A client that did not register authorization_code gets no token by a code',
  { registers: true, uses: [everything], refusals: 1 },
  async (context) => {
    const tpp = await withoutGrants(context, 'authorization_code', 'refresh_token')
    requireValue(await context.steps.exchange(everything))
    await approvedBefore(context, everything)
    const purpose = 'a client without authorization_code'
    await visitOf(context, tpp, { purpose, deviation: {} }, async (visit) => {
      if (visit.kind !== 'granted') return expectNoCode(visit)
      const { code, request } = visit
      const grant = { code, redirect_uri: request.redirectUri } as const
      const answer = await tpp.token(
        { grant_type: 'authorization_code', ...grant },
        { deviation: UNREGISTERED },
      )
      expect(answer).toGiveNoToken()
    })
  },
)

/** A bank that issues it no refresh token also conforms. The first client got one. */
check(
  'REG-12/unregistered-refresh-token',
  'A client that did not register refresh_token gets no token by a refresh token',
  { registers: true, uses: [everything], grants: [TRIED_CODE] },
  async (context) => {
    await withoutRefreshTokens(context)
    requireValue(await context.steps.refresh(everything))
    const tried = await triedCode(context)
    relyOnRightExchange(tried)
    if (tried.refreshed) expect(tried.refreshed).toGiveNoToken()
  },
)

const UNREGISTERED = 'a grant type that is not registered'

/**
 * A client authorises with a redirect URI that is not registered for it, in query and request object. The
 * run's own client, if the bank's answer lacks a URI that it asked for; otherwise a new one, registered
 * with a part of the statement's redirect URIs, with one that was left out (and is not in the returned
 * list). Fails: a code arrives at that URI. Not applicable when the bank returns all of them anyway.
 */
check(
  'REG-13/left-out',
  'A redirect URI that was not registered gets no code',
  { registers: true, uses: [everything], refusals: 1 },
  async (context) => {
    const { tpp, leftOut } =
      (await withDiscardedRedirectUri(context)) ?? (await withLeftOut(context))
    await context.approved(everything)

    const purpose = 'a redirect URI that the client did not register'
    await visitOf(context, tpp, { purpose, redirectUri: leftOut }, async (visit) => {
      const granted = visit.kind === 'granted' && redirectsTo(visit.redirect, leftOut)
      expectThat(!granted, {
        message: 'a code arrived at a redirect URI that is not registered',
        expected: 'no code',
        actual: 'a code',
        exchange: visit.last,
      })
    })
  },
)

interface LacksUri {
  tpp: Tpp
  leftOut: string
}

/** The run's own client, if the answer to its registration has fewer redirect URIs than it asked for. */
async function withDiscardedRedirectUri(context: Context): Promise<LacksUri | undefined> {
  const step = await context.steps.registration()
  const tpp = requireValue(step)
  const { exchange } = step
  if (!exchange || !succeeded(exchange)) return undefined
  const listed = stored(exchange, 'redirect_uris')
  // A client without any cannot authorise.
  if (!Array.isArray(listed) || listed.length === 0) return undefined
  const leftOut = tpp.client.redirectUris.find(
    (uri) => !listed.some((one) => isOneAddress(String(one), uri)),
  )
  return leftOut === undefined ? undefined : { tpp, leftOut }
}

/** A new client, registered with fewer redirect URIs than the statement has. */
async function withLeftOut(context: Context): Promise<LacksUri> {
  const { exchange, leftOut, tpp, another } = await withFewerRedirectUris(context)
  if (!another) throw new NotApplicable(ONE_CLIENT)
  if (!madeClient(exchange)) throw new NotApplicable('the bank registers no part of the URIs')
  if (requireRegisteredValues(exchange, 'redirect_uris').includes(leftOut)) {
    throw new NotApplicable('the bank registers every redirect URI of the software statement')
  }
  tpp.adopt(exchange.response?.json)
  return { tpp, leftOut }
}

check(
  'REG-32/recorded',
  'What a later registration of the same software does is recorded',
  { registers: true },
  async (context) => {
    const what = 'a later registration of the same software'
    const made = await anotherRegistration(context).catch((error: Error) => error)
    if (made instanceof Error) {
      if (made.message !== REPLACED) throw made
      return context.observe(what, made.message)
    }
    const another = await isAnotherClient(context, made.exchange)
    context.observe(what, another ? 'makes another client' : 'changes the client', made.exchange)
  },
)
