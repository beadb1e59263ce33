import { randomBytes } from 'node:crypto'
import { check } from '../../../engine/suite-api/check.ts'
import type { Approval } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import type { CallDeviation } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import {
  type Exchange,
  missingFrom,
  presentIn,
  type Row,
  refused,
  rowsOf,
  shared,
} from '../../../engine/suite-api/responses.ts'
import {
  debitsInPeriod,
  everything,
  narrowOfSeconds,
  secondClient,
  secondCustomer,
} from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable } from '../../tables.ts'
import { authorization } from '../../values/authorization-header.ts'
import { bearerCredential, isInvalid, isMissing } from '../../values/bearer-credential.ts'
import type { HeaderValues } from '../../values/header-value.ts'
import { waysToAsk } from '../common/data/absent-reads.ts'
import { refreshedAtOnce } from '../common/data/account-comparisons.ts'
import { blockForBookings, dueIfAny } from '../common/data/booking-times.ts'
import { keyAcrossConsents } from '../common/data/completeness.ts'
import {
  accountIdsIn,
  pathOf,
  requireAccountIds,
  requireRows,
  servedRead,
} from '../common/data/data-reads.ts'
import { endWithoutForeignId } from '../common/data/foreign-account.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { bookedIn, bulk, relyOnSteadyRows } from '../common/data/transaction-readings.ts'
import { dataPlaces } from '../common/places/data-places.ts'
import { expectNoRows, spelledOtherwise } from '../common/places/path-spellings.ts'

/** All data endpoints. Requirements: specs/account-information/data.yaml */

/** Approvals of another customer, and of another client. */
const OTHERS = [secondCustomer, secondClient] as const

check(
  'DATA-03/without-authorization',
  'No data endpoint answers a request without an access token',
  { asks: [bearerCredential], uses: [everything] },
  async (context) => {
    await expectTable(context, {
      owner: 'DATA-03/without-authorization',
      type: bearerCredential,
      rows: isMissing,
      places: await dataPlaces(context, [everything]),
    })
    const approval = await context.approved(everything)
    const wrong = { bearer: null, deviation: 'no Authorization header' }
    await expectRefusedEverywhere(approval, wrong)
    for (const path of context.cases(spelledOtherwise(context.seed))) {
      expectNoRows(await approval.get(path, wrong), wrong.deviation)
    }
  },
)

/**
 * Every invalid credential of the table at the six endpoints, for each customer and
 * client. The filters, and requests without the customer, only with a made-up token.
 */
check(
  'DATA-03/unknown-token',
  'No data endpoint answers a request with an access token that the bank did not issue',
  { asks: [bearerCredential], uses: [everything], beside: OTHERS },
  async (context) => {
    await expectTable(context, {
      owner: 'DATA-03/unknown-token',
      type: bearerCredential,
      rows: isInvalid,
      places: await dataPlaces(context, [everything, ...OTHERS]),
    })
    const bearer = randomBytes(32).toString('base64url')
    const wrong = { bearer, deviation: 'an access token that no bank issued' }
    await expectRefusedEverywhere(await context.approved(everything), wrong)
  },
)

/** GET /accounts with the right access token, in an Authorization header of another form or in another header. */
check(
  'DATA-10/other-forms',
  'An access token is not accepted in a header that is not Authorization: Bearer and the token',
  {
    asks: [authorization],
    uses: [everything],
    follows: ['DATA-03/without-authorization', 'DATA-03/unknown-token'],
  },
  (context) =>
    expectTable(context, {
      ...{ owner: 'DATA-10/other-forms', type: authorization },
      rows: ({ lawful, level }) => !lawful && level !== 'observe',
      places: [
        {
          ...{ name: 'accounts', kind: 'data' },
          async open({ approved }) {
            const { get, tokens } = await approved(everything)
            relyOn(OWNERS.accounts, await get('/accounts')).toSucceed()
            const { accessToken: token } = await tokens()
            const ask = (made: HeaderValues, deviation: string) =>
              get('/accounts', { ...made, bearer: token, deviation })
            return { right: { token }, ask }
          },
        },
      ],
    }),
)

/**
 * The cookies that the bank sets with its data, such as those of a session, give nothing. Where it sets
 * none, a session cookie that nobody issued is sent: the check then sees a bank that takes any cookie.
 */
check(
  'DATA-03/cookie',
  'No data is given for a cookie of the bank without an access token',
  { uses: [everything], follows: ['DATA-03/without-authorization'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const control = await servedRead(approval, '/accounts')
    relyOn(OWNERS.accounts, control).toSucceed()
    const set = cookiesIn(control)
    const made = `JSESSIONID=${randomBytes(16).toString('hex').toUpperCase()}`
    const deviation =
      set === '' ? 'a made-up session cookie alone' : 'a cookie of an earlier answer alone'
    const headers = { Cookie: set === '' ? made : set }
    expect(await approval.get('/accounts', { bearer: null, headers, deviation })).toBeRefused()
  },
)

/** The pairs that the Set-Cookie lines of an answer set, as a client gives them back (RFC 6265 4.2). */
function cookiesIn({ response }: Exchange): string {
  const lines = (response?.headers ?? []).filter(([name]) => name.toLowerCase() === 'set-cookie')
  const pairs = lines.map(([, value]) => (value.split(';')[0] ?? '').trim())
  return pairs.filter((pair) => /^[^=]+=./.test(pair)).join('; ')
}

/** New connections may each lead to a different node of the bank. */
const CONNECTIONS = [1, 2, 3, 4, 5, 6, 7, 8] as const

check(
  'DATA-08/each-connection',
  'A token gives the same accounts over each new connection',
  { uses: [everything], follows: ['ACC-04/second-call', 'ACC-01/answers-200'] },
  async ({ approved, cases }) => {
    const { get, tokens } = await approved(everything)
    const control = await get('/accounts')
    const ids = accountIdsIn(requireRows(control, OWNERS.accounts))
    const { accessToken: bearer } = await tokens()
    for (const _connection of cases(CONNECTIONS)) {
      const answer = await get('/accounts', { bearer, newConnection: true })
      const ended = refused(answer) && refused(await get('/accounts', { bearer }))
      if (ended) throw new NotApplicable('the access token ended meanwhile')
      expect(answer).toSucceed()
      const shown = accountIdsIn(rowsOf(answer))
      const same = shown.length === ids.length && shown.every((id) => ids.includes(id))
      expectThat(same, {
        message: 'over another connection other accounts are shown',
        expected: `the AccountIds ${ids.join(', ')}`,
        actual: shown.join(', '),
        exchange: answer,
      })
    }
  },
)

/**
 * Two approvals of one customer that differ in their data (the unlimited one, and the one with
 * a period or with Credits alone). GET /transactions with each alone, then three pairs of
 * requests at the same time, then each alone again. Booked rows that a token shows in both
 * its answers alone are in each of its concurrent answers, and no row that only the other token
 * shows alone and that looks like none of its own. Blocked where the two don't differ in such a row.
 */
check(
  'DATA-08/concurrent',
  'A token gets what its own consent gives, also while another consent’s token is in use',
  { uses: [everything, debitsInPeriod] },
  async ({ approved }) => {
    const whole = await approved(everything)
    const limited = await approved(debitsInPeriod)
    const about = { owns: ['TXN-20/inside', 'TXN-25/direction', 'TXN-28/kept'] }
    const together = () => Promise.all([whole, limited].map((one) => one.get(bulk, { about })))
    const before = [await whole.get(bulk), await limited.get(bulk)] as const
    const pairs: Exchange[][] = []
    for (let times = 0; times < 3; times += 1) pairs.push(await together())
    const after = [await whole.get(bulk), await limited.get(bulk)] as const

    const rowsOfWhole = steady(whole, before[0], after[0])
    const rowsOfLimited = steady(limited, before[1], after[1])
    const seen = [...rowsOf(before[1]), ...rowsOf(after[1])]
    const more = missingFrom(seen, rowsOfWhole, keyAcrossConsents)
    // The narrower answer may correctly show some of the rows that look alike: they are no evidence.
    const alike = new Set(presentIn(more, seen, keyAcrossConsents))
    const others = more.filter((row) => !alike.has(row))
    if (others.length === 0) {
      const what = 'a booked transaction outside the narrower consent that looks like none inside'
      blockForBookings(what, rowsOfWhole)
    }
    for (const [ofWhole, ofLimited] of pairs as [Exchange, Exchange][]) {
      bookedIn(ofWhole, readOwner(whole, bulk))
      bookedIn(ofLimited, readOwner(limited, bulk))
      const gone = [
        ...missingFrom(rowsOf(ofLimited), rowsOfLimited),
        ...missingFrom(rowsOf(ofWhole), rowsOfWhole),
      ]
      // A row missing from both answers alone by chance is not the other token's row.
      const strange = presentIn(others, rowsOf(ofLimited), keyAcrossConsents)
      if (gone.length + strange.length > 0) await relyOnSteadyRows(whole)
      expect(ofLimited).toHoldNoneOf(others, keyAcrossConsents)
      expect(ofLimited).toHoldRows(rowsOfLimited)
      expect(ofWhole).toHoldRows(rowsOfWhole)
    }
  },
)

/**
 * The lists of both customers at once, then the balances and transactions of all accounts of the
 * first at once: no list has an account of the other customer. Rules judge whether each account's
 * address answers with that account. Not applicable where a bank refuses requests at the same time.
 */
check(
  'DATA-08/customers-at-once',
  'Customers whose data are asked for at the same time are each shown accounts of their own',
  {
    uses: [everything, secondCustomer],
    needs: ['customers.second'],
    follows: ['DATA-08/concurrent', 'DATA-08/other-approvals', 'ACC-04/second-call'],
  },
  async ({ approved, customer, cases }) => {
    customer('second')
    const both = [await approved(everything), await approved(secondCustomer)] as const
    const [first, second] = both
    const own = [await requireAccountIds(first), await requireAccountIds(second)] as const
    const foreign = [own[1], own[0]].map((ids, index) =>
      ids.filter((id) => !own[index]?.includes(id)),
    )
    if (foreign.some((ids) => ids.length === 0)) await endWithoutForeignId(first, second)
    const about = { owns: ['ACC-04/kept', 'TXN-28/kept'] }
    for (const path of cases(['/accounts', '/balances'])) {
      const answers = await Promise.all(both.map(({ get }) => get(path, { about })))
      answers.forEach((answer, index) => {
        if (refused(answer)) throw new NotApplicable('the bank serves one customer at a time')
        const strange = accountIdsIn(rowsOf(answer)).filter((id) => foreign[index]?.includes(id))
        expectThat(strange.length === 0, {
          message: 'an account of the other customer is shown',
          expected: `the AccountIds ${own[index]?.join(', ')}`,
          actual: strange.join(', '),
          exchange: answer,
        })
      })
    }
    const tails = ['/balances', '/transactions'] as const
    const single = own[0].slice(0, 2).flatMap((id) => tails.map((tail) => pathOf(id, tail)))
    await Promise.all(single.map((path) => first.get(path, { about })))
  },
)

/**
 * GET /accounts under two approvals of one client, each of another customer, after both were
 * refreshed at the same time. Fails: an account that only the other approval showed before.
 * Not applicable where the bank refuses one of the two refreshes.
 */
check(
  'DATA-08/refreshes-at-once',
  'Consents whose tokens are refreshed at the same time each show accounts of their own',
  {
    uses: [secondClient, narrowOfSeconds],
    needs: ['clients.second', 'customers.second'],
    follows: ['DATA-08/concurrent', 'DATA-08/other-approvals', 'ACC-04/second-call'],
  },
  async (context) => {
    const { inTurn, around, foreign } = await refreshedAtOnce(context)
    if (inTurn) throw new NotApplicable('the bank serves one token request at a time')
    for (const [index, { approval, after }] of around.entries()) {
      relyOn(readOwner(approval, '/accounts'), after).toSucceed()
      const strange = accountIdsIn(foreign[index] ?? [])
      expectThat(strange.length === 0, {
        message: 'an account of another consent is shown after a refresh',
        expected: 'the accounts that it showed before',
        actual: strange.join(', '),
        exchange: after,
      })
    }
  },
)

check(
  'DATA-05/recorded',
  'What POST and DELETE give on a data endpoint is recorded',
  { uses: [everything] },
  async ({ approved, observe }) => {
    const approval = await approved(everything)
    const deviation = 'a method that the endpoint does not have'
    const posted = await approval.post('/accounts', {}, { deviation })
    observe('status of POST /accounts', posted.response?.status, posted)
    const deleted = await approval.delete('/accounts', { deviation })
    observe('status of DELETE /accounts', deleted.response?.status, deleted)
  },
)

/**
 * Records the status of GET /statements, /party, /offers, /beneficiaries,
 * /direct-debits, /products under the data address with a valid token.
 */
check(
  'DATA-07/recorded',
  'What the specification’s other endpoints give is recorded',
  { uses: [everything] },
  async ({ approved, observe }) => {
    const approval = await approved(everything)
    const deviation = 'an endpoint that the document does not list'
    for (const path of OTHER_ENDPOINTS) {
      const answer = await approval.get(path, { deviation })
      observe(`status of GET ${path}`, answer.response?.status, answer)
    }
  },
)

const OTHER_ENDPOINTS = [
  '/statements',
  '/party',
  '/offers',
  '/beneficiaries',
  '/direct-debits',
  '/products',
]

/** Each data endpoint with every kind of request, after the table has sent correct ones: each must be refused. */
async function expectRefusedEverywhere(approval: Approval, wrong: CallDeviation): Promise<void> {
  const [id = ''] = await requireAccountIds(approval)
  const single = ['', '/balances', '/transactions'] as const
  const paths = ['/accounts', '/balances', bulk, ...single.map((tail) => pathOf(id, tail))]
  for (const path of paths) {
    for (const way of waysToAsk(path)) {
      expect(await approval.get(path, { ...wrong, ...way })).toBeRefused()
    }
  }
}

/** The booked rows that are in both answers of one token. */
function steady(approval: Approval, one: Exchange, other: Exchange): Row[] {
  const owner = readOwner(approval, bulk)
  return dueIfAny(shared(bookedIn(one, owner), bookedIn(other, owner)))
}
