import type { Context, Next } from 'koa'
import { currentRequest } from '../../../bank/current.ts'
import { type BankState, stateOf } from '../../../bank/state.ts'
import type { Fault } from '../../proof.ts'

type Json = Record<string, unknown>

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decoded = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Json

/** Does the request go to the registration endpoint? */
function registers(ctx: Context): boolean {
  return ctx.method === 'POST' && ctx.path === stateOf(ctx).bank.inside.places.paths.registration
}

/** Claims of the registration that is being served. */
function requested(): Json {
  const ctx = currentRequest()
  return ctx ? decoded(stateOf(ctx).body.split('.')[1]) : {}
}

/** Header of the software statement that is being served. */
function statementHeader(): Json {
  return decoded(String(requested().software_statement).split('.')[0])
}

/** Serves these claims as if they had come in a registration JWT with a good signature. */
function launder(ctx: Context, claims: Json): void {
  const state = stateOf(ctx)
  state.body = `${encoded({ alg: 'PS256' })}.${encoded(claims)}.AAAA`
  ctx.req.headers['content-type'] = 'application/jwt'
  ctx.state.laundered = true
}

const laundered = () => currentRequest()?.state.laundered === true

/** Accepts some connections for registrations that a bank must not accept. */
function admits(wrong: (transport: BankState['transport']) => boolean) {
  return async (ctx: Context, next: Next) => {
    const state = stateOf(ctx)
    if (registers(ctx) && !state.transport.authorized && wrong(state.transport)) {
      const { organisationId } = state.bank.inside.directory.clients.first
      state.transport = { authorized: true, organisationId }
      state.fired()
    }
    await next()
  }
}

/** Stores one claim as it was sent, whatever the configuration advertises. */
function echoes(claim: string): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    registrationValueRefusal(claims, advertised) {
      const { [claim]: _, ...others } = claims
      return correct.registrationValueRefusal(others, advertised)
    },
    grantTypesStored: (grants) =>
      correct.grantTypesStored(
        grants.filter((grant) =>
          ['authorization_code', 'client_credentials', 'refresh_token'].includes(grant),
        ),
      ),
    registrationView(stored) {
      const view = correct.registrationView(stored)
      const value = requested()[claim]
      if (value === undefined) return view
      if (JSON.stringify(value) !== JSON.stringify(view[claim])) fired()
      return { ...view, [claim]: value }
    },
  })
}

const faults: Fault[] = [
  {
    id: 'registration-without-certificate',
    story: 'The gateway asks for a certificate on every path but that of the registration service.',
    fails: ['REG-01/no-certificate'],
    settings: { tlsRefusal: 'status' },
    middleware: admits(({ thumbprint }) => thumbprint === undefined),
  },
  {
    id: 'registration-with-any-certificate',
    story: 'Registration takes any certificate, since the TPP is yet to be known.',
    fails: ['REG-01/untrusted'],
    settings: { tlsRefusal: 'status' },
    middleware: admits(
      ({ thumbprint, error }) => thumbprint !== undefined && error !== 'CERT_HAS_EXPIRED',
    ),
  },
  {
    id: 'registration-with-expired-certificate',
    story: 'A wave of expired certificates was let through for a weekend, and still is.',
    fails: ['REG-01/expired'],
    settings: { tlsRefusal: 'status' },
    middleware: admits(({ error }) => error === 'CERT_HAS_EXPIRED'),
  },
  {
    id: 'registration-as-json',
    story: 'The plain RFC 7591 endpoint of the product stayed open beside the open banking one.',
    fails: ['REG-02/plain-json'],
    policies: (correct) => ({
      registrationSigned: (verified) => laundered() || correct.registrationSigned(verified),
    }),
    async middleware(ctx, next) {
      if (registers(ctx) && ctx.request.type === 'application/json') {
        launder(ctx, JSON.parse(stateOf(ctx).body) as Json)
        ctx.state.fired()
      }
      await next()
    },
  },
  {
    id: 'statement-not-needed',
    story: 'Without a statement the service looks the software up in the directory by its id.',
    fails: ['REG-03/missing'],
    policies: (correct) => ({
      registrationSigned: (verified) => laundered() || correct.registrationSigned(verified),
    }),
    async middleware(ctx, next) {
      if (registers(ctx) && ctx.request.type === 'application/jwt') {
        const { first, second } = stateOf(ctx).bank.inside.directory.clients
        const claims = decoded(stateOf(ctx).body.split('.')[1])
        const software = [first, second].find(({ softwareId }) => softwareId === claims.iss)
        if (software && claims.software_statement === undefined) {
          launder(ctx, { ...claims, software_statement: software.softwareStatement })
          ctx.state.fired()
        }
      }
      await next()
    },
  },
  {
    id: 'statement-with-alg-none',
    story: 'The JWT library verifies by the alg of the header, and none verifies always.',
    fails: ['REG-03/unsigned'],
    policies: (correct, { fired }) => ({
      softwareStatementSigned(verified) {
        if (statementHeader().alg !== 'none') return correct.softwareStatementSigned(verified)
        fired()
        return true
      },
    }),
  },
  {
    id: 'statement-of-a-known-kid',
    story: "The statement is trusted as soon as its kid is one of the directory's.",
    fails: ['REG-03/forged'],
    policies: (correct, { fired }) => ({
      softwareStatementSigned(verified) {
        if (statementHeader().alg === 'none') return correct.softwareStatementSigned(verified)
        if (!verified) fired()
        return true
      },
    }),
  },
  {
    id: 'statement-of-another-organisation',
    story: 'Certificate and statement are each checked well, and never against each other.',
    fails: ['REG-03/another-organisation'],
    policies: (correct, { fired }) => ({
      softwareStatementRefusal(statement, issuer, organisationId) {
        if (statement.org_id !== organisationId) fired()
        return correct.softwareStatementRefusal(statement, issuer, String(statement.org_id))
      },
    }),
  },
  {
    id: 'redirect-uris-of-the-same-host',
    story: 'Redirect URIs are compared by host, so that TPPs need not come back for each path.',
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
    id: 'one-redirect-uri-of-the-statement-is-enough',
    story: 'The lists are compared with "have they something in common?".',
    fails: ['REG-04/outside', 'REG-04/similar'],
    policies: (_correct, { fired }) => ({
      redirectUrisAcceptable(wanted, stated) {
        if (!wanted.every((uri) => stated.includes(uri))) fired()
        return wanted.some((uri) => stated.includes(uri))
      },
    }),
  },
  {
    id: 'all-redirect-uris-or-none',
    story: '"Equal or a subset" was read up to its second word.',
    fails: ['REG-04/subset'],
    policies: (_correct, { fired }) => ({
      redirectUrisAcceptable(wanted, stated) {
        if (wanted.length < stated.length) fired()
        return wanted.length === stated.length && wanted.every((uri) => stated.includes(uri))
      },
    }),
  },
  {
    id: 'stores-any-grant-type',
    story: 'grant_types goes into the database as it came; a lookup at run time would find it.',
    fails: ['REG-05/grant-type'],
    policies: echoes('grant_types'),
  },
  {
    id: 'stores-any-response-type',
    story: 'The response echoes response_types from the request instead of what is stored.',
    fails: ['REG-05/response-type'],
    policies: echoes('response_types'),
  },
  {
    id: 'stores-any-auth-method',
    story:
      'A TPP that asks for client_secret_basic is registered with it: convenient in the sandbox.',
    fails: ['REG-05/auth-method'],
    policies: echoes('token_endpoint_auth_method'),
  },
  {
    id: 'stores-request-objects-unsigned',
    story:
      'The metadata of OpenID Connect allow none for request objects, and so does the service.',
    fails: ['REG-05/signing-algorithm'],
    policies: echoes('request_object_signing_alg'),
  },
  {
    id: 'registration-says-less-than-it-stores',
    story: 'The response lists what differs from the defaults of RFC 7591.',
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
    story: 'The framework answers every POST with 200.',
    fails: ['REG-08/created'],
    async middleware(ctx, next) {
      await next()
      if (!registers(ctx) || ctx.status !== 201) return
      ctx.status = 200
      ctx.state.fired()
    },
  },
  {
    id: 'grant-types-not-asked-at-the-token-endpoint',
    story: 'The token service knows the grants of the bank, not those of the client.',
    fails: ['REG-12/unregistered-grant'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        if (model !== 'Client' || !seen) return seen
        const grants = (seen.grant_types ?? []) as string[]
        if (grants.includes('client_credentials')) return seen
        fired()
        return { ...seen, grant_types: [...grants, 'client_credentials'] }
      },
    }),
  },
  {
    id: 'redirect-uris-of-the-statement-at-the-page',
    story: 'The authorisation page validates against the software statement, not the registration.',
    fails: ['REG-13/left-out'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        const ctx = currentRequest()
        if (model !== 'Client' || !seen || !ctx) return seen
        const { first, second } = stateOf(ctx).bank.inside.directory.clients
        const software = [first, second].find(({ softwareId }) => softwareId === seen.software_id)
        const stored = (seen.redirect_uris ?? []) as string[]
        if (!software || stored.length === software.redirectUris.length) return seen
        fired()
        return { ...seen, redirect_uris: software.redirectUris }
      },
    }),
  },
  {
    id: 'scope-as-a-list',
    story: 'The scopes are a list inside, and the serializer leaves them so.',
    fails: ['REG-14/string'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        const view = correct.registrationView(stored)
        return { ...view, scope: String(view.scope).split(' ') }
      },
    }),
  },
  {
    id: 'auth-method-as-the-product-calls-it',
    story: 'Every registration is answered with the default method of the product.',
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
    story: 'The consent page shows the name of the app, which everybody knows, not of its owner.',
    fails: ['REG-22/organisation'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        if (model !== 'Client' || !seen) return seen
        fired()
        return { ...seen, org_name: seen.software_client_name }
      },
    }),
  },
  {
    id: 'page-hides-the-agent',
    story: 'On whose behalf the TPP asks was cut from the consent page for want of room.',
    fails: ['REG-22/on-behalf-of'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        if (model !== 'Client' || !seen) return seen
        fired()
        return { ...seen, software_on_behalf_of: seen.org_name }
      },
    }),
  },
  {
    id: 'registration-signed-by-anybody',
    story: 'The statement inside is verified, and the JWT around it taken for mere wrapping.',
    fails: [],
    warns: ['REG-24/forged'],
    policies: (_correct, { fired }) => ({
      registrationSigned(verified) {
        if (!verified) fired()
        return true
      },
    }),
  },
  {
    id: 'registration-never-expires',
    story: 'TPPs registered by mail with JWTs of last week, so exp is not looked at.',
    fails: [],
    warns: ['REG-24/expired'],
    policies: (correct, { fired }) => ({
      registrationClaimsRefusal(claims, expected) {
        if (Number(claims.exp) < expected.now) fired()
        const exp = expected.now + 60
        return correct.registrationClaimsRefusal({ ...claims, exp }, expected)
      },
    }),
  },
  {
    id: 'registration-of-any-media-type',
    story: 'Whatever looks like a JWT is one; the Content-Type is not read.',
    fails: [],
    warns: ['REG-27/text-plain'],
    policies: (correct, { fired }) => ({
      registrationMediaType(type) {
        if (!correct.registrationMediaType(type)) fired()
        return true
      },
    }),
  },
  {
    id: 'management-token-lost',
    story: 'Client management is not supported, so its token is not handed out either.',
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
    id: 'organisation-by-its-number-at-the-regulator',
    story: 'org_id is filled from the register of the regulator instead of the software statement.',
    fails: [],
    warns: ['REG-29/from-statement'],
    policies: (correct, { fired }) => ({
      registrationView(stored) {
        fired()
        return { ...correct.registrationView(stored), org_id: '823481' }
      },
    }),
  },
]
export default faults
