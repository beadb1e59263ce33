import type { Approval } from '../../engine/journey/approvals.ts'
import type { Caller } from '../../engine/journey/caller.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { answerOf, succeeded } from '../../engine/judge/matchers.ts'
import { Blocked, lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { type Exchange, header } from '../../engine/wire/exchange.ts'
import { everything, secondClient } from '../consents.ts'
import { consentPath, newConsentId } from './common/consent-requests.ts'
import { accountIds, pathOf } from './common/readings.ts'

/** Rate limiting of data requests. Requirements: specs/account-information/rate-limit.yaml */

const IPV4 = '203.0.113.7'
const IPV6 = '2001:db8::7'

/** A data request with the customer at this address. */
const present = (caller: Caller, path: string, address: string) =>
  caller.get(path, { headers: { 'x-fapi-customer-ip-address': address } })

/** One request for each data endpoint without the customer, which the limit may refuse. */
const absentOnce = once(async (context) => {
  const approval = await context.approved(everything)
  const paths = ['/accounts', ...(await otherPaths(approval))]
  return each(paths, (path) => approval.get(path, { customerPresent: false }))
})

check(
  'RATE-05/with-and-without',
  'Data requests are served with x-fapi-customer-ip-address, IPv4 or IPv6, and without it',
  { uses: ['everything'] },
  async (context) => {
    const approval = await context.approved(everything)
    for (const [path, absent] of await absentOnce(context)) {
      relyOn(ownerOf(path), await present(approval, path, IPV4))
      expect(await present(approval, path, IPV6)).toSucceed()
      // The limit may have been reached before.
      if (absent.response?.status !== 429) expect(absent).toSucceed()
    }
  },
)

/** The check that owns the answer of a path. */
function ownerOf(path: string): string {
  if (path === '/accounts') return OWNERS.accounts
  if (path === '/balances') return OWNERS.balances
  if (path === '/transactions') return OWNERS.transactions
  return path.endsWith('/transactions') ? 'TXN-02/answers-200' : 'ACC-02/answers-200'
}

/** Requests of the absent customer until one is not served, and what is served just after. */
const burst = once(async (context) => {
  const most = context.target.document.rateLimitBurst ?? 0
  if (most === 0) throw new NotApplicable('the target allows no burst of requests (rateLimitBurst)')
  const approval = await context.approved(everything)
  const absent = (caller: Caller, path = '/accounts') =>
    caller.get(path, { customerPresent: false, about: { owns: ['ERR-01/no-5xx'] } })
  const others = (await otherPaths(approval)).slice(0, 2)
  const consent = consentPath(await newConsentId(approval))
  const query = () => approval.get(consent)
  const second = context.target.clients.second ? await context.approved(secondClient) : undefined
  const before = {
    query: await query(),
    ipv6: await present(approval, '/accounts', IPV6),
    second: second && (await absent(second)),
    others: await each(others, (path) => present(approval, path, IPV4)),
    absent: await absentOnce(context),
  }
  relyOn(OWNERS.accounts, await present(approval, '/accounts', IPV4))

  const started = performance.now()
  let last = await absent(approval)
  let count = 1
  while (succeeded(last) && count < most) {
    last = await absent(approval)
    count += 1
  }
  const seconds = (performance.now() - started) / 1000
  if (succeeded(last)) lacking(`a limit that ${most} requests reach (rateLimitBurst)`)

  const after = {
    ipv4: await present(approval, '/accounts', IPV4),
    ipv6: await present(approval, '/accounts', IPV6),
    query: await query(),
    second: second && (await absent(second)),
    others: await each(others, (path) => present(approval, path, IPV4)),
    absent: await each(['/accounts', ...others, '/accounts'], (path) => absent(approval, path)),
  }
  return { limited: last, count, seconds, before, after }
})

/** The data endpoints beside GET /accounts, for one account where there is one. */
async function otherPaths(approval: Approval): Promise<string[]> {
  const [id] = await accountIds(approval).catch(() => [])
  const single = id === undefined ? [] : [pathOf(id, ''), pathOf(id, '/transactions')]
  return ['/balances', '/transactions', ...single]
}

async function each(paths: string[], get: (path: string) => Promise<Exchange>) {
  const answers: (readonly [string, Exchange])[] = []
  for (const path of paths) answers.push([path, await get(path)])
  return answers
}

/** Was the path served? A limit that was reached before says nothing of it. */
function served(answers: Iterable<readonly [string, Exchange]>, path: string): boolean {
  const answer = [...answers].find(([asked]) => asked === path)?.[1]
  return answer !== undefined && (succeeded(answer) || answer.response?.status === 429)
}

/** Is GET /accounts limited after all that was asked since? */
const stillLimited = ({ absent }: Awaited<ReturnType<typeof burst>>['after']) =>
  absent.every(([path, answer]) => path !== '/accounts' || !succeeded(answer))

const options = { uses: ['everything'], bursts: true, needs: ['rateLimitBurst'] }

check(
  'RATE-01/with-429',
  'When the limit is reached and the customer is absent, the answer is 429',
  options,
  async (context) => {
    const { limited, count, before, after } = await burst(context)
    // Then it is no limit: the very first request was answered so.
    if (count === 1 && limited.response?.status !== 429) relyOn('RATE-05/with-and-without', limited)
    expect(limited).toHaveStatus(429)
    // Each endpoint may have a limit of its own.
    for (const [path, answer] of after.absent) {
      // What is never served without the customer is RATE-05's.
      if (succeeded(answer) || !served(before.absent, path)) continue
      expect(answer).toHaveStatus(429)
    }
  },
)

/** The burst, once it ended with 429; else the check is blocked by the one that says so. */
async function limited(context: Context): Promise<Awaited<ReturnType<typeof burst>>> {
  const done = await burst(context)
  if (done.limited.response?.status === 429) return done
  const why = `the burst ended with ${answerOf(done.limited)}`
  throw new Blocked({ kind: 'check', id: 'RATE-01/with-429' }, why, done.limited)
}

check(
  'RATE-02/present-is-served',
  'When the limit is reached, requests of the present customer are still served',
  options,
  async (context) => {
    const { before, after } = await limited(context)
    if (!stillLimited(after)) lacking('a limit that lasts while the customer is present')
    expect(after.ipv4).toSucceed()
    // A customer at such an address who was not served before is RATE-05's.
    if (succeeded(before.ipv6)) expect(after.ipv6).toSucceed()
    for (const [path, answer] of after.others) {
      if (served(before.others, path)) expect(answer).toSucceed()
    }
  },
)

check(
  'RATE-03/consents-served',
  'Consents can be managed while data requests are limited',
  options,
  async (context) => {
    const { before, after } = await limited(context)
    relyOn(OWNERS.query, before.query)
    if (!stillLimited(after)) lacking('a limit that lasts while consents are managed')
    expect(after.query).toSucceed()
  },
)

check('RATE-04/recorded', 'What led to the limit', options, async (context) => {
  const { limited: answer, count, seconds } = await limited(context)
  context.observe('data requests without the customer until 429', count, answer)
  context.observe('seconds until 429', seconds.toFixed(1), answer)
  context.observe('Retry-After of 429', header(answer, 'retry-after') ?? 'absent', answer)
})

check(
  'RATE-07/second-client',
  'The limit that one client reached does not limit another client',
  { ...options, uses: ['everything', 'second client'] },
  async (context) => {
    context.tpp('second')
    const { before, after } = await limited(context)
    if (!servedBefore(before.second)) {
      lacking('a second client whose requests without the customer were served before')
    }
    expect(after.second as Exchange).toSucceed()
  },
)

/** An earlier check may have cost the second client its approval. */
const servedBefore = (exchange: Exchange | undefined) =>
  exchange !== undefined && succeeded(exchange)
