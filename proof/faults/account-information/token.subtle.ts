import { currentRequest } from '../../../bank/current.ts'
import { stateOf } from '../../../bank/state.ts'
import {
  acceptsAssertion,
  goodAssertion,
  looksRight,
  tokenForm,
  tokenRequests,
} from '../../laundering.ts'
import type { Fault } from '../../proof.ts'
import { successes } from '../../rewriting.ts'

/** Does the bank know a client of this name? */
const knows = (ctx: Parameters<typeof stateOf>[0], id: unknown) =>
  stateOf(ctx).bank.inside.records.peek('Client', String(id)) !== undefined

const now = () => Math.floor(Date.now() / 1000)

/** Grants to which the assertion was not asked. */
function withoutAssertionFor(grant: string): Fault['middleware'] {
  return acceptsAssertion((_assertion, form, ctx) => {
    const id = form.get('client_id')
    const secret = form.has('client_secret') || ctx.get('authorization') !== ''
    if (form.get('grant_type') !== grant || form.has('client_assertion') || secret) return undefined
    return id ? goodAssertion(ctx, id) : undefined
  })
}

const faults: Fault[] = [
  {
    id: 'refresh-without-client-authentication',
    story:
      'Refresh tokens count as credentials; the client is only asked when a code is exchanged.',
    fails: ['TOK-04/refresh-token'],
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
      return { ...claims, aud: stateOf(ctx).bank.inside.places.token }
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
      const { token } = stateOf(ctx).bank.inside.places
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
    id: 'refresh-with-any-scope',
    story: 'A refresh may name scopes, and gets what it names as far as the bank knows it.',
    fails: [],
    warns: ['TOK-23/asked-for'],
    middleware: async (ctx, next) => {
      const form = tokenForm(ctx)
      const wanted = form?.get('grant_type') === 'refresh_token' ? form.get('scope') : null
      if (!form || !wanted) return next()
      form.delete('scope')
      const state = stateOf(ctx)
      state.body = form.toString()
      await next()
      const body = ctx.body as Record<string, unknown> | undefined
      if (ctx.status !== 200 || !body) return
      ctx.body = { ...body, scope: wanted }
      state.fired()
    },
  },
  {
    id: 'client-credentials-with-any-scope',
    story: 'The scopes of the client are known to the page, and unknown to the token endpoint.',
    fails: [],
    warns: ['TOK-36/asked-for'],
    middleware: async (ctx, next) => {
      const form = tokenForm(ctx)
      const grant = form?.get('grant_type')
      const wanted = grant === 'client_credentials' ? form?.get('scope') : undefined
      const known = ['openid', 'accounts', 'fundsconfirmations']
      const beyond = wanted?.split(' ').some((one) => !known.includes(one))
      if (!form || !beyond) return next()
      form.delete('scope')
      const state = stateOf(ctx)
      state.body = form.toString()
      await next()
      const body = ctx.body as Record<string, unknown> | undefined
      if (ctx.status !== 200 || !body) return
      ctx.body = { ...body, scope: wanted }
      state.fired()
    },
  },
  {
    id: 'scopes-of-the-bank-not-of-the-client',
    story:
      'A scope is refused when the bank has none of this name; whose it is was left for later.',
    fails: [],
    warns: ['TOK-36/left-out'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const scope = record?.scope
        if (model !== 'Client' || !record || typeof scope !== 'string') return record
        if (API_SCOPES.every((one) => scope.split(' ').includes(one))) return record
        fired()
        return { ...record, scope: [...new Set([...scope.split(' '), ...API_SCOPES])].join(' ') }
      },
    }),
  },
  {
    id: 'expired-token-reads-balances',
    story: 'The service of balances believes a cache of tokens that has no expiry.',
    fails: ['TOK-21/expired'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const path = currentRequest()?.path ?? ''
        if (model !== 'AccessToken' || !path.endsWith('/balances')) return record
        if (!record?.exp || record.exp > now()) return record
        fired()
        return { ...record, exp: now() + 3600 }
      },
    }),
  },
  {
    id: 'expired-token-reads-one-account',
    story: 'Single transactions go past the cache that knows what has expired.',
    fails: ['TOK-21/expired'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const path = currentRequest()?.path ?? ''
        if (model !== 'AccessToken' || !/\/accounts\/[^/]+\/transactions$/.test(path)) return record
        if (!record?.exp || record.exp > now()) return record
        fired()
        return { ...record, exp: now() + 3600 }
      },
    }),
  },
  {
    id: 'client-token-reads-single-accounts',
    story: 'The AccountId tells whose data it is; which grant the token came from is not asked.',
    fails: ['TOK-24/accounts', 'TOK-24/balances', 'TOK-24/transactions'],
    middleware: async (ctx, next) => {
      const state = stateOf(ctx)
      const { inside } = state.bank
      const wanted = /\/aisp\/accounts\/([^/]+)/.exec(ctx.path)?.[1]
      const bearer = ctx.get('authorization').replace(/^Bearer +/i, '')
      const token = inside.records.peek('ClientCredentials', bearer)
      const last = latestData.get(state.bank)
      if (!wanted) {
        const own = inside.records.peek('AccessToken', bearer)
        if (own && ctx.path.includes('/aisp/')) latestData.set(state.bank, bearer)
      } else if (token && last) {
        ctx.req.headers.authorization = `Bearer ${last}`
        state.fired()
      }
      await next()
    },
  },
  {
    id: 'data-token-deletes-consents',
    story: 'Deletion asks for a token of the consent’s client, and any of its tokens is one.',
    fails: [],
    warns: ['TOK-25/delete'],
    middleware: managesByDataToken('DELETE'),
  },
  {
    id: 'data-token-creates-consents',
    story: 'The scope of both tokens is accounts, and the scope is all that is asked.',
    fails: [],
    warns: ['TOK-25/create'],
    middleware: managesByDataToken('POST'),
  },
  {
    id: 'expires-in-as-text-after-refresh',
    story: 'The refresh is answered by an older service than the exchange.',
    fails: ['TOK-17/expires-in'],
    middleware: async (ctx, next) => {
      const grant = tokenForm(ctx)?.get('grant_type')
      await next()
      const body = ctx.body as Record<string, unknown> | undefined
      if (grant !== 'refresh_token' || ctx.status !== 200 || !body) return
      ctx.body = { ...body, expires_in: String(body.expires_in) }
      stateOf(ctx).fired()
    },
  },
  {
    id: 'scope-lost-at-re-confirmation',
    story: 'The second grant of a consent is stored without its scopes.',
    fails: ['TOK-16/scope'],
    middleware: successes(['token'], (body, ctx) => {
      const grant = tokenForm(ctx)?.get('code')
      const consents = stateOf(ctx).bank.inside.consents
      const record = seenToken(ctx, String(body.access_token))
      const consent = record?.grantId ? consents.ofGrant(record.grantId) : undefined
      if (!grant || !consent || consent.grants.size < 2) return undefined
      return { ...body, scope: undefined }
    }),
  },
  {
    id: 'assertion-used-twice-by-turns',
    story: 'Only the last jti of each client is remembered.',
    fails: [],
    warns: ['TOK-32/replayed'],
    middleware: tokenRequests((form, ctx) => {
      const text = form.get('client_assertion') ?? ''
      const part = text.split('.')[1]
      if (!part) return false
      const claims = JSON.parse(Buffer.from(part, 'base64url').toString()) as {
        jti?: string
        iss?: string
        exp?: number
      }
      const { bank } = stateOf(ctx)
      const used = usedBefore.get(bank) ?? new Map<string, string[]>()
      usedBefore.set(bank, used)
      const mine = used.get(claims.iss ?? '') ?? []
      used.set(claims.iss ?? '', [...mine, text])
      if (!mine.includes(text) || mine.at(-1) === text || (claims.exp ?? 0) < now()) return false
      form.set('client_assertion', bank.signAsClient(goodAssertion(ctx, claims.iss ?? '')))
      return true
    }),
  },
]

const API_SCOPES = ['openid', 'accounts', 'fundsconfirmations']
const latestData = new WeakMap<object, string>()
const usedBefore = new WeakMap<object, Map<string, string[]>>()

function seenToken(ctx: Parameters<typeof stateOf>[0], value: string) {
  return stateOf(ctx).bank.inside.records.peek('AccessToken', value)
}

/** Consents managed by the access token of a customer's approval, as if by the client's own. */
function managesByDataToken(method: string): NonNullable<Fault['middleware']> {
  return async (ctx, next) => {
    const state = stateOf(ctx)
    const { records } = state.bank.inside
    const path = ctx.path.includes('/account-access-consents')
    const bearer = ctx.get('authorization').replace(/^Bearer +/i, '')
    const own = records.peek('ClientCredentials', bearer)
    if (own && path) latestOwn.set(state.bank, new Map([[own.clientId ?? '', bearer]]))
    const data = path && ctx.method === method && records.peek('AccessToken', bearer)
    const other = data && latestOwn.get(state.bank)?.get(data.clientId ?? '')
    if (other) {
      ctx.req.headers.authorization = `Bearer ${other}`
      state.fired()
    }
    await next()
  }
}

const latestOwn = new WeakMap<object, Map<string, string>>()

export default faults
