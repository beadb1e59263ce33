import { randomUUID } from 'node:crypto'
import type { Context, Middleware, Next } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import { isFirst } from '../../altering/connections.ts'
import {
  acceptsAssertion,
  decoded,
  goodAssertion,
  looksRight,
  tokenForm,
  tokenRequests,
} from '../../altering/jwt-rewrites.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** Does the bank know a client with this id? */
const knows = (ctx: Parameters<typeof stateOf>[0], id: unknown) =>
  stateOf(ctx).bank.services.records.peek('Client', String(id)) !== undefined

const now = () => Math.floor(Date.now() / 1000)

/** A grant that is given without a client assertion. */
function withoutAssertionFor(grant: string): Fault['middleware'] {
  return acceptsAssertion((_assertion, form, ctx) => {
    const id = form.get('client_id')
    const secret = form.has('client_secret') || ctx.get('authorization') !== ''
    if (form.get('grant_type') !== grant || form.has('client_assertion') || secret) return undefined
    return id ? goodAssertion(ctx, id) : undefined
  })
}

/** Every jti that was seen. */
const seen = ofEachBank(() => new Set<unknown>())

/** The jti of each client's assertions, in order. */
const usedBefore = ofEachBank(() => new Map<string, unknown[]>())

/** Refuses requests of a grant that name the client only in the assertion. */
function needsClientId(grant: string, fails: string[]): Fault & { middleware: Middleware } {
  return {
    id: `client-id-required-for-${grant.replaceAll('_', '-')}`,
    story: `The service behind ${grant} finds its clients by the form.`,
    fails,
    async middleware(ctx, next) {
      const form = tokenForm(ctx)
      if (form?.get('grant_type') !== grant || form.has('client_id')) return next()
      stateOf(ctx).fired()
      ctx.status = 400
      ctx.body = { error: 'invalid_request', error_description: 'client_id is missing' }
    },
  }
}

const needed = needsClientId('authorization_code', ['TOK-09/with-code'])

const withoutJti = acceptsAssertion(({ claims }) =>
  claims.iss !== undefined && claims.jti === undefined
    ? { jti: randomUUID(), ...claims }
    : undefined,
)

const faults: Fault[] = [
  {
    id: 'token-parameters-in-the-query',
    story:
      'The framework puts parameters of query and form into one list, and the service reads that.',
    fails: [],
    warns: ['TOK-49/in-the-query'],
    middleware: tokenRequests((form, ctx) => {
      const added = [...new URLSearchParams(ctx.querystring)].filter(([name]) => !form.has(name))
      for (const [name, value] of added) form.append(name, value)
      // The request came without content.
      if (added.length > 0) {
        delete ctx.req.headers['content-length']
        ctx.req.headers['transfer-encoding'] = 'chunked'
      }
      return added.length > 0
    }),
  },
  needed,
  {
    ...needed,
    id: 'client-id-required-for-a-code-and-no-jti',
    story: `${needed.story} What is remembered of an assertion is its jti, if it has one.`,
    warns: ['TOK-32/without-jti'],
    middleware: (ctx: Context, next: Next) => withoutJti(ctx, () => needed.middleware(ctx, next)),
  },
  needsClientId('refresh_token', ['TOK-09/with-refresh-token']),
  {
    id: 'refresh-without-client-authentication',
    story:
      'Refresh tokens count as credentials; the client is only asked when a code is exchanged.',
    fails: ['TOK-04/refresh-token'],
    middleware: withoutAssertionFor('refresh_token'),
  },
  {
    id: 'rotation-without-client-authentication',
    story:
      'Each refresh token takes the place of the one before, so whoever has the newest must be the client.',
    fails: ['TOK-04/refresh-token'],
    settings: { refreshTokens: 'rotated' },
    middleware: withoutAssertionFor('refresh_token'),
  },
  {
    id: 'code-without-client-authentication',
    story: 'Public clients with a code are served; confidential ones were never told apart.',
    fails: ['TOK-04/authorization-code'],
    middleware: withoutAssertionFor('authorization_code'),
  },
  {
    id: 'assertion-without-audience',
    story: 'The audience is compared where the assertion has one.',
    fails: [],
    warns: ['TOK-32/without-parties'],
    middleware: acceptsAssertion((assertion, form, ctx) => {
      const { claims } = assertion
      if (!claims.iss || claims.aud !== undefined) return undefined
      if (!looksRight(ctx, assertion, form.get('client_id') ?? claims.iss)) return undefined
      return { ...claims, aud: stateOf(ctx).bank.services.endpoints.token }
    }),
  },
  {
    id: 'assertion-without-subject',
    story: 'iss names the client; a missing sub is taken for the same.',
    fails: [],
    warns: ['TOK-32/without-parties'],
    middleware: acceptsAssertion((assertion, _form, ctx) => {
      const { claims } = assertion
      if (!claims.iss || claims.sub !== undefined) return undefined
      if (!looksRight(ctx, assertion, claims.iss)) return undefined
      return { ...claims, sub: claims.iss }
    }),
  },
  {
    id: 'assertion-without-issuer',
    story: 'sub names the client; nobody asks who issued the assertion.',
    fails: [],
    warns: ['TOK-32/without-parties'],
    middleware: acceptsAssertion((assertion, _form, ctx) => {
      const { claims } = assertion
      if (!claims.sub || claims.iss !== undefined) return undefined
      if (!looksRight(ctx, assertion, claims.sub)) return undefined
      return { ...claims, iss: claims.sub }
    }),
  },
  {
    id: 'assertion-of-any-known-issuer',
    story: 'iss must be a client that is registered; that it is the same as sub is not asked.',
    fails: ['TOK-07/issuer'],
    middleware: acceptsAssertion((assertion, _form, ctx) => {
      const { claims } = assertion
      if (claims.iss === claims.sub || !knows(ctx, claims.iss) || !knows(ctx, claims.sub)) {
        return undefined
      }
      if (!looksRight(ctx, assertion, claims.sub)) return undefined
      return { ...claims, iss: claims.sub }
    }),
  },
  {
    id: 'assertion-about-any-known-client',
    story: 'The key is chosen by iss, the client by form, and sub must merely be known.',
    fails: ['TOK-07/subject'],
    middleware: acceptsAssertion((assertion, _form, ctx) => {
      const { claims } = assertion
      if (claims.iss === claims.sub || !knows(ctx, claims.iss) || !knows(ctx, claims.sub)) {
        return undefined
      }
      if (!looksRight(ctx, assertion, claims.iss)) return undefined
      return { ...claims, sub: claims.iss }
    }),
  },
  {
    id: 'assertion-for-another-path-of-this-host',
    story: 'The audience is compared by the name of the host; any service of the bank will do.',
    fails: ['TOK-07/audience'],
    middleware: acceptsAssertion((assertion, form, ctx) => {
      const { claims } = assertion
      const { token } = stateOf(ctx).bank.services.endpoints
      const aud = String(claims.aud)
      if (!URL.canParse(aud) || new URL(aud).pathname !== new URL(token).pathname) {
        if (!aud.endsWith('/token') || aud === token) return undefined
      }
      if (aud === token || !looksRight(ctx, assertion, form.get('client_id') ?? claims.iss)) {
        return undefined
      }
      return { ...claims, aud: token }
    }),
  },
  {
    id: 'assertion-in-hs256-with-the-public-key',
    story: 'The library takes the algorithm from the header and the public key for a secret.',
    fails: ['TOK-08/hs256'],
    middleware: acceptsAssertion(({ header, claims }, _form, ctx) => {
      if (header.alg !== 'HS256' || !knows(ctx, claims.iss)) return undefined
      return claims
    }),
  },
  {
    id: 'assertions-are-remembered-by-each-node',
    story:
      'Each node has its own list of the jti that it has seen. A new connection leads to another node.',
    fails: [],
    warns: ['TOK-32/replayed'],
    middleware: tokenRequests((form, ctx) => {
      const { jti, iss, exp } = decoded(form.get('client_assertion')).claims
      const client = String(iss ?? '')
      const isElsewhere = isFirst(ctx)
      const isKnown = seen().has(jti)
      seen().add(jti)
      if (!isElsewhere || !isKnown || jti === undefined || Number(exp ?? 0) < now()) return false
      form.set('client_assertion', stateOf(ctx).bank.signAsClient(goodAssertion(ctx, client)))
      return true
    }),
  },
  {
    id: 'assertion-used-twice-by-turns',
    story: 'Only the last jti of each client is remembered.',
    fails: [],
    warns: ['TOK-32/replayed'],
    middleware: tokenRequests((form, ctx) => {
      const { jti, iss, exp } = decoded(form.get('client_assertion')).claims
      if (jti === undefined) return false
      const client = String(iss ?? '')
      const used = usedBefore()
      const mine = used.get(client) ?? []
      used.set(client, [...mine, jti])
      if (!mine.includes(jti) || mine.at(-1) === jti || Number(exp ?? 0) < now()) return false
      form.set('client_assertion', stateOf(ctx).bank.signAsClient(goodAssertion(ctx, client)))
      return true
    }),
  },
]

export default faults
