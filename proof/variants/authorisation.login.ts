import type { Context } from 'koa'
import type { Consent } from '../../bank/state/consents.ts'
import { stateOf } from '../../bank/state/state.ts'
import { acceptsRequest, decoded } from '../altering/jwt-rewrites.ts'
import { answers } from '../altering/rewriting.ts'
import { locationOf, onPages, page, pages } from '../altering/visit-pages.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinPerKey } from '../run/round-robin.ts'

/** Shows names on the pages with other markup. */
const inMarkup = pages((html) =>
  html.replace(
    /<strong>([^<]+)<\/strong>/g,
    (_all, name: string) =>
      `<em><b>${name.replace(/ /g, '&#32;&#10;').replace(/a/g, '&#x61;')}</b></em>`,
  ),
)

/** Ways to show a name so that no element has the whole name as its text. */
const waysToShow = roundRobinPerKey<(name: string) => string>([
  (name) =>
    name.replace(/(\p{L})(\p{L}+)/gu, (_all, first: string, rest: string) => {
      const breaks = ['<wbr>', '&shy;', '&#8203;', '&#8288;', '<b></b>']
      const letters = [...rest].map((one, at) => one + breaks[at % breaks.length])
      return `<span class="initial">${first}</span>${letters.join('')}`
    }),
  (name) => `<img src="/logo.png" alt="${name}">`,
  (name) => `<input readonly name="shown" value="${name}">`,
])

const headOrHeader = roundRobin([true, false])

/** Shows names in a way that does not change during a visit, only on the decision page. */
const setOtherwise = pages((html, ctx) =>
  html
    .replace(/<p>[^<]* sent you here/, '<p>An application sent you here')
    .replace(/<strong>([^<]+)<\/strong>/g, (_all, name: string) => waysToShow(ctx.path)(name)),
)

/** Consents whose page was shown. */
const visited = ofEachBank(() => new Set<string>())

/** The consent that an authorisation request names. */
function consentAsked(ctx: Context): Consent | undefined {
  const { claims } = decoded(ctx.query.request).claims as {
    claims?: { id_token?: { openbanking_intent_id?: { value?: unknown } } }
  }
  const id = claims?.id_token?.openbanking_intent_id?.value
  return stateOf(ctx).bank.services.consents.get(String(id))
}

/** Number of wrong passwords of each customer since the last correct one. */
const wrongOnes = ofEachBank(() => new Map<string, number>())

/** The form of a multipart/form-data request (RFC 7578); undefined for other requests. */
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
      'The authorisation endpoint returns the login page itself, without a redirect to it (AMB-08). The bank does not require nbf in a request object.',
    settings: { loginPage: 'forms' },
    middleware: answers((ctx) => onPages(ctx) && ctx.path === '/authorize'),
  },
  {
    id: 'login-page-with-401',
    story:
      'The login page has status 401, because the customer is not logged in yet. The status of the first page is open (AMB-08).',
    async middleware(ctx, next) {
      await next()
      const asks = typeof ctx.body === 'string' && ctx.body.includes('name="password"')
      if (!onPages(ctx) || ctx.status !== 200 || !asks) return
      ctx.status = 401
      ctx.state.fired()
    },
  },
  {
    id: 'known-browsers-need-no-login',
    story:
      'A customer who has logged in before in this browser session is only asked for the approval. How customers authenticate is the bank’s choice.',
    async middleware(ctx, next) {
      const { customers, visitors } = stateOf(ctx).bank.services
      const [, uid = '', step] =
        (onPages(ctx) && /^\/interaction\/([^/]+)(\/login)?$/.exec(ctx.path)) || []
      const known = ctx.cookies.get('known', { signed: false })
      const customer = customers.find(({ id }) => id === known)
      if (uid && !step && customer && !visitors.has(uid)) {
        visitors.set(uid, customer)
        ctx.state.fired()
      }
      await next()
      const id = step && visitors.get(uid)?.id
      if (id) ctx.cookies.set('known', id, { signed: false })
    },
  },
  {
    id: 'one-visit-for-each-browser-session',
    story:
      'After an approval, the browser session is over: a new authorisation request shows a page that asks the customer to close the browser. How long a browser session lasts is the bank’s choice.',
    async middleware(ctx, next) {
      if (onPages(ctx) && ctx.path === '/authorize' && ctx.cookies.get('over', { signed: false })) {
        ctx.type = 'text/html'
        ctx.body = page('<p>You have logged out. Please close your browser.</p>')
        ctx.state.fired()
        return
      }
      await next()
      if (locationOf(ctx).includes('code=')) ctx.cookies.set('over', 'yes', { signed: false })
    },
  },
  {
    id: 'one-request-for-each-browser-session',
    story:
      'A browser can have one open authorisation request: the page of an earlier one has expired. How many a browser can have is the bank’s choice.',
    async middleware(ctx, next) {
      const [, uid] = (onPages(ctx) && /^\/interaction\/([^/]+)/.exec(ctx.path)) || []
      const last = ctx.cookies.get('last', { signed: false })
      if (uid && last && uid !== last) {
        ctx.status = 409
        ctx.type = 'text/html'
        ctx.body = page('<p>This page has expired, as you have opened another one.</p>')
        ctx.state.fired()
        return
      }
      await next()
      const [, opened] = /^\/interaction\/([^/?]+)/.exec(locationOf(ctx)) ?? []
      if (onPages(ctx) && ctx.path === '/authorize' && opened) {
        ctx.cookies.set('last', opened, { signed: false })
      }
    },
  },
  {
    id: 'one-visit-for-each-waiting-consent',
    story:
      'A consent can be put before the customer only once. If that visit did not end, or the browser was used before, the TPP must create another consent. The document does not say what becomes of such a consent.',
    async middleware(ctx, next) {
      const isStart = onPages(ctx) && ctx.path === '/authorize'
      const consent = isStart ? consentAsked(ctx) : undefined
      if (consent?.status === 'AwaitingAuthorisation' && visited().has(consent.id)) {
        ctx.status = 400
        ctx.type = 'text/html'
        ctx.body = page('<p>Please go back to the application and begin again.</p>')
        ctx.state.fired()
        return
      }
      if (isStart && ctx.cookies.get('over', { signed: false })) {
        if (consent) visited().add(consent.id)
        ctx.type = 'text/html'
        ctx.body = page('<p>You have logged out. Please close your browser.</p>')
        return
      }
      await next()
      // A request that is refused at once is no visit.
      if (consent && ctx.status < 400 && !locationOf(ctx).includes('error=')) {
        visited().add(consent.id)
      }
      if (locationOf(ctx).includes('code=')) ctx.cookies.set('over', 'yes', { signed: false })
    },
  },
  {
    id: 'prompt-is-not-known',
    story:
      'The bank ignores prompt, even prompt=none, and shows the login page. The documents do not mention prompt.',
    middleware: acceptsRequest(({ claims: { prompt, ...others } }, query) => {
      if (prompt === undefined) return undefined
      delete query.prompt
      return others
    }),
  },
  {
    id: 'login-behind-many-redirects',
    story:
      'The login page comes after several redirects and a cookie, and forms are answered with 303. Only the redirect to the TPP is a 302. How customers come to the login page is the bank’s choice.',
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
    id: 'pages-that-lead-on-by-themselves',
    story:
      'Before the login page, a waiting page leads on by a meta refresh or a Refresh header. How customers come to the login page is the bank’s choice.',
    async middleware(ctx, next) {
      const hop = onPages(ctx) ? /^\/wait\/([\w-]+)$/.exec(ctx.path)?.[1] : undefined
      if (hop !== undefined) {
        ctx.redirect(Buffer.from(hop, 'base64url').toString())
        ctx.state.fired()
        return
      }
      await next()
      const place = locationOf(ctx)
      if (!onPages(ctx) || ctx.path !== '/authorize' || !place.startsWith('/interaction/')) return
      const to = `0; URL='/wait/${Buffer.from(place).toString('base64url')}'`
      const inHead = headOrHeader()
      ctx.remove('location')
      ctx.status = 200
      ctx.type = 'text/html'
      ctx.body = page(`${inHead ? `<meta http-equiv="Refresh" content="${to}">` : ''}One moment.`)
      if (!inHead) ctx.set('refresh', to)
    },
  },
  {
    id: 'a-page-before-the-login',
    story:
      'A page about fraud with a button comes before the login. The consent page shows the organisation and OnBehalfOf with HTML entities and markup. What customers see is the bank’s choice.',
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
    id: 'names-in-letters-logos-and-fields',
    story:
      'The consent page shows names with markup between the letters, as the text of a logo, or in a read-only field. How names are shown is the bank’s choice.',
    middleware: setOtherwise,
  },
  {
    id: 'locked-out-after-three-wrong-passwords',
    story:
      'A customer who enters three wrong passwords in a row is locked out. How customers are protected is the bank’s choice.',
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
    id: 'pages-in-utf-16',
    story:
      'The pages are encoded in UTF-16, with a byte order mark or a charset in the header (HTML 13.2.3.2). The encoding of the pages is the bank’s choice.',
    middleware: answers((ctx) => {
      if (!onPages(ctx) || typeof ctx.body !== 'string' || !ctx.body.includes('<form')) return false
      const { status } = ctx
      const marked = ctx.body.includes('name="decision"')
      const text = ctx.body.replace(/<meta charset[^>]*>/, '')
      ctx.body = Buffer.from(marked ? `\ufeff${text}` : text, 'utf16le')
      ctx.status = status
      ctx.set('content-type', marked ? 'text/html' : 'text/html; charset=UTF-16LE')
    }),
  },
  {
    id: 'forms-in-parts',
    story:
      'The bank accepts the forms of its pages only as multipart/form-data. How the pages encode their forms is the bank’s choice.',
    async middleware(ctx, next) {
      // A POST from a link of the bank has no form.
      if (onPages(ctx) && ctx.method === 'POST' && ctx.get('content-type') !== '') {
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
]

export default variants
