import type { Caller } from '../../engine/journey/caller.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { answerOf, succeeded } from '../../engine/judge/matchers.ts'
import { Blocked, lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { type Exchange, header } from '../../engine/wire/exchange.ts'
import { everything, secondClient } from '../consents.ts'
import { consentPath, newConsentId } from './consent-requests.ts'

/** Rate limiting of data requests. Requirements: specs/account-information/rate-limit.yaml */

const IPV4 = '203.0.113.7'
const IPV6 = '2001:db8::7'

/** A data request with the customer at this address. */
const present = (caller: Caller, path: string, address: string) =>
  caller.get(path, { headers: { 'x-fapi-customer-ip-address': address } })

check(
  'RATE-05/with-and-without',
  'Data requests are served with x-fapi-customer-ip-address, IPv4 or IPv6, and without it',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const owners = {
      '/accounts': OWNERS.accounts,
      '/balances': OWNERS.balances,
      '/transactions': OWNERS.transactions,
    }
    for (const [path, owner] of Object.entries(owners)) {
      relyOn(owner, await present(approval, path, IPV4))
      expect(await present(approval, path, IPV6)).toSucceed()
      const absent = await approval.get(path, { customerPresent: false })
      // The limit may have been reached before.
      if (absent.response?.status !== 429) expect(absent).toSucceed()
    }
  },
)

/** Requests of the absent customer until one is not served, and what is served just after. */
const burst = once(async (context) => {
  const most = context.target.document.rateLimitBurst ?? 0
  if (most === 0) throw new NotApplicable('the target allows no burst of requests (rateLimitBurst)')
  const approval = await context.approved(everything)
  const absent = (caller: Caller) =>
    caller.get('/accounts', { customerPresent: false, about: { owns: ['ERR-01/no-5xx'] } })
  const consent = consentPath(await newConsentId(approval))
  const query = () => approval.get(consent)
  const second = context.target.clients.second ? await context.approved(secondClient) : undefined
  const before = {
    query: await query(),
    ipv6: await present(approval, '/accounts', IPV6),
    second: second && (await absent(second)),
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
    absent: await absent(approval),
    query: await query(),
    second: second && (await absent(second)),
  }
  return { limited: last, count, seconds, before, after }
})

const options = { uses: ['everything'], bursts: true, needs: ['rateLimitBurst'] }

check(
  'RATE-01/with-429',
  'When the limit is reached and the customer is absent, the answer is 429',
  options,
  async (context) => {
    const { limited, count } = await burst(context)
    // Then it is no limit: the very first request was answered so.
    if (count === 1 && limited.response?.status !== 429) relyOn('RATE-05/with-and-without', limited)
    expect(limited).toHaveStatus(429)
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
    if (succeeded(after.absent)) lacking('a limit that lasts while the customer is present')
    expect(after.ipv4).toSucceed()
    // A customer at such an address who was not served before is RATE-05's.
    if (succeeded(before.ipv6)) expect(after.ipv6).toSucceed()
  },
)

check(
  'RATE-03/consents-served',
  'Consents can be managed while data requests are limited',
  options,
  async (context) => {
    const { before, after } = await limited(context)
    relyOn(OWNERS.query, before.query)
    if (succeeded(after.absent)) lacking('a limit that lasts while consents are managed')
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
