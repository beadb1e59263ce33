import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { Approval } from '../../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import type { CallDeviation, Caller } from '../../../engine/suite-api/flow.ts'
import {
  blockByEnvironment,
  blockForFreedom,
  blockForTarget,
  NotApplicable,
} from '../../../engine/suite-api/outcomes.ts'
import {
  answerOf,
  type Exchange,
  header,
  IN_TROUBLE,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { everything, secondClient } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable } from '../../tables.ts'
import { customerAddress } from '../../values/header-value.ts'
import {
  consentPath,
  create,
  createConsent,
  requireConsentId,
} from '../common/consents/consent-requests.ts'
import { absentReads } from '../common/data/absent-reads.ts'
import { requireAccountIds } from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { everyPath } from '../common/data/same-rows.ts'

/** Rate limiting of data requests. Requirements: specs/account-information/rate-limit.yaml */

const IPV4 = '203.0.113.7'
const IPV6 = '2001:db8::7'

/** A data request with the customer present at this address. */
const present = (caller: Caller, path: string, address: string) =>
  caller.get(path, { headers: { 'x-fapi-customer-ip-address': address } })

/** The same while the limit is reached: the answer is judged as it is, with no retry after a 429. */
const presentNow = (caller: Caller, path: string, address: string, over: Spelling = {}) =>
  lasting(() =>
    caller.get(path, {
      headers: { 'x-fapi-customer-ip-address': address },
      ...AS_IT_COMES,
      ...over,
      retry: 'not-429',
    }),
  )

type Spelling = Pick<CallDeviation, 'headerNames'>

/** Names of headers as Go writes them: X-Fapi-Customer-Ip-Address. RFC 9110 5.1: they are the same. */
const BEGUN_WITH_CAPITALS: Spelling = {
  headerNames: (name) => name.replace(/(^|-)[a-z]/g, (part) => part.toUpperCase()),
}

/** The second answer where the first is 429, since a single 429 may have any reason. */
async function lasting(ask: () => Promise<Exchange>): Promise<Exchange> {
  const answer = await ask()
  return answer.response?.status === 429 ? ask() : answer
}

const AS_IT_COMES = {
  retry: false,
  about: { owns: ['ERR-01/no-5xx', 'RATE-02/no-429-while-present', 'TXN-28/kept'] },
}

/**
 * GET /accounts, /balances and /transactions with an IPv4 address,
 * and without the header: each 2xx. A 429 without it is not judged; not applicable where none of these is served.
 */
check(
  'RATE-05/with-and-without',
  'Data requests are served with x-fapi-customer-ip-address and without it',
  { uses: [everything] },
  async (context) => {
    const approval = await context.approved(everything)
    const reads = await absentReads(approval)
    for (const { path, before, absent } of reads) {
      relyOn(readOwner(approval, path), before).toSucceed()
      relyOn(readOwner(approval, path), await present(approval, path, IPV4)).toSucceed()
      // The limit may have been reached before.
      if (absent.response?.status !== 429) expect(absent).toSucceed()
    }
    if (reads.every(({ absent }) => absent.response?.status === 429)) {
      throw new NotApplicable('the limit was reached before')
    }
  },
)

check(
  'RATE-05/any-address',
  'Data requests are served whatever IPv4 address x-fapi-customer-ip-address has',
  { uses: [everything], asks: [customerAddress], follows: ['RATE-05/with-and-without'] },
  async (context) =>
    expectTable(context, {
      ...{ owner: 'RATE-05/any-address', type: customerAddress },
      rows: ({ lawful, level }) => lawful === true && level === 'must',
      places: [
        {
          ...{ name: 'accounts', kind: 'data' },
          async open({ approved }) {
            const { get } = await approved(everything)
            relyOn(OWNERS.accounts, await get('/accounts')).toSucceed()
            const right = { present: true } as const
            return { right, ask: (made, deviation) => get('/accounts', { ...made, deviation }) }
          },
        },
      ],
    }),
)

check(
  'RATE-08/recorded',
  'What a customer at an IPv6 address gets',
  { uses: [everything] },
  async (context) => {
    const approval = await context.approved(everything)
    for (const path of ['/accounts', '/balances', '/transactions']) {
      const answer = await present(approval, path, IPV6)
      context.observe(`status of GET ${path} for an IPv6 address`, answer.response?.status, answer)
    }
  },
)

/** The customer is absent: the answer is judged as it is. */
const absentNow = (caller: Caller, path: string) =>
  caller.get(path, { customerPresent: false, ...AS_IT_COMES })

/** A gateway may fail for a moment: only a repeated failure counts as a limit. */
async function absent(caller: Caller, path = '/accounts'): Promise<Exchange> {
  const answer = await absentNow(caller, path)
  return IN_TROUBLE.includes(answer.response?.status ?? 0) ? absentNow(caller, path) : answer
}

/** Requests without the customer until one is not served, and what is served right afterwards. */
const burst = sharedFixture([everything, secondClient], async (context) => {
  const most = context.target.document.rateLimitBurst ?? 0
  if (most === 0) throw new NotApplicable('the target allows no burst of requests (rateLimitBurst)')
  const approval = await context.approved(everything)
  const others = await otherPaths(approval)
  const { tpp } = await context.caller()
  const grant = { grant_type: 'client_credentials', scope: tpp.client.scopes.accounts } as const
  const token = () => lasting(() => tpp.token(grant, { retry: 'not-429' }))
  const second = context.target.clients.second ? await context.approved(secondClient) : undefined
  const consent = consentPath(await createConsent(approval))
  const before = {
    token: await token(),
    query: await approval.get(consent),
    absentQuery: await approval.get(consent, { customerPresent: false }),
    ipv6: await present(approval, '/accounts', IPV6),
    second: second && (await absent(second)),
    others: await each(others, (path) => present(approval, path, IPV4)),
    absent: (await absentReads(approval)).map(
      ({ path, absent: answer }) => [path, answer] as const,
    ),
  }
  relyOn(OWNERS.accounts, await present(approval, '/accounts', IPV4)).toSucceed()

  const first = await reachLimit(approval, most)
  if (first === undefined) blockForTarget(`a limit that ${most} requests reach (rateLimitBurst)`)
  const asked = { approval, others, token, ...(second && { second }) }
  const after = await whileLimited({ ...asked, consent })
  // The limit may have ended meanwhile. Then it is reached again before each of these requests.
  if (stillLimited(after) || !succeeded(after.creation)) return { ...first, before, after }
  const another = consentPath(requireConsentId(after.creation))
  let isReached = true
  const reach = async () => {
    if (isReached) isReached = (await reachLimit(approval, most)) !== undefined
  }
  return { ...first, before, after: await whileLimited({ ...asked, consent: another }, reach) }
})

/** What is served while the limit is reached. */
async function whileLimited(
  {
    approval,
    second,
    consent,
    others,
    token,
  }: {
    approval: Approval
    second?: Approval
    consent: string
    others: string[]
    token: () => Promise<Exchange>
  },
  before: () => Promise<unknown> = async () => undefined,
) {
  const then = async <Answer>(ask: () => Promise<Answer>) => {
    await before()
    return ask()
  }
  const again = { retry: 'not-429' } as const
  return {
    ipv4: await then(() => presentNow(approval, '/accounts', IPV4)),
    ipv6: await then(() => presentNow(approval, '/accounts', IPV6)),
    spelled: await then(() => presentNow(approval, '/accounts', IPV4, BEGUN_WITH_CAPITALS)),
    query: await then(() => lasting(() => approval.get(consent, again))),
    absentQuery: await then(() =>
      lasting(() => approval.get(consent, { customerPresent: false, ...again })),
    ),
    creation: await then(() => lasting(() => create(approval, {}, again))),
    deletion: await then(() => lasting(() => approval.delete(consent, again))),
    token: await then(token),
    second: second && (await then(() => absent(second))),
    others: await each(others, (path) => then(() => presentNow(approval, path, IPV4))),
    absent: await each(['/accounts', ...others, '/accounts'], (path) =>
      then(() => absent(approval, path)),
    ),
  }
}

/**
 * Requests until one is not served, or shows no account although those before it did; undefined if this many do not
 * reach the limit.
 */
async function reachLimit(approval: Approval, most: number) {
  const started = performance.now()
  let shown = 0
  for (let count = 1; count <= most; count += 1) {
    const limited = await absent(approval)
    const seconds = (performance.now() - started) / 1000
    if (!succeeded(limited)) return { limited, count, seconds }
    const rows = rowsOf(limited).length
    if (rows === 0 && shown > 0 && (await isEmptyWhileAbsent(approval))) {
      return { limited, count, seconds }
    }
    shown = Math.max(shown, rows)
  }
  return undefined
}

/** Does GET /accounts show none without the customer once more, and some while the customer is there? */
async function isEmptyWhileAbsent(approval: Approval): Promise<boolean> {
  const there = await presentNow(approval, '/accounts', IPV4)
  const again = await absent(approval)
  return rowsOf(there).length > 0 && succeeded(again) && rowsOf(again).length === 0
}

/** The data endpoints other than GET /accounts. */
async function otherPaths(approval: Approval): Promise<string[]> {
  const ids = await requireAccountIds(approval).catch(() => [])
  return everyPath(approval, ids.at(-1)).slice(1)
}

async function each(paths: string[], get: (path: string) => Promise<Exchange>) {
  const answers: (readonly [string, Exchange])[] = []
  for (const path of paths) answers.push([path, await get(path)])
  return answers
}

/** Was the path served? A 429 counts as served: an earlier limit says nothing about the path. */
function served(answers: Iterable<readonly [string, Exchange]>, path: string): boolean {
  const answer = [...answers].find(([asked]) => asked === path)?.[1]
  return answer !== undefined && (succeeded(answer) || answer.response?.status === 429)
}

/** Is GET /accounts still limited after the requests since then? */
const stillLimited = ({ absent: reads }: { absent: readonly (readonly [string, Exchange])[] }) =>
  reads.every(([path, answer]) => path !== '/accounts' || !succeeded(answer))

const options = {
  uses: [everything, secondClient],
  bursts: true,
  needs: ['rateLimitBurst'],
} as const

/**
 * Burst of GET /accounts until the first answer that isn't 2xx: its status is 429. Fails: a closed
 * connection, a 403 or a 503 there, or a 200 without accounts, which the present customer still sees. Blocked without such
 * an answer within the burst. Afterwards the same for each data endpoint: a request without the customer that is not served
 * answers 429.
 */
check(
  'RATE-01/with-429',
  'When the limit is reached and the customer is absent, the answer is 429',
  options,
  async (context) => {
    const { limited, count, before, after } = await burst(context)
    if (IN_TROUBLE.includes(limited.response?.status ?? 0) && !succeeded(after.ipv4)) {
      blockByEnvironment(
        `the bank has errors of its own: it answers ${answerOf(limited)}, then ${answerOf(after.ipv4)}`,
        limited,
      )
    }
    // The very first request was answered like this, so it is no limit.
    if (count === 1 && limited.response?.status !== 429)
      relyOn('RATE-05/with-and-without', limited).toSucceed()
    expect(limited).toHaveStatus(429)
    // Each endpoint may have a limit of its own.
    for (const [path, answer] of after.absent) {
      // What is never served without the customer is judged by RATE-05.
      if (succeeded(answer) || !served(before.absent, path)) continue
      expect(answer).toHaveStatus(429)
    }
  },
)

/** The burst, if it ended with 429; otherwise RATE-01/with-429 blocks the check. */
async function limited(
  context: Context<typeof everything | typeof secondClient>,
): Promise<Awaited<ReturnType<typeof burst>>> {
  const done = await burst(context)
  relyOn('RATE-01/with-429', done.limited).toHaveStatus(429)
  return done
}

/**
 * Right after the first 429, the same request with the header, once with an IPv4 and
 * once with an IPv6 address, and with capitals in its name, is 2xx, and so are the other data endpoints. The next
 * request without the header is 429 again (control). Blocked by RATE-01/with-429.
 */
check(
  'RATE-02/present-is-served',
  'When the limit is reached, requests of the present customer are still served',
  // A refresh may come in between, after which the account ids may be different.
  { ...options, follows: ['ACC-04/after-refresh'] },
  async (context) => {
    const { before, after } = await limited(context)
    if (!stillLimited(after)) blockForFreedom('a limit that lasts while the customer is present')
    expect(after.ipv4).toSucceed()
    expect(after.spelled).toSucceed()
    // Judged only where an IPv6 address was served before the limit.
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
    relyOn(OWNERS.query, before.query).toSucceed()
    if (!stillLimited(after)) blockForFreedom('a limit that lasts while consents are managed')
    expect(after.query).toSucceed()
    // "429 | Data endpoints": a consent is not limited because the customer is absent.
    if (succeeded(before.absentQuery)) expect(after.absentQuery).toSucceed()
    for (const answer of [after.creation, after.deletion]) {
      if (answer.response?.status === 429) expect(answer).toSucceed()
    }
  },
)

check(
  'RATE-03/tokens-served',
  'Access tokens are issued while data requests are limited',
  { ...options, follows: ['RATE-03/consents-served'] },
  async (context) => {
    const { before, after } = await limited(context)
    relyOn(OWNERS.management, before.token).toSucceed()
    if (!stillLimited(after)) blockForFreedom('a limit that lasts while a token is asked for')
    // "429 | Data endpoints": other failures of a token request are judged elsewhere.
    if (after.token.response?.status === 429) expect(after.token).toSucceed()
  },
)

check('RATE-04/recorded', 'What led to the limit', options, async (context) => {
  const { limited: answer, count, seconds } = await limited(context)
  context.observe('data requests without the customer until 429', count, answer)
  context.observe('seconds until 429', seconds.toFixed(1), answer)
  context.observe('Retry-After of 429', header(answer, 'retry-after') ?? 'absent', answer)
})

/**
 * Right after the first client's 429, the second client's GET
 * /accounts without the header is 2xx. Blocked by RATE-01/with-429.
 */
check(
  'RATE-07/second-client',
  'The limit that one client reached does not limit another client',
  { ...options, needs: [...options.needs, 'clients.second'] },
  async (context) => {
    context.tpp('second')
    const { before, after, count } = await limited(context)
    if (!servedBefore(before.second)) {
      blockForFreedom('a second client whose requests without the customer were served before')
    }
    // If each client is allowed only a few requests, the second client may have used up its own.
    const { unattended } = (await context.caller('second')).tpp
    if (after.second?.response?.status === 429 && count - 1 <= unattended) {
      blockForFreedom(`a limit of more than ${unattended} requests without the customer`)
    }
    expect(after.second as Exchange).toSucceed()
  },
)

/** Was the second client served before? It may have lost its approval in an earlier check. */
const servedBefore = (exchange: Exchange | undefined) =>
  exchange !== undefined && succeeded(exchange)
