import type { Context, Middleware } from 'koa'
import { currentRequest } from '../../bank/request-context.ts'
import { stateOf } from '../../bank/state.ts'
import { ofEachBank } from '../each-bank.ts'
import { extraScopesLeftOut } from '../extra-scopes.ts'
import { changeFragment, idTokens, rehashed } from '../id-tokens.ts'
import type { Variant } from '../proof.ts'
import { answers, partOf } from '../rewriting.ts'
import { roundRobin, roundRobinOf, roundRobinPerKey } from '../round-robin.ts'
import { tokensSpelt } from '../token-spelling.ts'

const locationOf = (ctx: Context) => String(ctx.response.get('location') ?? '')
const onPages = (ctx: Context) => partOf(ctx) === 'pages'

/** The redirects to a TPP that carry an error in the fragment. */
const errors = (change: (ctx: Context, fragment: URLSearchParams, address: string) => unknown) =>
  answers((ctx) => {
    const [address = '', text = ''] = locationOf(ctx).split('#', 2)
    const fragment = new URLSearchParams(text)
    return onPages(ctx) && fragment.has('error') ? change(ctx, fragment, address) : false
  })

/** Text of the pages that customers see, changed. */
const pages = (change: (html: string, ctx: Context) => string) =>
  answers((ctx) => {
    if (!onPages(ctx) || typeof ctx.body !== 'string') return false
    const { status } = ctx
    const changed = change(ctx.body, ctx)
    if (changed === ctx.body) return false
    ctx.body = changed
    ctx.status = status
  })

const page = (content: string) => `<!doctype html><html lang="en"><title>Bank</title>${content}`

/** Names on the pages in the bank's own way. */
const inMarkup = pages((html) =>
  html.replace(
    /<strong>([^<]+)<\/strong>/g,
    (_all, name: string) =>
      `<em><b>${name.replace(/ /g, '&#32;&#10;').replace(/a/g, '&#x61;')}</b></em>`,
  ),
)

/** The button that denies, as a link behind the form. */
const declining = pages((html) => {
  const action = /action="(\S+\/decision)"/.exec(html)?.[1]
  if (action === undefined) return html
  const link = `<a href="${action}?decision=deny">Not now</a>`
  return html.replace(/<button[^>]*value="deny"[^>]*>Deny<\/button>\s*<\/form>/, `</form>${link}`)
})

/** Wrong passwords of each customer since the last right one. */
const wrongOnes = ofEachBank(() => new Map<string, number>())

/** The form of a page's request that is encoded in parts (RFC 7578); undefined for any other. */
function partsOf(ctx: Context): URLSearchParams | undefined {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/.exec(ctx.get('content-type'))?.[1]
  if (boundary === undefined) return undefined
  const form = new URLSearchParams()
  for (const part of stateOf(ctx).body.split(`--${boundary}`)) {
    const [, name, value] = /name="([^"]*)"\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? []
    if (name !== undefined) form.append(name, value ?? '')
  }
  return form
}

const inParts = pages((html) => html.replaceAll('<form ', '<form enctype="multipart/form-data" '))

const variants: Variant[] = [
  {
    id: 'login-page-at-once',
    story:
      'The first answer of the authorisation endpoint may be the login page (AMB-08), and which claims a request object needs is open: nbf is not one of them.',
    settings: { loginPage: 'forms' },
    middleware: answers((ctx) => onPages(ctx) && ctx.path === '/authorize'),
  },
  {
    id: 'login-page-with-401',
    story:
      'Which status the first page has is open (AMB-08): nobody is logged in yet, so it is 401 with a form.',
    async middleware(ctx, next) {
      await next()
      const asks = typeof ctx.body === 'string' && ctx.body.includes('name="password"')
      if (!onPages(ctx) || ctx.status !== 200 || !asks) return
      ctx.status = 401
      ctx.state.fired()
    },
  },
  {
    id: 'login-behind-many-redirects',
    story:
      "How customers come to the login page is the bank's: by way of three other paths and a cookie. After a form was posted, 303 leads on within the bank; the redirect to the TPP is a 302.",
    async middleware(ctx, next) {
      const hop = onPages(ctx) ? /^\/go\/(\d)$/.exec(ctx.path)?.[1] : undefined
      if (hop !== undefined) {
        const to = ctx.cookies.get('hop', { signed: false })
        const n = Number(hop)
        ctx.status = n % 2 ? 307 : 302
        ctx.redirect(n < 3 ? `/go/${n + 1}` : decodeURIComponent(to ?? '/'))
        ctx.state.fired()
        return
      }
      await next()
      if (onPages(ctx) && ctx.method === 'POST' && ctx.status === 302) ctx.status = 303
      const place = locationOf(ctx)
      if (!onPages(ctx) || ctx.path !== '/authorize' || !place.startsWith('/interaction/')) return
      ctx.cookies.set('hop', encodeURIComponent(place), { signed: false, path: '/go' })
      ctx.set('location', '/go/1')
    },
  },
  {
    id: 'a-page-before-the-login',
    story:
      "What customers see is the bank's: a page about fraud with a button comes first, and organisation and OnBehalfOf are shown in entities, capitals and markup.",
    target: ({ authorisation }) => {
      authorisation.forms?.push({ has: ['go-on'], approve: { name: 'go-on', value: 'yes' } })
    },
    async middleware(ctx, next) {
      const asks = onPages(ctx) && ctx.path.startsWith('/interaction/') && ctx.method === 'GET'
      if (!asks || ctx.query['go-on'] || ctx.cookies.get('read', { signed: false })) {
        return inMarkup(ctx, next)
      }
      ctx.cookies.set('read', 'yes', { signed: false, path: ctx.path })
      ctx.type = 'text/html'
      ctx.body = page(
        `<p>Beware of fraud.</p><form action="${ctx.path}"><button name="go-on" value="yes">Go on</button></form>`,
      )
      ctx.state.fired()
    },
  },
  {
    id: 'locked-out-after-three-wrong-passwords',
    story:
      'How customers are protected is the bank’s: who is wrong three times in a row is locked out.',
    async middleware(ctx, next) {
      await next()
      if (!onPages(ctx) || ctx.method !== 'POST' || !ctx.path.endsWith('/login')) return
      const name = new URLSearchParams(stateOf(ctx).body).get('username') ?? ''
      const before = wrongOnes().get(name) ?? 0
      const wrong = ctx.status === 200
      if (wrong) ctx.state.fired()
      if (before < 3) wrongOnes().set(name, wrong ? before + 1 : 0)
      if ((wrongOnes().get(name) ?? 0) < 3) return
      ctx.remove('location')
      ctx.type = 'text/html'
      ctx.body = page('<p>You were locked out. Please call us.</p>')
      ctx.status = 200
    },
  },
  {
    id: 'forms-in-parts',
    story:
      'How the pages encode their forms is the bank’s: as multipart/form-data, and no other way.',
    async middleware(ctx, next) {
      if (onPages(ctx) && ctx.method === 'POST') {
        const form = partsOf(ctx)
        if (!form) {
          ctx.status = 415
          return
        }
        stateOf(ctx).body = form.toString()
        ctx.req.headers['content-type'] = 'application/x-www-form-urlencoded'
        ctx.state.fired()
      }
      await inParts(ctx, next)
    },
  },
  {
    id: 'extra-scopes-are-left-out',
    story:
      'Whether a scope beyond the registered ones is refused is open (AMB-28; RFC 6749 3.3 lets a server ignore a part of it): it is left out, and the customer is asked.',
    middleware: extraScopesLeftOut,
  },
  {
    id: 'declined-by-a-link',
    story:
      'How a customer says no is the bank’s: by a link beside the form, which has a single button.',
    target: ({ authorisation }) => {
      for (const form of authorisation.forms ?? []) delete form.deny
      authorisation.forms?.unshift({ follow: 'Not now', only: 'deny' })
    },
    async middleware(ctx, next) {
      if (onPages(ctx) && ctx.path.endsWith('/decision') && ctx.method === 'GET') {
        ctx.method = 'POST'
        stateOf(ctx).body = ctx.querystring
        ctx.state.fired()
      }
      await declining(ctx, next)
    },
  },
  {
    id: 'all-accounts-are-shared',
    story: "How accounts are chosen is the bank's: the consent covers all, and no page asks.",
    policies: (_correct, { fired }) => ({
      cardsGranted(offered) {
        fired()
        return offered
      },
    }),
    middleware: pages((html) => html.replace(/<fieldset>[\s\S]*?<\/fieldset>/, '')),
  },
  {
    id: 'accounts-chosen-again',
    story: 'When customers re-confirm, the bank may let them choose the accounts again.',
    policies: (correct, { fired }) => ({
      cardsOffered(consent, customer) {
        if (!consent.customerId) return correct.cardsOffered(consent, customer)
        fired()
        return correct.cardsOffered({ ...consent, customerId: undefined }, customer)
      },
    }),
  },
  {
    id: 're-confirmed-by-a-login-alone',
    story:
      'The customer re-confirms "by using the existing intent ID in a request to the authorisation endpoint": to log in is to confirm, and no page asks again what was decided once.',
    async middleware(ctx, next) {
      const uid = onPages(ctx) && /^\/interaction\/([^/]+)$/.exec(ctx.path)?.[1]
      const { provider, consents, policies, visitors } = stateOf(ctx).bank.services
      if (uid && ctx.method === 'GET' && visitors.has(uid)) {
        const { params } = await provider.interactionDetails(ctx.req, ctx.res)
        const claims: unknown = JSON.parse(String(params.claims ?? '{}'))
        if (consents.get(policies.intentOf({ claims }) ?? '')?.customerId) {
          ctx.method = 'POST'
          ctx.path += '/decision'
          stateOf(ctx).body = 'decision=approve'
          ctx.state.fired()
        }
      }
      await next()
    },
  },
  {
    id: 'buttons-say-where',
    story:
      'How the pages send their forms is the bank’s: the buttons name the address, the one without a name too.',
    middleware: pages((html) => {
      const [said, address] = / action="(\/interaction[^"]+)"/.exec(html) ?? []
      if (said === undefined) return html
      return html.replace(said, '').replaceAll('<button ', `<button formaction="${address}" `)
    }),
  },
  {
    id: 'one-account-chosen-for-debits',
    story: 'How many accounts a customer chooses is the customer’s affair: one of two, once.',
    policies(correct, { fired }) {
      let debitsOnly = false
      return {
        cardsOffered(consent, customer) {
          const { permissions } = consent
          const credits = permissions.includes('ReadTransactionsCredits')
          debitsOnly = permissions.includes('ReadTransactionsDebits') && !credits
          return correct.cardsOffered(consent, customer)
        },
        cardsGranted(offered, ticked, again) {
          const granted = correct.cardsGranted(offered, ticked, again)
          if (!debitsOnly || again || granted.length < 2) return granted
          fired()
          return granted.slice(1)
        },
      }
    },
    target(document) {
      delete document.customers.first.accounts
    },
    blocks: ['ACC-14/all-accounts', 'ACC-14/other-approvals', 'TXN-20/nothing-missing'],
    because: 'What another approval shows is no measure of a consent that covers fewer accounts.',
  },
  {
    id: 'refused-later-in-the-visit',
    story:
      'Where a wrong intent is refused is open (AMB-23): the login page is shown, and the refusal comes after it, or the customer logs in and approves, and then it is.',
    policies: (correct, { fired }) => {
      const after = roundRobinPerKey(['login', 'decision'] as const)
      const early = (consentId: string) => {
        const path = currentRequest()?.path ?? ''
        return after(consentId) === 'login' ? path === '/authorize' : !path.endsWith('/decision')
      }
      const later = <Reason>(reason: Reason, put: boolean) => {
        if (!reason || !put) return reason
        fired()
        return undefined
      }
      return {
        authorisable(consent, clientId, scopes, age) {
          const reason = correct.authorisable(consent, clientId, scopes, age)
          const atLogin = currentRequest()?.path === '/authorize'
          return later(reason, consent ? early(consent.id) : atLogin)
        },
        confirmableBy(consent, customer, offered) {
          return later(correct.confirmableBy(consent, customer, offered), early(consent.id))
        },
      }
    },
  },
  {
    id: 'refused-by-a-page',
    story:
      'A redirect URI in a request that was not proven is not to be trusted: wrong requests end with a page at the bank, by 400, or by 200 where a portal serves it. A denial is redirected.',
    middleware: errors((ctx, fragment) => {
      if (fragment.get('error') === 'access_denied') return false
      ctx.remove('location')
      ctx.type = 'text/html'
      ctx.body = page(`<p>This request cannot be served (${fragment.get('error')}).</p>`)
      ctx.status = statusOfPage()
    }),
  },
  {
    id: 'errors-told-in-any-way',
    story:
      'On success the fragment carries code and ID token; where an error stands, and its value, the document does not say: in the query; under another name; without error_description, which is optional (RFC 6749 4.1.2.1).',
    middleware: errors(
      roundRobinOf<[Context, URLSearchParams, string], void>(
        (ctx, fragment, address) => {
          ctx.set('location', `${address}${address.includes('?') ? '&' : '?'}${fragment}`)
        },
        (ctx, fragment, address) => {
          const denied = fragment.get('error') === 'access_denied'
          fragment.set('error', denied ? 'consent_declined' : 'unauthorized')
          ctx.set('location', `${address}#${fragment}`)
        },
        (ctx, fragment, address) => {
          fragment.delete('error_description')
          ctx.set('location', `${address}#${fragment}`)
        },
      ),
    ),
  },
  {
    id: 'more-in-the-fragment',
    story:
      'An authorisation response may have more members: iss (RFC 9207), session_state, scope. A space in a form is + or %20, and every other character may be encoded too.',
    middleware: answers((ctx) => {
      const [address, text] = locationOf(ctx).split('#', 2)
      if (!onPages(ctx) || text === undefined) return false
      const fragment = new URLSearchParams(text)
      fragment.set('session_state', '7b1c.aa')
      fragment.set('scope', 'openid accounts')
      fragment.set('iss', stateOf(ctx).bank.services.endpoints.issuer)
      ctx.set('location', `${address}#${spellForm(fragment)}`)
    }),
  },
  {
    id: 'codes-and-tokens-with-every-character',
    story:
      'A code may be long, and hold characters that a form must encode (RFC 6749 A.11); a token may hold each of RFC 6750 2.1, such as / and +, or be a signed JWT of some length.',
    middleware: (ctx, next) => tokens(ctx, () => longCodes(ctx, next)),
  },
]

const statusOfPage = roundRobin([400, 200])

const spellForm = roundRobinOf<[URLSearchParams], string>(
  (form) => form.toString(),
  (form) => {
    const members = [...form].toReversed()
    return members.map(([name, value]) => `${name}=${everyOctet(value)}`).join('&')
  },
)

const tokens = tokensSpelt(
  roundRobinOf<[string, Context], string>(
    (token) => `v1/${token}+~.==`,
    (token, ctx) =>
      stateOf(ctx).bank.signAsBank(
        { jti: token, scp: ['accounts'], pad: 'x'.repeat(1500) },
        { typ: 'at+jwt' },
      ),
  ),
)

/** Codes in another spelling, wherever the bank gives or takes one. */
const longCodes: Middleware = async (ctx, next) => {
  const state = stateOf(ctx)
  const form = partOf(ctx) === 'token' ? new URLSearchParams(state.body) : undefined
  const code = form?.get('code')
  if (form && code) {
    form.set('code', code.replace(/^.*~(\S+) $/, '$1'))
    state.body = form.toString()
  }
  await idTokens((claims, sign, context) => {
    const location = locationOf(context)
    const plain = new URLSearchParams(location.split('#')[1]).get('code')
    return plain === null || partOf(context) === 'token'
      ? undefined
      : sign(rehashed(claims, 'c_hash', plain, longCode(plain)))
  })(ctx, next)
  changeFragment(ctx, (fragment) => {
    const plain = fragment.get('code')
    if (plain === null) return false
    fragment.set('code', longCode(plain))
    return true
  })
}

/** Every character as its octets, percent-encoded. */
function everyOctet(text: string): string {
  return [...Buffer.from(text)].map((octet) => `%${octet.toString(16).padStart(2, '0')}`).join('')
}

const longCode = (code: string) => `${'AZ/+=&#%?'.repeat(20)}~${code} `

export default variants
