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
    story: `In ${grant} requests, the token endpoint refuses a form without client_id, although it is optional.`,
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
    story: 'The token endpoint also reads its parameters from the query, not only from the form.',
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
    story: `${needed.story} It accepts a client assertion without jti.`,
    warns: ['TOK-32/without-jti'],
    middleware: (ctx: Context, next: Next) => withoutJti(ctx, () => needed.middleware(ctx, next)),
  },
  needsClientId('refresh_token', ['TOK-09/with-refresh-token']),
  {
    id: 'refresh-without-client-authentication',
    story: 'The token endpoint accepts a refresh without a client assertion.',
    fails: ['TOK-04/refresh-token'],
    middleware: withoutAssertionFor('refresh_token'),
  },
  {
    id: 'rotation-without-client-authentication',
    story:
      'The token endpoint accepts a refresh without a client assertion. Each refresh token can be used once, so its holder is thought to be the client.',
    fails: ['TOK-04/refresh-token'],
    settings: { refreshTokens: 'rotated' },
    middleware: withoutAssertionFor('refresh_token'),
  },
  {
    id: 'code-without-client-authentication',
    story: 'The token endpoint accepts a code without a client assertion, as for public clients.',
    fails: ['TOK-04/authorization-code'],
    middleware: withoutAssertionFor('authorization_code'),
  },
  {
    id: 'assertion-without-audience',
    story: 'The token endpoint accepts a client assertion without aud.',
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
    story: 'The token endpoint accepts a client assertion without sub, and uses iss as the client.',
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
    story: 'The token endpoint accepts a client assertion without iss, and uses sub as the client.',
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
    story:
      'The token endpoint accepts a client assertion whose iss is another registered client than sub.',
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
    story:
      'The token endpoint accepts a client assertion whose sub is another registered client than iss.',
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
    story:
      'The token endpoint accepts a client assertion whose aud is another address of the bank.',
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
    story:
      'The token endpoint accepts a client assertion signed with HS256. The library takes the algorithm from the header and uses the public key as secret.',
    fails: ['TOK-08/hs256'],
    middleware: acceptsAssertion(({ header, claims }, _form, ctx) => {
      if (header.alg !== 'HS256' || !knows(ctx, claims.iss)) return undefined
      return claims
    }),
  },
  {
    id: 'assertions-are-remembered-by-each-node',
    story:
      'A client assertion can be used again over a new connection, because each server has its own list of used jti values.',
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
    story:
      'A client assertion can be used again after another one, because the bank remembers only the last jti of each client.',
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
