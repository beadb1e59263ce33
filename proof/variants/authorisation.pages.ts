import type { Context } from 'koa'
import { stateOf } from '../../bank/state/state.ts'
import { locationOf, onPages, page } from '../altering/visit-pages.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'

/** The number and content of the pages are the bank's choice. */

/** Pages before the login: four, with one button each. */
const CHAPTERS = ['Beware of fraud', 'What cookies we use', 'What your rights are', 'Our terms']

/** Names and values that a customer has sent so far, by visit. */
const sentSoFar = ofEachBank(() => new Map<string, Record<string, string>>())

/** Chosen accounts, by visit. */
const chosen = ofEachBank(() => new Map<string, string[]>())

const visitIn = (ctx: Context) =>
  onPages(ctx) ? /^\/interaction\/([^/]+)/.exec(ctx.path)?.[1] : undefined

/** The form of a POST request; empty for other requests. */
const formIn = (ctx: Context) => new URLSearchParams(ctx.method === 'POST' ? stateOf(ctx).body : '')

/** Asks the customer to confirm a denial on a page of its own. */
const deniedTwice: NonNullable<Variant['middleware']> = async (ctx, next) => {
  const form = formIn(ctx)
  if (onPages(ctx) && form.get('sure') === 'yes') stateOf(ctx).body = 'decision=deny'
  else if (onPages(ctx) && form.get('decision') === 'deny') {
    ctx.type = 'text/html'
    ctx.body = page('<form method="post"><button name="sure" value="yes">I mean it</button></form>')
    ctx.state.fired()
    return
  }
  await next()
}

const LOGIN = ['user', 'pin', 'code'] as const

const variants: Variant[] = [
  {
    id: 'forms-of-own-pages-alone',
    story:
      'The bank accepts a form only from its own pages: it checks Origin or Referer, and a token in the form and a strict cookie. How it prevents forged forms is the bank’s choice.',
    async middleware(ctx, next) {
      if (!onPages(ctx)) return next()
      if (ctx.method === 'POST' && ctx.path.startsWith('/interaction/')) {
        const { host } = new URL(
          ctx.get('origin') || ctx.get('referer') || 'https://nobody.invalid',
        )
        const token = ctx.cookies.get('__Host-form', { signed: false })
        if (host !== ctx.host || formIn(ctx).get('token') !== token) {
          ctx.status = 403
          ctx.type = 'text/html'
          ctx.body = page('<p>This form was not sent from our pages.</p>')
          return
        }
        ctx.state.fired()
      }
      await next()
      ctx.set('referrer-policy', 'same-origin')
      if (typeof ctx.body !== 'string' || !ctx.body.includes('<form')) return
      const tokens = sentSoFar()
      const token = `token-${tokens.size}`
      tokens.set(token, {})
      ctx.append('set-cookie', `__Host-form=${token}; Path=/; Secure; HttpOnly; SameSite=Strict`)
      ctx.body = ctx.body.replace(
        /<form [^>]*>/,
        `$&<input type="hidden" name="token" value="${token}">`,
      )
    },
  },
  {
    id: 'pages-with-one-button-in-a-row',
    story:
      'Four pages with the same single button come before the login. How many pages come before the login is the bank’s choice.',
    target: ({ authorisation }) => {
      authorisation.forms?.push({
        has: ['_eventId_next'],
        approve: { name: '_eventId_next', value: 'Next' },
      })
    },
    async middleware(ctx, next) {
      const visit = ctx.method === 'GET' && !ctx.path.includes('/decision') && visitIn(ctx)
      const step = Number(ctx.query.step ?? 0)
      if (!visit || step >= CHAPTERS.length) return next()
      ctx.type = 'text/html'
      ctx.body = page(
        `<p>${CHAPTERS[step]}</p><form action="${ctx.path}"><input type="hidden" name="step" value="${step + 1}"><button name="_eventId_next" value="Next">Next</button></form>`,
      )
      ctx.state.fired()
    },
  },
  {
    id: 'last-page-says-where-it-leads',
    story:
      'After the decision, a page names the next address and leads to one of the bank’s addresses, which sends the 302 to the redirect URI. “Response 302 redirects to redirect_uri” still holds.',
    async middleware(ctx, next) {
      const back = onPages(ctx) ? /^\/leave\/([\w-]+)$/.exec(ctx.path)?.[1] : undefined
      if (back !== undefined) {
        ctx.status = 302
        ctx.set('location', Buffer.from(back, 'base64url').toString())
        ctx.state.fired()
        return
      }
      await next()
      const place = locationOf(ctx)
      if (!onPages(ctx) || !/[#&](code|error)=/.test(place)) return
      const to = `/leave/${Buffer.from(place).toString('base64url')}`
      ctx.remove('location')
      ctx.status = 200
      ctx.type = 'text/html'
      ctx.body = page(
        `<meta http-equiv="refresh" content="0;url=${to}"><p>You are going to ${place.split('#')[0]}.</p>`,
      )
    },
  },
  {
    id: 'login-in-three-steps',
    story:
      'The customer enters user number, PIN and one-time code on three pages, at another host. How a customer logs in is the bank’s choice.',
    target: (document) => {
      const { authorisation, addresses, customers } = document
      authorisation.hosts = [new URL(addresses.discovery_url ?? '').host]
      authorisation.forms = [
        { has: ['user'], fill: { user: '{username}' } },
        { has: ['pin'], fill: { pin: '{password}' } },
        { has: ['code'], fill: { code: '{token}' } },
        ...(authorisation.forms ?? []).filter(({ has }) => has?.includes('decision')),
      ]
      for (const one of Object.values(customers)) if (one) one.credentials.token = '424242'
    },
    async middleware(ctx, next) {
      const state = stateOf(ctx)
      const { at } = state.bank.services.endpoints
      const isElsewhere =
        state.listener.name === 'discovery' && ctx.path.startsWith('/interaction/')
      if (isElsewhere) {
        state.listener = { name: 'authorisation', roles: ['authorisation'], mutual: false }
      }
      const visit = visitIn(ctx)
      const known = sentSoFar().get(visit ?? '') ?? {}
      if (visit && ctx.method === 'POST' && ctx.path.endsWith('/login')) {
        Object.assign(known, Object.fromEntries(formIn(ctx)))
        sentSoFar().set(visit, known)
        if (known.code !== '424242') {
          ctx.status = 303
          ctx.set('location', `/interaction/${visit}`)
          return
        }
        state.fired()
        const { user: username = '', pin: password = '' } = known
        state.body = new URLSearchParams({ username, password }).toString()
        sentSoFar().delete(visit)
      }
      await next()
      const place = locationOf(ctx)
      if (isElsewhere && place.startsWith('/authorize'))
        ctx.set('location', at.authorisation + place)
      if (!isElsewhere && onPages(ctx) && place.startsWith('/interaction/')) {
        ctx.set('location', at.discovery + place)
      }
      if (typeof ctx.body !== 'string' || !ctx.body.includes('name="password"')) return
      const sent = sentSoFar().get(visit ?? '') ?? {}
      const asked = LOGIN.find((name) => !sent[name]) ?? 'code'
      ctx.body = page(
        `<form method="post" action="/interaction/${visit}/login"><input name="${asked}"><button>Next</button></form>`,
      )
    },
  },
  {
    id: 'accounts-on-a-page-of-their-own',
    story:
      'The customer chooses the accounts on a page before the decision, in boxes with different names. How accounts are chosen is the bank’s choice.',
    target: ({ authorisation }) => {
      authorisation.forms = (authorisation.forms ?? []).map(({ tickAll: _, ...form }) => form)
      authorisation.forms.push({ has: ['choosing'], tickAll: 'card[*]' })
    },
    async middleware(ctx, next) {
      const visit = visitIn(ctx)
      if (visit && ctx.method === 'POST' && ctx.path.endsWith('/choice')) {
        const boxes = [...formIn(ctx)].filter(([name]) => name.startsWith('card['))
        chosen().set(
          visit,
          boxes.map(([, value]) => value),
        )
        ctx.status = 303
        ctx.set('location', `/interaction/${visit}`)
        ctx.state.fired()
        return
      }
      if (visit && ctx.path.endsWith('/decision')) {
        const form = formIn(ctx)
        for (const card of chosen().get(visit) ?? []) form.append('accounts', card)
        stateOf(ctx).body = form.toString()
      }
      await next()
      const boxes = /<fieldset>[\s\S]*?<\/fieldset>/.exec(String(ctx.body))?.[0]
      if (!visit || boxes === undefined) return
      const numbered = boxes.split('name="accounts"')
      const named = numbered.reduce((all, part, at) => `${all}name="card[${at - 1}]"${part}`)
      ctx.body = chosen().has(visit)
        ? String(ctx.body).replace(boxes, '')
        : page(
            `<form method="post" action="/interaction/${visit}/choice"><input type="hidden" name="choosing" value="1">${named}<button>Next</button></form>`,
          )
    },
  },
  {
    id: 'denial-asked-twice',
    story:
      'The customer must confirm a denial on a second page. How a customer denies is the bank’s choice.',
    target: ({ authorisation }) => {
      const approve = { name: 'sure', value: 'yes' }
      authorisation.forms?.unshift({ has: ['sure'], only: 'deny', approve })
    },
    middleware: deniedTwice,
  },
  {
    id: 'denial-asked-twice-that-nobody-described',
    story:
      'The customer must confirm a denial on a second page, which the target does not describe.',
    middleware: deniedTwice,
    blocks: [
      'AUTHZ-04/on-error',
      'AUTHZ-21/denied',
      'AUTHZ-21/denied-again',
      'CLC-01/denied',
      'CLC-03/denied',
      'CLC-08/denied',
      'CONS-22/after-denial',
      'SEC-05/denied',
    ],
    because: 'A page that the target does not describe says nothing against the bank.',
  },
]

export default variants
