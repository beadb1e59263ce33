import { check } from '../../../engine/suite-api/check.ts'
import { memberOf, type Target } from '../../../engine/suite-api/client.ts'
import { expect, expectThat } from '../../../engine/suite-api/expect.ts'
import { requireExchange, requireValue } from '../../../engine/suite-api/flow.ts'
import { answerOf, member, refused, succeeded } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'

/** GET /.well-known/openid-configuration. Requirements: specs/account-information/discovery.yaml */

check(
  OWNERS.discovery,
  'The well-known address serves the configuration',
  {},
  async ({ steps }) => {
    const exchange = requireExchange(await steps.discovery())

    expect(exchange).toSucceed()
    expect(exchange).toBeJson()
  },
)

check(
  'DISC-01/again',
  'The well-known address serves the configuration a second time',
  {},
  async ({ steps, tpp }) => {
    requireValue(await steps.discovery())
    const again = await tpp().call('discovery')

    expect(again).toSucceed()
    expect(again).toBeJson()
  },
)

/**
 * Compare authorization_endpoint, token_endpoint and, where present, registration_endpoint
 * with the target's addresses: the documented ones, unless the target file is wrong. The
 * same member of mtls_endpoint_aliases may match instead. A query, to which parameters are
 * added (RFC 6749 3.1), a trailing slash and the case of the host are ignored. Fails: one
 * differs. A member that is missing or no URL is judged by DISC-03 and is not compared.
 */
check(
  'DISC-04/addresses',
  'The endpoints that the configuration names are the documented addresses',
  {},
  async ({ steps, target }) => {
    const step = await steps.discovery()
    for (const { name, part, advertised } of endpointsIn(requireValue(step), target)) {
      const documented = target.endpoints[part]
      const actual = advertised.join(' and ')
      expectThat(advertised.map(spelt).includes(spelt(documented)), {
        message: `${name} is ${actual}, but ${memberOf(part, target.document.addresses)} gives ${documented}`,
        expected: documented,
        actual,
        exchange: step.exchange,
        place: `/${name}`,
      })
    }
  },
)

check(
  'DISC-09/recorded',
  'The scopes that the configuration advertises are recorded',
  {},
  async ({ steps, observe }) => {
    const { value, exchange } = await steps.discovery()

    observe('scopes_supported of the configuration', value?.scopes_supported ?? 'absent', exchange)
  },
)

check(OWNERS.jwks, "The bank's JWK Set is served", {}, async ({ steps }) => {
  const exchange = requireExchange(await steps.jwks())

  expect(exchange).toSucceed()
  expect(exchange).toBeJson()
})

/** After the bank has signed an ID token, and before a refresh that may bring another one: see DISC-13/kept. */
check(
  'DISC-10/again',
  "The bank's JWK Set is served a second time",
  { uses: [everything] },
  async ({ approved, steps, tpp }) => {
    await steps.visit(everything)
    const step = await steps.jwks()
    requireValue(step)
    const again = await tpp().call('jwks', { path: requireExchange(step).request.url })
    await approved(everything)
      .then((approval) => approval.refresh())
      .catch(() => undefined)

    expect(again).toSucceed()
    expect(again).toBeJson()
  },
)

/**
 * GET the well-known address with the client's certificate and with none, both without
 * Authorization; record both statuses or failures; never fails.
 */
check(
  'DISC-11/recorded',
  'Whether the configuration can be read without a client certificate is recorded',
  {},
  async ({ tpp, observe }) => {
    const without = await tpp().call('discovery', { identity: 'none' })
    const withOne = await tpp().call('discovery', { identity: tpp().name })

    // For a refusal, such as a failed handshake, the text alone is enough.
    const shown = refused(without) ? undefined : without
    observe('configuration read without a client certificate', answerOf(without), shown)
    observe('configuration read with a client certificate', answerOf(withOne), withOne)
  },
)

/** A host that is not the bank's. */
const FORWARDED = 'proxy.tpp.example'

/**
 * X-Forwarded-Host, as a proxy of the client adds it. Fails: a configuration has an issuer or an address with
 * that host. A refusal is no finding. no-store: no cache on the way gives the answer to another client.
 */
check(
  'DISC-15/forwarded-host',
  'The configuration names no host that only X-Forwarded-Host of the request has',
  {},
  async ({ steps, tpp }) => {
    requireValue(await steps.discovery())
    const answer = await tpp().call('discovery', {
      headers: { 'X-Forwarded-Host': FORWARDED, 'Cache-Control': 'no-store' },
      deviation: 'X-Forwarded-Host with a host that is not the bank',
    })
    const members = succeeded(answer) ? Object.entries(answer.response?.json ?? {}) : []
    const [name = '', value] =
      members.find(([, told]) => JSON.stringify(told).includes(FORWARDED)) ?? []
    expectThat(name === '', {
      message: `${name} has the host of X-Forwarded-Host`,
      expected: 'a host of the bank',
      actual: String(value),
      exchange: answer,
      place: `/${name}`,
    })
  },
)

/** Members of the configuration, and the part of the target that each corresponds to. */
const PARTS = {
  authorization_endpoint: 'authorisation',
  token_endpoint: 'token',
  registration_endpoint: 'registration',
} as const

/** The endpoints that the configuration names by a URL and for which the target has an address. */
function endpointsIn(configuration: Record<string, unknown>, { endpoints }: Target) {
  return Object.entries(PARTS).flatMap(([name, part]) => {
    const named = configuration[name]
    const alias = member(configuration, 'mtls_endpoint_aliases', name)
    const advertised = [named, alias].filter((url) => typeof url === 'string' && URL.canParse(url))
    if (endpoints[part] === '' || advertised.length === 0) return []
    return [{ name, part, advertised: advertised as string[] }]
  })
}

/** A URL without insignificant differences: the case of its host, its default port, a query, a last slash. */
function spelt(url: string): string {
  const address = new URL(url)
  address.search = ''
  return address.href.replace(/(?<!\/)\/+$/, '')
}
