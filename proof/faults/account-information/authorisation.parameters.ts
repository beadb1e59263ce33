import { stateOf } from '../../../bank/state/state.ts'
import { HOUR } from '../../../engine/record/durations.ts'
import { idTokens } from '../../altering/id-tokens.ts'
import { landings } from '../../altering/jwt-rewrites.ts'
import type { Fault } from '../../run/proof.ts'

const faults: Fault[] = [
  {
    id: 'code-comes-twice',
    story: 'The redirect has the parameter code twice, because the gateway adds it again.',
    fails: [],
    warns: ['AUTHZ-39/once'],
    async middleware(ctx, next) {
      await next()
      const location = String(ctx.response.get('location') ?? '')
      const code = new URLSearchParams(location.split('#')[1]).get('code')
      if (!code) return
      ctx.set('location', `${location}&code=${encodeURIComponent(code)}`)
      stateOf(ctx).fired()
    },
  },
  {
    id: 'fragment-with-a-question-mark',
    story: 'The library that adds parameters to an address begins them with a question mark.',
    fails: ['AUTHZ-03/names'],
    middleware: landings((fragment, _ctx, address) => {
      const names = ['code', 'id_token', ...fragment.keys()]
      const sorted = [...fragment].sort(
        ([one], [other]) => names.indexOf(one) - names.indexOf(other),
      )
      return fragment.has('code') && `${address}#?${new URLSearchParams(sorted)}`
    }),
  },
  {
    id: 'fragment-with-a-question-mark-before-iss',
    story: 'The server adds its iss first, by a function that was made for queries.',
    fails: [],
    warns: ['AUTHZ-49/encoded'],
    middleware: landings((fragment, ctx, address) => {
      const { issuer } = stateOf(ctx).bank.services.endpoints
      fragment.delete('iss')
      return `${address}#?iss=${encodeURIComponent(issuer)}&${fragment}`
    }),
  },
  {
    id: 'codes-with-an-error-that-says-none',
    story: 'The page fills in every member of its answer, and the error of a success is none.',
    fails: [],
    warns: ['AUTHZ-38/no-error'],
    middleware: landings((fragment) => {
      if (!fragment.has('code')) return false
      fragment.set('error', 'none')
    }),
  },
  {
    id: 'auth-time-in-milliseconds',
    story: 'The auth_time of ID tokens is in milliseconds instead of seconds.',
    fails: [],
    warns: ['AUTHZ-40/auth-time'],
    middleware: idTokens((claims, sign) =>
      sign({ ...claims, auth_time: Math.floor(Date.now() / HOUR) * HOUR }),
    ),
  },
  {
    id: 'auth-time-of-the-login-before',
    story:
      "The auth_time of ID tokens is one hour early: it is the time of the customer's previous login.",
    fails: [],
    warns: ['AUTHZ-40/this-login'],
    middleware: idTokens((claims, sign) =>
      sign({ ...claims, auth_time: Number(claims.auth_time ?? claims.iat) - HOUR / 1000 }),
    ),
  },
  {
    id: 'redirect-of-another-issuer',
    story: 'The redirect has a parameter iss that is not the issuer of the bank.',
    fails: [],
    warns: ['AUTHZ-48/issuer'],
    middleware: landings((fragment) => {
      fragment.set('iss', 'https://pages.bank.example')
    }),
  },
  {
    id: 'denials-without-the-issuer',
    story:
      'The configuration says that redirects have the parameter iss, but the redirect after a denial has none.',
    fails: [],
    warns: ['AUTHZ-48/promised'],
    settings: { discovery: { authorization_response_iss_parameter_supported: true } },
    middleware: landings((fragment, ctx) => {
      if (fragment.has('error')) return false
      fragment.set('iss', stateOf(ctx).bank.services.endpoints.issuer)
    }),
  },
  {
    id: 'denial-with-plain-spaces',
    story: 'The redirect after a denial has spaces in error_description that are not encoded.',
    fails: [],
    warns: ['AUTHZ-49/encoded'],
    middleware: landings((fragment, _ctx, address) => {
      if (!fragment.has('error')) return false
      fragment.delete('error_description')
      return `${address}#error_description=The customer said no&${fragment}`
    }),
  },
  {
    id: 'denial-in-typographic-quotes',
    story:
      'The error_description of a denial has a typographic apostrophe, which OAuth does not allow.',
    fails: [],
    warns: ['AUTHZ-45/characters'],
    middleware: landings((fragment) => {
      if (!fragment.has('error')) return false
      fragment.set('error_description', 'The customer doesn’t agree')
    }),
  },
  {
    id: 'state-in-the-query',
    story: 'After the approval, the state is in the query of the redirect instead of the fragment.',
    fails: ['AUTHZ-04/in-fragment'],
    async middleware(ctx, next) {
      await next()
      const [address = '', text] = String(ctx.response.get('location') ?? '').split('#', 2)
      const fragment = new URLSearchParams(text)
      const state = fragment.get('state')
      if (!fragment.has('code') || state === null) return
      fragment.delete('state')
      const query = `${address.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`
      ctx.set('location', `${address}${query}#${fragment}`)
      stateOf(ctx).fired()
    },
  },
]

export default faults
