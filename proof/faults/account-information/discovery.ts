import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { Context, Next } from 'koa'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

type Json = Record<string, unknown>

const WELL_KNOWN = '/.well-known/openid-configuration'

/** Changes the configuration before it is sent. */
function configuration(change: (document: Json) => unknown): NonNullable<Fault['middleware']> {
  return async (ctx: Context, next: Next) => {
    await next()
    if (ctx.path !== WELL_KNOWN || ctx.status !== 200) return
    ctx.body = change(ctx.body as Json)
    ctx.state.fired()
  }
}

const without = (name: string) => (document: Json) => {
  const { [name]: _, ...rest } = document
  return rest
}

/** Changes the answer of an address from the second read on. */
function later(path: string, answer: (ctx: Context) => void): NonNullable<Fault['middleware']> {
  const reads = ofEachBank(() => ({ count: 0 }))
  return async (ctx: Context, next: Next) => {
    await next()
    if (ctx.path !== path) return
    reads().count += 1
    if (reads().count === 1) return
    answer(ctx)
    ctx.state.fired()
  }
}

function notFound(ctx: Context): void {
  ctx.status = 404
  ctx.body = { error: 'not_found' }
}

/** Changes members of each key in the JWK Set. */
function keysWith(members: Json): NonNullable<Fault['middleware']> {
  return async (ctx: Context, next: Next) => {
    await next()
    if (ctx.path !== '/jwks' || ctx.status !== 200) return
    const { keys } = ctx.body as { keys: Json[] }
    ctx.body = { keys: keys.map((key) => ({ ...key, ...members })) }
    ctx.state.fired()
  }
}

/** The configuration, unchanged. */
const answered: NonNullable<Fault['middleware']> = configuration((document) => document)

const faults: Fault[] = [
  {
    id: 'configuration-under-the-oauth-name',
    story:
      'The bank serves its configuration only at /.well-known/oauth-authorization-server (RFC 8414), not at /.well-known/openid-configuration.',
    fails: ['DISC-01/served'],
    async middleware(ctx, next) {
      if (ctx.path !== WELL_KNOWN) return next()
      ctx.state.fired()
      ctx.path = '/.well-known/openid-configuration-of-another-name'
      await next()
    },
  },
  {
    id: 'every-other-configuration-is-of-the-inside',
    story:
      'From the second read on, the configuration names the token endpoint of the test environment. One of two servers is configured wrongly.',
    fails: [],
    warns: ['DISC-15/same'],
    middleware: later(WELL_KNOWN, (ctx) => {
      const configuration = ctx.body as Json
      ctx.body = { ...configuration, token_endpoint: 'https://token.inside.example/token' }
    }),
  },
  {
    id: 'configuration-by-the-forwarded-host',
    story:
      'The server builds the addresses in its configuration from the X-Forwarded-Host header of the request, which the gateway passes on unchecked.',
    fails: [],
    warns: ['DISC-15/forwarded-host'],
    async middleware(ctx, next) {
      await next()
      const host = ctx.get('x-forwarded-host')
      if (ctx.path !== WELL_KNOWN || ctx.status !== 200 || host === '') return
      const text = JSON.stringify(ctx.body)
      ctx.body = JSON.parse(text.replace(/https:\/\/[^/"]+/g, `https://${host}`))
      ctx.state.fired()
    },
  },
  {
    id: 'configuration-served-once',
    story:
      'The configuration is served once; each later request gets 404. The server reads it from a stream that is already at its end.',
    fails: ['DISC-01/again'],
    middleware: later(WELL_KNOWN, notFound),
  },
  {
    id: 'configuration-is-a-portal-page',
    story:
      'The path of the configuration returns an HTML page with status 200. The single-page developer portal answers every unknown path with its start page.',
    fails: ['DISC-01/served'],
    async middleware(ctx, next) {
      await next()
      if (ctx.path !== WELL_KNOWN) return
      ctx.state.fired()
      ctx.type = 'text/html'
      ctx.body = '<!doctype html><title>Developer portal</title><div id="app"></div>'
    },
  },
  {
    id: 'configuration-in-a-list',
    story:
      'The configuration is sent inside a JSON array. A federation plug-in lists the configurations of all brands, and there is only one brand.',
    fails: ['DISC-01/configuration'],
    middleware: configuration((document) => [document]),
  },
  {
    id: 'configuration-without-jwks-uri',
    story: 'The configuration has no jwks_uri, because the keys are published in the directory.',
    fails: [],
    warns: ['DISC-03/members'],
    middleware: configuration(without('jwks_uri')),
  },
  {
    id: 'configuration-without-subject-types',
    story: 'The configuration, written by hand, has no subject_types_supported.',
    fails: [],
    warns: ['DISC-03/subject-types'],
    middleware: configuration(without('subject_types_supported')),
  },
  {
    id: 'token-endpoint-behind-the-gateway',
    story:
      'The token_endpoint in the configuration is the internal host name. The configuration is generated behind the gateway.',
    fails: [],
    warns: ['DISC-04/addresses'],
    middleware: configuration((document) => ({
      ...document,
      token_endpoint: 'https://oauth-internal.bank.example:8443/token',
    })),
  },
  {
    id: 'configuration-of-the-product',
    story:
      'The configuration is the default of the product: it lists response type code, RS256 for ID tokens, and no client_credentials grant.',
    fails: [],
    warns: ['DISC-05/code-id-token', 'DISC-07/ps256', 'DISC-08/grant-types'],
    middleware: configuration((document) => ({
      ...document,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
    })),
  },
  {
    id: 'auth-methods-as-text',
    story:
      'token_endpoint_auth_methods_supported is a string, not an array. The serializer writes a list with one element as that element.',
    fails: [],
    warns: ['DISC-06/private-key-jwt'],
    middleware: configuration((document) => ({
      ...document,
      token_endpoint_auth_methods_supported: 'private_key_jwt',
    })),
  },
  {
    id: 'keys-for-the-inside-only',
    story:
      'The jwks_uri answers 403. The firewall lets only the configuration of that host through.',
    fails: [],
    warns: ['DISC-10/served'],
    async middleware(ctx, next) {
      if (ctx.path !== '/jwks') return next()
      ctx.state.fired()
      ctx.status = 403
      ctx.body = { error: 'access_denied' }
    },
  },
  {
    id: 'keys-served-once',
    story:
      'The keys are served once; each later request gets 404. The key service closes its store after the first export.',
    fails: [],
    warns: ['DISC-10/again'],
    middleware: later('/jwks', notFound),
  },
  {
    id: 'keys-of-another-instance',
    story:
      'The kid of the published key changes from the second read on. Each server behind the load balancer creates its own key at its start and publishes only that one.',
    fails: [],
    warns: ['DISC-13/kept'],
    middleware: later('/jwks', (ctx) => {
      const { keys } = ctx.body as { keys: Json[] }
      ctx.body = { keys: keys.map((key) => ({ ...key, kid: 'of-another-instance' })) }
    }),
  },
  {
    id: 'keys-with-their-private-parts',
    story:
      'The published keys contain their private part d. The key service exports the whole keys, as it does for the other servers.',
    fails: [],
    warns: ['DISC-14/public'],
    async middleware(ctx, next) {
      await next()
      if (ctx.path !== '/jwks') return
      const { keys } = ctx.body as { keys: Json[] }
      ctx.body = { keys: keys.map((key) => ({ ...key, d: 'AQAB' })) }
      ctx.state.fired()
    },
  },
  {
    id: 'keys-published-for-rs256',
    story:
      'The published keys have alg RS256, the default algorithm of the product, although PS256 is used.',
    fails: [],
    warns: ['DISC-16/for-ps256'],
    middleware: keysWith({ alg: 'RS256' }),
  },
  {
    id: 'keys-published-for-signing',
    story:
      'The published keys have key_ops ["sign"]: the public keys are exported with the operations of the private ones.',
    fails: [],
    warns: ['DISC-16/for-ps256'],
    middleware: keysWith({ key_ops: ['sign'] }),
  },
  {
    id: 'keys-without-root',
    story: 'The jwks_uri returns the array of keys itself, not an object with the member keys.',
    fails: [],
    warns: ['DISC-10/jwks'],
    async middleware(ctx, next) {
      await next()
      if (ctx.path !== '/jwks') return
      ctx.state.fired()
      ctx.body = (ctx.body as Json).keys
    },
  },
  {
    id: 'configuration-without-request-objects',
    story:
      'The configuration says request_parameter_supported: false, the default of the product, although the bank uses request objects.',
    fails: [],
    warns: ['DISC-18/agrees'],
    middleware: configuration((document) => ({ ...document, request_parameter_supported: false })),
  },
  {
    id: 'configuration-with-the-query-alone',
    story:
      'The configuration lists the response modes query and form_post but not fragment. The list was made for the code flow.',
    fails: [],
    warns: ['DISC-18/agrees'],
    middleware: configuration((document) => ({
      ...document,
      response_modes_supported: ['query', 'form_post'],
    })),
  },
  {
    id: 'configuration-for-pushed-requests-alone',
    story:
      'The configuration requires pushed authorisation requests, because a whole profile of the product was switched on.',
    fails: [],
    warns: ['DISC-18/agrees'],
    middleware: configuration((document) => ({
      ...document,
      pushed_authorization_request_endpoint: 'https://auth.bank.example/par',
      require_pushed_authorization_requests: true,
    })),
  },
  {
    id: 'configuration-with-none-for-assertions',
    story:
      'The configuration lists alg none for client assertions. The list of algorithms is the default of the library.',
    fails: [],
    warns: ['DISC-18/agrees'],
    middleware: configuration((document) => ({
      ...document,
      token_endpoint_auth_signing_alg_values_supported: ['PS256', 'none'],
    })),
  },
  {
    id: 'issuer-of-the-inside',
    story:
      'The issuer has another host than the address of the configuration. It is the internal name of the server in its cluster.',
    fails: [],
    warns: ['DISC-12/prefix'],
    settings: { issuer: 'https://identity.cards.svc.example:8443/realms/cards' },
    middleware: answered,
  },
  {
    id: 'certificates-of-another-key',
    story:
      'The x5c certificate beside each published key belongs to another key. The keys were replaced and the certificates were not.',
    fails: [],
    warns: ['DISC-17/well-formed'],
    async middleware(ctx, next) {
      await next()
      if (ctx.path !== '/jwks' || ctx.status !== 200) return
      const { keys } = ctx.body as { keys: Json[] }
      // The certificate of this very connection.
      const { raw } = (ctx.req.socket as TLSSocket).getCertificate() as PeerCertificate
      ctx.body = { keys: keys.map((key) => ({ ...key, x5c: [raw.toString('base64')] })) }
      ctx.state.fired()
    },
  },
]
export default faults
