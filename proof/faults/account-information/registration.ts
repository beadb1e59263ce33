import type { Context } from 'koa'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { encodedPart } from '../../../engine/wire/jwt-decode.ts'
import { successes } from '../../altering/rewriting.ts'
import { unregisteredGrant } from '../../cells/token-cells.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

type Json = Record<string, unknown>

const decoded = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Json

/** Does the request go to the registration endpoint? */
function registers(ctx: Context): boolean {
  return (
    ctx.method === 'POST' && ctx.path === stateOf(ctx).bank.services.endpoints.paths.registration
  )
}

/** Claims of the current registration. */
function requested(): Json {
  const ctx = currentRequest()
  return ctx ? decoded(stateOf(ctx).body.split('.')[1]) : {}
}

/** Serves these claims as if they came in a registration JWT with a valid signature. */
function serveAs(ctx: Context, claims: Json): void {
  const state = stateOf(ctx)
  state.body = `${encodedPart({ alg: 'PS256' })}.${encodedPart(claims)}.AAAA`
  ctx.req.headers['content-type'] = 'application/jwt'
  ctx.state.servedAsSigned = true
}

const servedAsSigned = () => currentRequest()?.state.servedAsSigned === true

/** Claims that are stored as sent, whatever the configuration advertises. */
const ECHOED = [
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'request_object_signing_alg',
]

/** Changes registration_client_uri. */
const managedAt = (change: (uri: string) => string) =>
  successes(['registration'], (client) => ({
    ...client,
    registration_client_uri: change(String(client.registration_client_uri)),
  }))

const firstAddress = ofEachBank((): { uri?: string } => ({}))

const faults: Fault[] = [
  {
    id: 'registered-scopes-with-commas',
    story: 'The registration response separates the scopes with commas instead of spaces.',
    fails: ['REG-14/space-separated'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        const view = correct.registrationView(stored)
        return { ...view, scope: String(view.scope).replaceAll(' ', ',') }
      },
    }),
  },
  {
    id: 'registration-as-json',
    story:
      'The registration endpoint also accepts plain JSON, not only a JWT. The RFC 7591 endpoint of the product was left open.',
    fails: ['REG-02/plain-json'],
    policies: (correct) => ({
      registrationSigned: (verified) => servedAsSigned() || correct.registrationSigned(verified),
    }),
    async middleware(ctx, next) {
      const isJson = ctx.request.type === 'application/json'
      if (registers(ctx) && isJson && stateOf(ctx).body.trim().startsWith('{')) {
        serveAs(ctx, JSON.parse(stateOf(ctx).body) as Json)
        ctx.state.fired()
      }
      await next()
    },
  },
  {
    id: 'statement-not-needed',
    story:
      'The bank registers a client without a software statement. It looks the software up in the directory by the iss of the registration JWT.',
    fails: ['REG-03/missing'],
    policies: (correct) => ({
      registrationSigned: (verified) => servedAsSigned() || correct.registrationSigned(verified),
    }),
    async middleware(ctx, next) {
      if (registers(ctx) && /^[\w-]+\.[\w-]+\./.test(stateOf(ctx).body)) {
        const { first, second } = stateOf(ctx).bank.services.directory.clients
        const claims = decoded(stateOf(ctx).body.split('.')[1])
        const software = [first, second].find(({ softwareId }) => softwareId === claims.iss)
        if (software && claims.software_statement === undefined) {
          serveAs(ctx, { ...claims, software_statement: software.softwareStatement })
          ctx.state.fired()
        }
      }
      await next()
    },
  },
  {
    id: 'statement-of-a-known-kid',
    story:
      'The bank accepts a software statement whose signature is invalid or missing. It checks only that the kid is one of the directory, or verifies with the alg of the header, which may be none.',
    fails: ['REG-03/unsigned'],
    policies: (_correct, { fired }) => ({
      softwareStatementSigned(verified) {
        if (!verified) fired()
        return true
      },
    }),
  },
  {
    id: 'statement-with-keys-of-its-own',
    story:
      'The bank verifies a software statement with the keys in its own claim jwks. This is the default of the product.',
    fails: ['REG-03/forged'],
    policies: (correct, { fired }) => ({
      softwareStatementSigned(verified) {
        const [, claims] = String(requested().software_statement).split('.')
        const text = Buffer.from(claims ?? '', 'base64url').toString()
        if (verified || !text.includes('"jwks":')) return correct.softwareStatementSigned(verified)
        fired()
        return true
      },
    }),
  },
  {
    id: 'statement-of-another-organisation',
    story:
      'The bank does not compare the organisation in the software statement with the organisation in the transport certificate.',
    fails: [],
    warns: ['REG-30/another-organisation'],
    policies: (correct, { fired }) => ({
      softwareStatementRefusal(statement, issuer, organisationId) {
        if (statement.org_id !== organisationId) fired()
        return correct.softwareStatementRefusal(statement, issuer, String(statement.org_id))
      },
    }),
  },
  {
    id: 'stolen-statements-are-taken',
    story:
      'The bank accepts the software statement of another organisation. It verifies the registration JWT with the keys of the organisation in the certificate, and does not compare the statement with it.',
    fails: [],
    warns: ['REG-30/another-organisation'],
    policies: (correct, { fired }) => ({
      softwareStatementRefusal: (statement, issuer) =>
        correct.softwareStatementRefusal(statement, issuer, String(statement.org_id)),
      registrationSigned(verified) {
        const ctx = currentRequest()
        if (!ctx) return verified
        const { bank, body, transport } = stateOf(ctx)
        const header = decoded(body.split('.')[0])
        const stated = decoded(String(requested().software_statement).split('.')[1]).org_id
        if (stated === transport.organisationId) return correct.registrationSigned(verified)
        const clients = Object.values(bank.services.directory.clients)
        const sender = clients.find(
          ({ organisationId }) => organisationId === transport.organisationId,
        )
        if (header.kid !== sender?.signing.kid) return false
        fired()
        return true
      },
    }),
  },
  {
    id: 'registrations-bring-their-keys',
    story:
      'The bank verifies the registration JWT with the keys at the jwks_uri that the registration itself names, even if they are those of another client.',
    fails: [],
    warns: ['REG-24/forged'],
    policies: (correct, { fired }) => ({
      registrationSigned(verified) {
        const ctx = currentRequest()
        if (!ctx || verified) return correct.registrationSigned(verified)
        const { bank, body } = stateOf(ctx)
        const header = decoded(body.split('.')[0])
        const { jwks_uri } = requested()
        const brought = Object.values(bank.services.directory.clients).some(
          ({ jwksUri, signing }) => jwksUri === jwks_uri && signing.kid === header.kid,
        )
        if (brought) fired()
        return brought
      },
    }),
  },
  {
    id: 'redirect-uris-of-the-same-host',
    story:
      'The bank compares only the host of the redirect URIs with the software statement, so that TPPs can add paths without a new statement.',
    fails: ['REG-04/similar'],
    policies: (_correct, { fired }) => ({
      redirectUrisAcceptable(wanted, stated) {
        if (!wanted.every((uri) => stated.includes(uri))) fired()
        const hosts = stated.map((uri) => new URL(uri).host)
        return wanted.length > 0 && wanted.every((uri) => hosts.includes(new URL(uri).host))
      },
    }),
  },
  {
    id: 'first-redirect-uri-kept-in-any-case',
    story:
      'The bank ignores upper and lower case when it compares redirect URIs with the software statement, and stores only the first one.',
    fails: ['REG-04/similar'],
    policies: (correct, { fired }) => ({
      redirectUrisAcceptable(wanted, stated) {
        const known = stated.map((uri) => uri.toLowerCase())
        return wanted.length > 0 && wanted.every((uri) => known.includes(uri.toLowerCase()))
      },
      redirectUrisStored(requested, stated) {
        const [first, ...others] = correct.redirectUrisStored(requested, stated)
        if (first !== undefined && !stated.includes(first)) fired()
        return first === undefined ? others : [first]
      },
    }),
  },
  {
    id: 'one-redirect-uri-of-the-statement-is-enough',
    story:
      'The bank accepts the redirect_uris if at least one of them is in the software statement.',
    fails: ['REG-04/outside', 'REG-04/similar'],
    policies: (_correct, { fired }) => ({
      redirectUrisAcceptable(wanted, stated) {
        if (!wanted.every((uri) => stated.includes(uri))) fired()
        return wanted.some((uri) => stated.includes(uri))
      },
      redirectUrisStored: (requested, stated) => requested ?? stated,
    }),
  },
  {
    id: 'all-redirect-uris-or-none',
    story:
      'The bank refuses a registration with fewer redirect URIs than the software statement has. Its developers overlooked "or are a subset".',
    fails: ['REG-04/subset'],
    policies: (_correct, { fired }) => ({
      redirectUrisAcceptable(wanted, stated) {
        if (wanted.length < stated.length) fired()
        return wanted.length === stated.length && wanted.every((uri) => stated.includes(uri))
      },
    }),
  },
  {
    id: 'stores-what-is-asked-for',
    story:
      'The bank accepts and stores every value of a registration request as sent, such as alg none or client_secret_basic, without comparing it with the configuration.',
    fails: [
      'REG-05/grant-type',
      'REG-05/response-type',
      'REG-05/auth-method',
      'REG-05/signing-algorithm',
    ],
    because: 'One sentence binds every value of a registration, and no value is compared.',
    policies: (correct, { fired }) => ({
      registrationValueRefusal(claims, advertised) {
        const others = Object.entries(claims).filter(([name]) => !ECHOED.includes(name))
        return correct.registrationValueRefusal(Object.fromEntries(others), advertised)
      },
      grantTypesStored: (grants) =>
        correct.grantTypesStored(
          grants.filter((grant) =>
            ['authorization_code', 'client_credentials', 'refresh_token'].includes(grant),
          ),
        ),
      registrationView(stored) {
        const view = correct.registrationView(stored)
        const sent = Object.entries(requested()).filter(([name]) => ECHOED.includes(name))
        if (sent.some(([name, value]) => JSON.stringify(value) !== JSON.stringify(view[name]))) {
          fired()
        }
        return { ...view, ...Object.fromEntries(sent) }
      },
    }),
  },
  {
    id: 'registration-says-less-than-it-stores',
    story:
      'The registration response leaves out grant_types. It lists only values that differ from the defaults of RFC 7591.',
    fails: ['REG-06/all-values'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        const { grant_types: _, ...view } = correct.registrationView(stored)
        return view
      },
    }),
  },
  {
    id: 'registered-with-200',
    story: 'The registration response has status 200 instead of 201.',
    fails: ['REG-08/created'],
    async middleware(ctx, next) {
      await next()
      if (!registers(ctx) || ctx.status !== 201) return
      ctx.status = 200
      ctx.state.fired()
    },
  },
  unregisteredGrant('client_credentials', ['REG-12/unregistered-grant']),
  unregisteredGrant('authorization_code', ['REG-12/unregistered-code']),
  unregisteredGrant('refresh_token', ['REG-12/unregistered-refresh-token']),
  {
    id: 'redirect-uris-of-the-statement-at-the-page',
    story:
      'The authorisation endpoint compares the redirect_uri with the software statement, not with the registered redirect_uris.',
    fails: ['REG-13/left-out'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        const ctx = currentRequest()
        if (model !== 'Client' || !seen || !ctx) return seen
        const { first, second } = stateOf(ctx).bank.services.directory.clients
        const software = [first, second].find(({ softwareId }) => softwareId === seen.software_id)
        const stored = (seen.redirect_uris ?? []) as string[]
        if (!software || stored.length === software.redirectUris.length) return seen
        fired()
        return { ...seen, redirect_uris: software.redirectUris }
      },
    }),
  },
  {
    id: 'auth-method-as-the-product-calls-it',
    story:
      'The registration response always has token_endpoint_auth_method tls_client_auth, the default of the product.',
    fails: ['REG-17/private-key-jwt'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        return {
          ...correct.registrationView(stored),
          token_endpoint_auth_method: 'tls_client_auth',
        }
      },
    }),
  },
  {
    id: 'page-names-the-app',
    story:
      'The consent page shows only the name of the app, neither the organisation nor on whose behalf it asks.',
    fails: ['REG-22/organisation', 'REG-22/on-behalf-of'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        if (model !== 'Client' || !seen) return seen
        fired()
        const app = seen.software_client_name
        return { ...seen, org_name: app, software_on_behalf_of: app }
      },
    }),
  },
  {
    id: 'registration-signed-by-anybody',
    story:
      'The bank verifies only the software statement, neither the signature nor the expiry of the registration JWT that contains it.',
    fails: [],
    warns: ['REG-24/unsigned', 'REG-24/expired'],
    policies: (correct, { fired }) => ({
      registrationSigned(verified) {
        if (!verified) fired()
        return true
      },
      registrationClaimsRefusal(claims, expected) {
        const exp = expected.now + 60
        return correct.registrationClaimsRefusal({ ...claims, exp }, expected)
      },
    }),
  },
  {
    id: 'registration-with-alg-none',
    story: 'The bank accepts a registration JWT with alg none.',
    fails: [],
    warns: ['REG-24/unsigned'],
    policies: (correct, { fired }) => ({
      registrationSigned(verified) {
        const ctx = currentRequest()
        const [header] = ctx ? stateOf(ctx).body.split('.') : []
        if (verified || decoded(header).alg !== 'none') return correct.registrationSigned(verified)
        fired()
        return true
      },
    }),
  },
  {
    id: 'registration-with-keys-of-its-own',
    story:
      'The bank accepts a registration JWT signed with keys that the registration itself contains in its claim jwks.',
    fails: [],
    warns: ['REG-24/forged'],
    policies: (correct, { fired }) => ({
      registrationSigned(verified) {
        if (verified || !requested().jwks) return correct.registrationSigned(verified)
        fired()
        return true
      },
    }),
  },
  {
    id: 'registration-of-any-media-type',
    story:
      'The registration endpoint ignores the Content-Type and accepts every body that is a JWT.',
    fails: [],
    warns: ['REG-27/text-plain', 'REG-27/application-json'],
    policies: (correct, { fired }) => ({
      registrationMediaType(type) {
        if (!correct.registrationMediaType(type)) fired()
        return true
      },
    }),
  },
  {
    id: 'registration-jwt-as-json',
    story: 'The registration endpoint accepts a JWT with Content-Type application/json.',
    fails: [],
    warns: ['REG-27/application-json'],
    policies: (correct, { fired }) => ({
      registrationMediaType(type) {
        if (type !== 'application/json') return correct.registrationMediaType(type)
        fired()
        return true
      },
    }),
  },
  {
    id: 'management-token-lost',
    story:
      'The registration response has no registration_access_token, because client management is not supported.',
    fails: [],
    warns: ['REG-28/all-fields'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        const { registration_access_token: _, ...view } = correct.registrationView(stored)
        return view
      },
    }),
  },
  {
    id: 'one-management-token-for-all',
    story:
      'Each client gets the same registration_access_token, a fixed text, because client management is not supported.',
    fails: [],
    warns: ['REG-34/own-token'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        const view = correct.registrationView(stored)
        return { ...view, registration_access_token: 'client-management-is-not-supported' }
      },
    }),
  },
  {
    id: 'management-address-without-host',
    story: 'registration_client_uri is only a path. The gateway was meant to add the host.',
    fails: [],
    warns: ['REG-33/uri'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        const view = correct.registrationView(stored)
        return {
          ...view,
          registration_client_uri: `/open-banking/oauth/register/${view.client_id}`,
        }
      },
    }),
  },
  {
    id: 'management-address-in-plain-http',
    story:
      'registration_client_uri begins with http:. The service builds it from the request that it sees behind the TLS terminator.',
    fails: [],
    warns: ['REG-33/reachable'],
    middleware: managedAt((uri) => uri.replace(/^https:/, 'http:')),
  },
  {
    id: 'management-address-of-the-cluster',
    story:
      'registration_client_uri has an internal host name, the one under which the gateway reaches the service.',
    fails: [],
    warns: ['REG-33/reachable'],
    middleware: managedAt((uri) => `https://registration.cards.internal${new URL(uri).pathname}`),
  },
  {
    id: 'management-address-of-the-first-client',
    story:
      'Each client gets the registration_client_uri of the first client, because the service builds the address once and keeps it.',
    fails: [],
    warns: ['REG-34/own-uri'],
    middleware: managedAt((uri) => {
      const kept = firstAddress()
      kept.uri ??= uri
      return kept.uri
    }),
  },
  {
    id: 'organisation-by-its-number-at-the-regulator',
    story:
      "org_id in the registration response is a number of the regulator's register, not the org_id of the software statement.",
    fails: [],
    warns: ['REG-29/from-statement'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        return { ...correct.registrationView(stored), org_id: '823481' }
      },
    }),
  },
  {
    id: 'organisation-of-the-latest-client-is-none',
    story:
      'org_name is empty for a newly registered organisation. The bank looks the name up in a copy of the directory that is one day old.',
    fails: [],
    warns: ['REG-29/from-statement'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        const view = correct.registrationView(stored)
        const ctx = currentRequest()
        if (!ctx) return view
        const { bank, transport } = stateOf(ctx)
        const { organisationId } = bank.services.directory.clients.second
        if (transport.organisationId !== organisationId) return view
        fired()
        return { ...view, org_name: '' }
      },
    }),
  },
]
export default faults
