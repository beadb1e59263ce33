import type { Context } from 'koa'
import { currentRequest } from '../../bank/current.ts'
import { stateOf } from '../../bank/state.ts'
import { changeFragment, halfHash, idTokens } from '../id-tokens.ts'
import type { Variant } from '../proof.ts'
import { answers, partOf } from '../rewriting.ts'

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

const variants: Variant[] = [
  {
    id: 'login-page-at-once',
    story: 'The first answer of the authorisation endpoint may be the login page (AMB-08).',
    settings: { loginPage: 'forms' },
    middleware: answers((ctx) => onPages(ctx) && ctx.path === '/authorize'),
  },
  {
    id: 'login-behind-many-redirects',
    story:
      "How customers come to the login page is the bank's: by way of three other paths and a cookie.",
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
      const place = locationOf(ctx)
      if (!onPages(ctx) || ctx.path !== '/authorize' || !place.startsWith('/interaction/')) return
      ctx.cookies.set('hop', encodeURIComponent(place), { signed: false, path: '/go' })
      ctx.set('location', '/go/1')
    },
  },
  {
    id: 'a-page-before-the-login',
    story: "What customers see is the bank's: a page about fraud with a button comes first.",
    target: ({ authorisation }) => {
      authorisation.forms?.push({ has: ['go-on'], approve: { name: 'go-on', value: 'yes' } })
    },
    async middleware(ctx, next) {
      const asks = onPages(ctx) && ctx.path.startsWith('/interaction/') && ctx.method === 'GET'
      if (!asks || ctx.query['go-on'] || ctx.cookies.get('read', { signed: false })) return next()
      ctx.cookies.set('read', 'yes', { signed: false, path: ctx.path })
      ctx.type = 'text/html'
      ctx.body = page(
        `<p>Beware of fraud.</p><form action="${ctx.path}"><button name="go-on" value="yes">Go on</button></form>`,
      )
      ctx.state.fired()
    },
  },
  {
    id: 'redirects-by-303-inside',
    story:
      'After a form was posted, 303 leads on within the bank; the redirect to the TPP is a 302.',
    middleware: answers((ctx) => {
      if (!onPages(ctx) || ctx.method !== 'POST' || ctx.status !== 302) return false
      ctx.status = 303
    }),
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
          if (!debitsOnly || again) return granted
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
    id: 'refused-after-the-login',
    story:
      'Where a wrong intent is refused is open (AMB-23): the login page is shown, and the refusal comes after it.',
    policies: (correct, { fired }) => ({
      authorisable(consent, clientId, scopes, age) {
        const reason = correct.authorisable(consent, clientId, scopes, age)
        if (!reason || currentRequest()?.path !== '/authorize') return reason
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'refused-after-the-decision',
    story:
      'Where a wrong intent is refused is open (AMB-23): the customer logs in and approves, and then it is.',
    policies: (correct, { fired }) => ({
      authorisable(consent, clientId, scopes, age) {
        const reason = correct.authorisable(consent, clientId, scopes, age)
        if (!consent || !reason || currentRequest()?.path.endsWith('/decision')) return reason
        fired()
        return undefined
      },
      confirmableBy(consent, customer, offered) {
        const reason = correct.confirmableBy(consent, customer, offered)
        if (!reason || currentRequest()?.path.endsWith('/decision')) return reason
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'refused-by-a-page',
    story:
      'A redirect URI in a request that was not proven is not to be trusted: wrong requests end with a page at the bank. A denial is redirected.',
    middleware: errors((ctx, fragment) => {
      if (fragment.get('error') === 'access_denied') return false
      ctx.remove('location')
      ctx.type = 'text/html'
      ctx.body = page(`<p>This request cannot be served (${fragment.get('error')}).</p>`)
      ctx.status = 400
    }),
  },
  {
    id: 'refused-by-a-page-with-200',
    story: 'Wrong requests end with a page at the bank, which a portal serves with 200.',
    middleware: answers((ctx) => {
      if (!onPages(ctx) || ctx.path !== '/authorize') return false
      const error = locationOf(ctx).includes('#error') || locationOf(ctx).includes('&error')
      if (!error && ctx.status < 400) return false
      ctx.remove('location')
      ctx.type = 'text/html'
      ctx.body = page('<p>Sorry, something went wrong.</p>')
      ctx.status = 200
    }),
  },
  {
    id: 'errors-in-the-query',
    story:
      'On success the fragment carries code and ID token; where an error stands the document does not say.',
    middleware: errors((ctx, fragment, address) => {
      ctx.set('location', `${address}${address.includes('?') ? '&' : '?'}${fragment}`)
    }),
  },
  {
    id: 'errors-without-description',
    story: 'error_description is optional (RFC 6749 4.1.2.1).',
    middleware: errors((ctx, fragment, address) => {
      fragment.delete('error_description')
      ctx.set('location', `${address}#${fragment}`)
    }),
  },
  {
    id: 'errors-of-another-name',
    story: 'The value of error is not shown: a denial is server_error, anything else unauthorized.',
    middleware: errors((ctx, fragment, address) => {
      const denied = fragment.get('error') === 'access_denied'
      fragment.set('error', denied ? 'consent_declined' : 'unauthorized')
      ctx.set('location', `${address}#${fragment}`)
    }),
  },
  {
    id: 'more-in-the-fragment',
    story: 'An authorisation response may have more members: iss (RFC 9207), session_state, scope.',
    middleware: answers((ctx) =>
      changeFragment(ctx, (fragment) => {
        fragment.set('session_state', '7b1c.aa')
        fragment.set('scope', 'openid accounts')
        fragment.set('iss', stateOf(ctx).bank.inside.places.issuer)
        return true
      }),
    ),
  },
  {
    id: 'fragment-encoded-with-percent',
    story: 'A space in a form is + or %20, and every other character may be encoded too.',
    middleware: answers((ctx) => {
      const [address, text] = locationOf(ctx).split('#', 2)
      if (!onPages(ctx) || text === undefined) return false
      const members = [...new URLSearchParams(text)].reverse()
      const encoded = members.map(([name, value]) => `${name}=${everyOctet(value)}`)
      ctx.set('location', `${address}#${encoded.join('&')}`)
    }),
  },
  {
    id: 'codes-with-every-character',
    story: 'A code may be long, and hold characters that a form must encode (RFC 6749 A.11).',
    async middleware(ctx, next) {
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
          : sign({ ...claims, c_hash: halfHash(longCode(plain)) })
      })(ctx, next)
      changeFragment(ctx, (fragment) => {
        const plain = fragment.get('code')
        if (plain === null) return false
        fragment.set('code', longCode(plain))
        return true
      })
    },
  },
  {
    id: 'nbf-is-not-needed',
    story: 'Which claims a request object needs is open: nbf is not one of them.',
    settings: { requestNbfRequired: false },
    middleware: answers((ctx) => onPages(ctx) && ctx.path === '/authorize'),
  },
  {
    id: 'pages-say-it-in-their-own-way',
    story:
      'Where and how the pages show organisation and OnBehalfOf is open: entities, capitals, markup.',
    middleware: pages((html) =>
      html.replace(
        /<strong>([^<]+)<\/strong>/g,
        (_all, name: string) =>
          `<em><b>${name.replace(/ /g, '&#32;&#10;').replace(/a/g, '&#x61;')}</b></em>`,
      ),
    ),
  },
]

/** Every character as its octets, percent-encoded. */
function everyOctet(text: string): string {
  return [...Buffer.from(text)].map((octet) => `%${octet.toString(16).padStart(2, '0')}`).join('')
}

const longCode = (code: string) => `${'AZ/+=&#%?'.repeat(20)}~${code} `

export default variants
