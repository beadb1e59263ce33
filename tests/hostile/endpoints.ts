import type { Socket } from 'node:net'
import type { Context, Next } from 'koa'
import { expect } from 'vitest'
import { expectBlameless, judged, outcomes } from './bank.ts'
import type { Situation } from './situation.ts'

/** Trouble with one endpoint, or with wrong requests alone, of a bank that answers everything else. */

const ENDPOINTS: Record<string, RegExp> = {
  discovery: /openid-configuration$/,
  jwks: /\/jwks$/,
  registration: /\/register$/,
  authorise: /^\/authorize$/,
  'login-page': /^\/interaction\/[^/]+$/,
  'login-form': /^\/interaction\/[^/]+\/(login|decision)/,
  'after-the-pages': /^\/authorize\/.+/,
  token: /\/token$/,
  consents: /\/account-access-consents$/,
  consent: /\/account-access-consents\/[^/]+$/,
  'funds-consents': /\/funds-confirmation-consents/,
  accounts: /\/accounts$/,
  account: /\/accounts\/[^/]+$/,
  balances: /\/balances$/,
  transactions: /\/transactions$/,
  products: /\/consumer-credit-cards$/,
}

const TROUBLE: Record<string, { what: string; act(ctx: Context): void }> = {
  silent: { what: 'is silent', act: () => {} },
  cut: { what: 'has its connection cut', act: (ctx) => (ctx.req.socket as Socket).destroy() },
}

async function troubled(
  on: (ctx: Context) => boolean,
  act: (ctx: Context) => void,
  afterwards = false,
): Promise<ReturnType<typeof judged>> {
  return judged([
    {
      id: 'endpoint-trouble',
      story: 'One service behind the gateway hangs.',
      async middleware(ctx: Context, next: Next) {
        if (afterwards) await next()
        if (!on(ctx)) return afterwards ? undefined : next()
        ctx.respond = false
        act(ctx)
      },
    },
  ])
}

const unauthorised = (ctx: Context) =>
  ctx.status >= 400 && !/authorize|interaction|servicing/.test(ctx.path)

export const situations: Situation[] = [
  ...Object.entries(ENDPOINTS).flatMap(([name, path]) =>
    Object.entries(TROUBLE).map(([kind, { what, act }]) => ({
      id: `endpoint/${name}/${kind}`,
      what: `Every request to ${name} ${what}; all else is answered.`,
      expected: 'What needs it is blocked after two time-outs; nothing is held against the bank.',
      seconds: 240,
      megabytes: 300,
      async run() {
        expectBlameless(await troubled((ctx) => path.test(ctx.path), act))
        return undefined
      },
    })),
  ),
  {
    id: 'endpoint/refusal-by-silence',
    what: 'Whatever the bank would refuse is left without an answer, as by a firewall.',
    expected: 'Silence is no refusal: what needs one is blocked, and nothing fails.',
    seconds: 300,
    megabytes: 300,
    async run() {
      const run = await troubled(unauthorised, () => {}, true)
      expectBlameless(run)
      return undefined
    },
  },
  {
    id: 'endpoint/refusal-by-redirect',
    what: 'Whatever the bank would refuse is answered by 302 to a page of the gateway.',
    expected: 'A redirect is a refusal (AMB-41): only sentences that name a status are not kept.',
    seconds: 240,
    megabytes: 300,
    async run() {
      const run = await judged([
        {
          id: 'refuses-by-redirect',
          story: 'The gateway sends whom it does not know to a page of its own.',
          async middleware(ctx: Context, next: Next) {
            await next()
            if (!unauthorised(ctx)) return
            ctx.status = 302
            ctx.set('location', 'https://127.0.0.1:1/error')
            ctx.body = ''
          },
        },
      ])
      expect(outcomes(run, 'error')).toEqual([])
      const unrefused = outcomes(run, 'fail').filter((one) => /was not refused/.test(one))
      expect(unrefused).toEqual([])
      return undefined
    },
  },
]
