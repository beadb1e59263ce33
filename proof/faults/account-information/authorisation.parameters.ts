import { stateOf } from '../../../bank/state/state.ts'
import { HOUR } from '../../../engine/record/durations.ts'
import { idTokens } from '../../altering/id-tokens.ts'
import { landings } from '../../altering/jwt-rewrites.ts'
import type { Fault } from '../../run/proof.ts'

const faults: Fault[] = [
  {
    id: 'code-comes-twice',
    story: 'The gateway adds the parameters that it knows to those that are there.',
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
    story: 'The time of the login is written as the program has it.',
    fails: [],
    warns: ['AUTHZ-40/auth-time'],
    middleware: idTokens((claims, sign) =>
      sign({ ...claims, auth_time: Math.floor(Date.now() / HOUR) * HOUR }),
    ),
  },
  {
    id: 'auth-time-of-the-login-before',
    story: 'The page shows customers when they last logged in, and the ID token has that time.',
    fails: [],
    warns: ['AUTHZ-40/this-login'],
    middleware: idTokens((claims, sign) =>
      sign({ ...claims, auth_time: Number(claims.auth_time ?? claims.iat) - HOUR / 1000 }),
    ),
  },
  {
    id: 'redirect-of-another-issuer',
    story: 'The page adds iss with the name of the host on which it runs.',
    fails: [],
    warns: ['AUTHZ-48/issuer'],
    middleware: landings((fragment) => {
      fragment.set('iss', 'https://pages.bank.example')
    }),
  },
  {
    id: 'denials-without-the-issuer',
    story:
      'The server adds iss to what it redirects itself, and says so in its configuration; a denial is redirected by the page.',
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
    story: 'The page puts the address of a denial together out of texts, as they are.',
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
    story: 'The text of the page is the description as well, with the apostrophe of its designer.',
    fails: [],
    warns: ['AUTHZ-45/characters'],
    middleware: landings((fragment) => {
      if (!fragment.has('error')) return false
      fragment.set('error_description', 'The customer doesn’t agree')
    }),
  },
  {
    id: 'state-in-the-query',
    story:
      'The gateway keeps the state of each request, and adds it to the address behind the page.',
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
