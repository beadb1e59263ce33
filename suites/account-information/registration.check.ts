import { claimsOf, headerOf, type JwtDeviation, jwt } from '../../engine/client/jwt.ts'
import { redirectsTo } from '../../engine/client/redirect.ts'
import type { ClientName, NamedConsent } from '../../engine/journey/consent.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { exchangeOf, OWNERS, taken } from '../../engine/journey/steps.ts'
import type { Visit } from '../../engine/journey/visit.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { Blocked, lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { everything, secondClient } from '../consents.ts'
import {
  anotherRegistration,
  claimsAgain,
  expectNoClient,
  madeClient,
  register,
  softwareStatementOf,
} from './fresh-registration.ts'
import {
  ONE_CLIENT,
  redirectUris,
  visitOf,
  withFewerGrants,
  withFewerRedirectUris,
} from './narrow-registration.ts'
import {
  expectNotRegistered,
  listOf,
  notIn,
  registeredValues,
  stored,
} from './registered-values.ts'

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

check(OWNERS.registration, 'A correct registration answers 201', {}, async ({ steps }) => {
  expect(exchangeOf(await steps.registration())).toHaveStatus(201)
})

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

check(
  'REG-22/organisation',
  'The customer sees the name of the organisation during consent',
  { uses: ['everything'] },
  async (context) => {
    const name = await nameShown(context, 'org_name')
    if (name === undefined) lacking('an org_name in the registration or the software statement')

    await expectShown(context, name)
  },
)

check(
  'REG-22/on-behalf-of',
  'The customer sees on whose behalf the client asks',
  { uses: ['everything'] },
  async (context) => {
    const name = await nameShown(context, 'software_on_behalf_of')
    if (name === undefined) {
      throw new NotApplicable(
        'neither the registered client nor its statement says on whose behalf',
      )
    }

    await expectShown(context, name)
  },
)

check(
  'REG-22/second-client',
  'The customer sees the names of the client that asks, not those of another',
  { uses: ['everything', 'second client'] },
  async (context) => {
    context.tpp('second')
    const first = (await context.approved(everything)).visit
    for (const member of ['org_name', 'software_on_behalf_of']) {
      const own = await nameShown(context, member)
      const name = await nameShown(context, member, 'second')
      if (name === undefined || own === undefined) continue
      if (!shows(first, own)) relyOnName(member, first)
      await expectShown(context, name, secondClient)
    }
  },
)

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

check(
  'REG-29/from-statement',
  'The organisation of the registered client is that of the software statement',
  {},
  async (context) => {
    const exchange = exchangeOf(await context.steps.registration())
    const statement = softwareStatementOf(context)
    const names = ['org_id', 'org_name', 'software_on_behalf_of'].filter(
      (name) => stated(statement, name) !== undefined && stored(exchange, name) !== undefined,
    )
    if (names.length === 0)
      lacking('a registration response with members of the software statement')

    for (const name of names) expect(exchange).toHaveMember(name, stated(statement, name))
  },
)

/** The software statement's claims under another signature, with the kid of the directory's. */
function signedAgain(context: Context, statement: string, deviation: JwtDeviation): string {
  const { signingKey } = context.tpp().client
  const signer = { key: signingKey, kid: String(headerOf(statement)?.kid) }
  return jwt(claimsOf(statement) ?? {}, signer, deviation)
}

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

/** The name that the bank stored for a client, else that of its software statement. */
async function nameShown(
  context: Context,
  name: string,
  client: ClientName = 'first',
): Promise<string | undefined> {
  const step = await context.steps.registration(client)
  const tpp = taken(step)
  const statement = claimsOf(tpp.client.softwareStatement ?? '')
  const value = stated(tpp.registered, name) ?? stated(statement, name)
  if (value === undefined && !step.exchange && !statement) {
    throw new NotApplicable('neither a registration nor a software statement gives the name')
  }
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A claim of the software; the Open Banking Directory adds _org to one of them. */
function stated(claims: Record<string, unknown> | undefined, name: string): unknown {
  return claims?.[name] ?? claims?.[`${name}_org`]
}

const plain = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase()

const shows = ({ pages }: Visit, name: string) =>
  pages.some(({ text }) => plain(text).includes(plain(name)))

/** Ends the check as blocked by the one that asks for this name of the first client. */
function relyOnName(member: string, visit: Visit): never {
  const id = member === 'org_name' ? 'REG-22/organisation' : 'REG-22/on-behalf-of'
  throw new Blocked({ kind: 'check', id }, 'the first client’s is not shown either', visit.last)
}

async function expectShown(
  context: Context,
  name: string,
  consent: NamedConsent = everything,
): Promise<void> {
  const { visit } = await context.approved(consent)
  if (visit.pages.length === 0) throw new NotApplicable('the driver does not show the pages')
  expectThat(shows(visit, name), {
    message: `no page says ${name}`,
    expected: `a page that says ${name}`,
    actual: `${visit.pages.length} pages without it`,
    exchange: visit.last ?? visit.first,
  })
}
