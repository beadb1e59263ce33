import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'
import type { Context, Next } from 'koa'
import { expect } from 'vitest'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { addressProblem } from '../../engine/wire/outside-address.ts'
import { judgeBank } from '../../proof/run/judge-bank.ts'
import { executablePath } from '../authorisation-drivers/opened.ts'
import { documentFor } from '../configuration/documents.ts'
import { tcp } from '../wire/servers.ts'
import { context, outcomes, TIMEOUT } from './bank.ts'
import type { Situation } from './situation.ts'

/** Addresses that the bank names, and that only the machine of the run can reach. */

/** `HERE` is a server in plain http on this machine that takes down whoever asks. */
const ADDRESSES: Record<string, string> = {
  metadata: 'https://169.254.169.254/latest/meta-data/iam',
  'metadata-http': 'http://169.254.169.254/latest/meta-data/iam',
  'metadata-ipv6': 'https://[fe80::1]/',
  'metadata-mapped': 'https://[::ffff:169.254.169.254]/',
  'plain-http': 'http://HERE/keys',
  file: 'file:///etc/passwd',
  data: 'data:application/json,{"keys":[]}',
  script: 'javascript:alert(1)',
  ftp: 'ftp://127.0.0.1/keys',
  blank: 'about:blank',
  'no-host': 'https:///',
  broken: 'http://[',
  'two-slashes': '//',
  long: `https://127.0.0.1:1/${'x'.repeat(100_000)}`,
  empty: '',
}

/** Where the bank names it. */
const PLACES: Record<
  string,
  { what: string; act(ctx: Context, next: Next, to: string): Promise<void> }
> = {
  jwks: {
    what: 'jwks_uri of the configuration',
    async act(ctx, next, to) {
      await next()
      if (!ctx.path.endsWith('/openid-configuration')) return
      ctx.body = { ...(ctx.body as object), jwks_uri: to }
    },
  },
  redirect: {
    what: 'a redirect of the authorisation endpoint',
    async act(ctx, next, to) {
      await next()
      if (ctx.path !== '/authorize') return
      ctx.status = 302
      ctx.set('location', to)
    },
  },
  form: {
    what: 'the action of the login form',
    async act(ctx, next, to) {
      await next()
      if (typeof ctx.body !== 'string') return
      ctx.body = ctx.body.replace(/<form\b[^>]*>/g, `<form method="post" action='${to}'>`)
    },
  },
}

async function led(place: string, address: string): Promise<void> {
  let asked = 0
  const here = await tcp((socket) => {
    asked += 1
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"keys":[]}')
  }, 'http')
  const to = address.replace('HERE', `127.0.0.1:${here.port}`)
  const exchanges: Exchange[] = []
  try {
    const act = PLACES[place]?.act
    const run = await judgeBank(
      await context(),
      [
        {
          id: 'leads-astray',
          story: 'Somebody at the bank is curious.',
          middleware: (ctx, next) => (act ? act(ctx, next, to) : next()),
        },
      ],
      {
        scope: { profile: 'full', only: ['DISC-*', 'AUTHZ-01/*', 'TOK-03/*'] },
        onExchange: (exchange) => exchanges.push(exchange),
        target(document) {
          document.timeout = (TIMEOUT * 3) / 1000
        },
      },
    )
    expect(asked).toBe(0)
    const strangers = exchanges.filter(
      ({ request }) => to !== '' && !to.startsWith('//') && request.url === to && place !== 'long',
    )
    expect(strangers.filter(({ response }) => response)).toEqual([])
    expect(outcomes(run, 'error')).toEqual([])
    // It is an answer of the bank, which was reached.
    const blocked = [...run.results.values()].filter(({ blockedBy }) =>
      blockedBy?.includes('unreachable'),
    )
    if (!to.startsWith('https://127')) expect(blocked.map(({ id }) => id)).toEqual([])
  } finally {
    await here.close()
  }
}

const PUBLIC = targetFrom(documentFor('https://93.184.215.14'))
const LOCAL = targetFrom(documentFor('https://127.0.0.1:8443'))
const PRIVATE = targetFrom(documentFor('https://10.1.2.3'))

const TABLE: [target: typeof PUBLIC, address: string, fetched: boolean][] = [
  [PUBLIC, 'https://93.184.215.14/jwks', true],
  [PUBLIC, 'https://1.1.1.1/jwks', true],
  [PUBLIC, 'https://127.0.0.1/', false],
  [PUBLIC, 'https://127.1/', false],
  [PUBLIC, 'https://2130706433/', false],
  [PUBLIC, 'https://0x7f000001/', false],
  [PUBLIC, 'https://0/', false],
  [PUBLIC, 'https://localhost/', false],
  [PUBLIC, 'https://LOCALHOST./', false],
  [PUBLIC, 'https://a.localhost/', false],
  [PUBLIC, 'https://[::1]/', false],
  [PUBLIC, 'https://[::]/', false],
  [PUBLIC, 'https://[::ffff:127.0.0.1]/', false],
  [PUBLIC, 'https://[fc00::1]/', false],
  [PUBLIC, 'https://10.0.0.1/', false],
  [PUBLIC, 'https://172.31.255.1/', false],
  [PUBLIC, 'https://192.168.1.1/', false],
  [PUBLIC, 'https://100.64.0.1/', false],
  [PUBLIC, 'https://169.254.169.254/', false],
  [PUBLIC, 'https://0177.0.0.1/', false],
  [PUBLIC, 'https://127.0.0.1./', false],
  [PUBLIC, 'https://0x7f.1/', false],
  [PUBLIC, 'https://017700000001/', false],
  [PUBLIC, 'https://１２７.０.０.１/', false],
  [PUBLIC, 'https://127。0。0。1/', false],
  [PUBLIC, 'https://user@127.0.0.1/', false],
  [PUBLIC, 'https://93.184.215.14@127.0.0.1/', false],
  [PUBLIC, 'https:\\\\127.0.0.1/', false],
  [PUBLIC, 'https://[::ffff:7f00:1]/', false],
  [PUBLIC, 'https://[::ffff:0:127.0.0.1]/', true],
  [PUBLIC, 'https://[::127.0.0.1]/', false],
  [PUBLIC, 'https://[64:ff9b::7f00:1]/', false],
  [PUBLIC, 'https://[64:ff9b::a9fe:a9fe]/', false],
  [PUBLIC, 'https://[64:ff9b:1::a00:1]/', false],
  [PUBLIC, 'https://[2002:7f00:1::]/', false],
  [PUBLIC, 'https://[2002:c0a8:101::1]/', false],
  [PUBLIC, 'https://[2606:4700::1111]/', true],
  [PUBLIC, 'https://[fec0::1]/', false],
  [PUBLIC, 'https://[ff02::1]/', false],
  [PUBLIC, 'https://[fd00:ec2::254]/', false],
  [PUBLIC, 'https://198.18.0.1/', false],
  [PUBLIC, 'https://224.0.0.1/', false],
  [PUBLIC, 'https://255.255.255.255/', false],
  [PUBLIC, 'https://100.100.100.200/', false],
  [PUBLIC, 'https://168.63.129.16/', false],
  [PUBLIC, 'https://no-such-name.invalid/', true],
  [PRIVATE, 'https://100.100.100.200/', false],
  [PRIVATE, 'https://[fd00:ec2::254]/', false],
  [PRIVATE, 'https://[::ffff:169.254.169.254]/', false],
  [PRIVATE, 'https://[64:ff9b::a9fe:a9fe]/', false],
  [LOCAL, 'https://[2002:a9fe:a9fe::]/', false],
  [LOCAL, 'https://127.0.0.1:9/', true],
  [LOCAL, 'https://169.254.169.254/', false],
  [PRIVATE, 'https://10.9.9.9/', true],
  [PRIVATE, 'http://10.9.9.9/', false],
]

/** A resolver of this process alone, in the place of the machine's. */
async function withNames<T>(names: Record<string, string[]>, run: () => Promise<T>): Promise<T> {
  const own = dns.lookup
  const fake = async (host: string) =>
    (names[host] ?? []).map((address) => ({ address, family: isIP(address) }))
  dns.lookup = fake as unknown as typeof own
  syncBuiltinESMExports()
  try {
    return await run()
  } finally {
    dns.lookup = own
    syncBuiltinESMExports()
  }
}

/** A page of the authorisation endpoint leads a browser to plain http on this machine. */
async function ledInABrowser(page: (to: string) => string | { location: string }): Promise<void> {
  let asked = 0
  const here = await tcp((socket) => {
    // A browser may open a connection before it is told not to ask.
    socket.once('data', () => {
      asked += 1
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret')
    })
  }, 'http')
  try {
    const run = await judgeBank(
      await context(),
      [
        {
          id: 'leads-astray',
          story: 'Somebody at the bank is curious.',
          async middleware(ctx, next) {
            await next()
            if (ctx.path !== '/authorize') return
            const made = page(`http://127.0.0.1:${here.port}/`)
            ctx.remove('content-security-policy')
            if (typeof made === 'string') {
              ctx.remove('location')
              ctx.status = 200
              ctx.type = 'html'
              ctx.body = made
              return
            }
            ctx.status = 302
            ctx.set('location', made.location)
          },
        },
      ],
      {
        scope: { profile: 'full', only: ['AUTHZ-01/approved'] },
        target(document) {
          const steps = [{ when: '#never' }]
          document.authorisation = {
            driver: 'browser',
            steps,
            executable: executablePath,
            patience: 20,
          }
        },
      },
    )
    expect(asked).toBe(0)
    expect(outcomes(run, 'error', 'pass').filter((one) => one.includes('AUTHZ-01'))).toEqual([])
  } finally {
    await here.close()
  }
}

const IN_A_BROWSER: Record<
  string,
  { what: string; page(to: string): string | { location: string } }
> = {
  redirect: { what: 'a redirect', page: (location) => ({ location }) },
  refresh: {
    what: 'a page that refreshes',
    page: (to) => `<meta http-equiv="refresh" content="0;url=${to}">`,
  },
  script: { what: 'a script', page: (to) => `<script>location.href='${to}'</script>` },
  image: { what: 'an image', page: (to) => `<img src="${to}">` },
  frame: { what: 'a frame', page: (to) => `<iframe src="${to}"></iframe>` },
  fetch: {
    what: 'a script that fetches it',
    page: (to) => `<script>fetch('${to}', { mode: 'no-cors' })</script>`,
  },
}

export const situations: Situation[] = [
  ...Object.entries(IN_A_BROWSER).map(([id, { what, page }]) => ({
    id: `addresses/browser/${id}`,
    what: `The authorisation page leads a browser to plain http on this machine, by ${what}.`,
    expected: 'Nothing is fetched from there.',
    seconds: 120,
    megabytes: 200,
    browser: true as const,
    async run() {
      await ledInABrowser(page)
      return undefined
    },
  })),
  {
    id: 'addresses/names',
    what: 'The bank names a host whose name resolves to addresses of this machine or its network.',
    expected: 'One such address among others suffices: nothing is fetched.',
    seconds: 120,
    megabytes: 100,
    async run() {
      const table: [addresses: string[], fetched: boolean][] = [
        [['93.184.215.14'], true],
        [['127.0.0.1'], false],
        [['::1'], false],
        [['93.184.215.14', '10.0.0.1'], false],
        [['2606:4700::1111', 'fe80::1'], false],
        [['::ffff:169.254.169.254'], false],
      ]
      for (const [addresses, fetched] of table) {
        const names = { 'keys.bank.example': addresses }
        const problem = await withNames(names, () =>
          addressProblem('https://keys.bank.example/jwks', PUBLIC),
        )
        expect(problem === undefined, `${addresses}: ${problem}`).toBe(fetched)
      }
      return undefined
    },
  },
  ...Object.entries(PLACES).flatMap(([place, { what }]) =>
    Object.entries(ADDRESSES).map(([id, address]) => ({
      id: `addresses/${place}/${id}`,
      what: `The bank names ${address.slice(0, 60) || 'nothing'} as ${what}.`,
      expected:
        'Nothing is fetched from there or written of it; it is judged as the bank’s answer.',
      seconds: 120,
      megabytes: 200,
      async run() {
        await led(place, address)
        return undefined
      },
    })),
  ),
  {
    id: 'addresses/spellings',
    what: 'Private, loopback and link-local addresses in every spelling, for banks of each kind.',
    expected:
      'They are fetched only where the target’s own addresses are such; link-local ones never.',
    seconds: 120,
    megabytes: 100,
    async run() {
      for (const [target, address, fetched] of TABLE) {
        const problem = await addressProblem(address, target)
        expect(problem === undefined, `${address}: ${problem}`).toBe(fetched)
      }
      return undefined
    },
  },
]
