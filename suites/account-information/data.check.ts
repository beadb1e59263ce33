import { check } from '../../engine/suite-api/check.ts'
import type { Approval } from '../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../engine/suite-api/expect.ts'
import type { CallDeviation } from '../../engine/suite-api/flow.ts'
import { blockForData } from '../../engine/suite-api/outcomes.ts'
import {
  type Exchange,
  missingFrom,
  type Row,
  rowsOf,
  shared,
} from '../../engine/suite-api/responses.ts'
import { debitsInPeriod, everything } from '../consents.ts'
import { OWNERS } from '../owners.ts'
import { waysToAsk } from './common/absent-reads.ts'
import { keyAcrossConsents } from './common/completeness.ts'
import { pathOf, requireAccountIds } from './common/data-reads.ts'
import { readOwner } from './common/read-owners.ts'
import { bookedIn, bulk, relyOnSteadyRows } from './common/transaction-readings.ts'
import { unknownTokens } from './common/unknown-tokens.ts'

/** What concerns all data endpoints. Requirements: specs/account-information/data.yaml */

check(
  'DATA-03/without-authorization',
  'No data endpoint answers a request without an access token',
  { uses: [everything] },
  async ({ approved }) => {
    await expectRefusedEverywhere(await approved(everything), {
      bearer: null,
      deviation: 'no Authorization header',
    })
  },
)

/**
 * All six with a random bearer token, and with the good one after a character in its middle or its last
 * one was changed, or more was put before or behind it, its letters were put in the other case, and with
 * its ID token, refresh token and code: each refused. Same control.
 */
check(
  'DATA-03/unknown-token',
  'No data endpoint answers a request with an access token that the bank did not issue',
  { uses: [everything] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const { accessToken, idToken, refreshToken } = await approval.tokens()
    const others = [
      { bearer: idToken, deviation: 'an ID token for an access token' },
      { bearer: refreshToken, deviation: 'a refresh token for an access token' },
      { bearer: approval.visit.code, deviation: 'a code for an access token' },
    ].filter(({ bearer }) => bearer !== undefined && bearer !== accessToken)
    await expectRefusedEverywhere(approval, ...unknownTokens(accessToken), ...others)
  },
)

/**
 * Two approvals of one customer that differ in their data (the unlimited one and the one with a
 * period, or with Credits alone). GET /transactions with each alone; then both at the same time,
 * three pairs of requests; then each alone. Booked rows equal in both answers alone stand in each
 * concurrent answer of that token, and no row that only the other token has alone. Blocked where
 * the two don't differ.
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
    const others = missingFrom(seen, rowsOfWhole, keyAcrossConsents)
    if (others.length === 0) blockForData('a booked transaction outside the narrower consent')
    for (const [ofWhole, ofLimited] of pairs as [Exchange, Exchange][]) {
      bookedIn(ofWhole, readOwner(whole, bulk))
      bookedIn(ofLimited, readOwner(limited, bulk))
      const gone = [
        ...missingFrom(rowsOf(ofLimited), rowsOfLimited),
        ...missingFrom(rowsOf(ofWhole), rowsOfWhole),
      ]
      if (gone.length > 0) await relyOnSteadyRows(whole)
      expect(ofLimited).toHoldNoneOf(others, keyAcrossConsents)
      expect(ofLimited).toHoldRows(rowsOfLimited)
      expect(ofWhole).toHoldRows(rowsOfWhole)
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
 * Status of GET /statements, /party, /offers, /beneficiaries, /direct-debits, /products under the
 * data address with a good token.
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

/** Asks each data endpoint rightly, then with each deviation, which must be refused. */
async function expectRefusedEverywhere(
  approval: Approval,
  ...deviations: CallDeviation[]
): Promise<void> {
  const [id = ''] = await requireAccountIds(approval)
  const endpoints = [
    ['/accounts', OWNERS.accounts],
    [pathOf(id, ''), 'ACC-02/answers-200'],
    ['/balances', OWNERS.balances],
    [pathOf(id, '/balances'), 'BAL-02/answers-200'],
    [bulk, OWNERS.transactions],
    [pathOf(id, '/transactions'), 'TXN-02/answers-200'],
  ] as const
  for (const [path, owner] of endpoints) {
    relyOn(owner, await approval.get(path)).toSucceed()
    const [simplest, ...others] = deviations
    const every = waysToAsk(path).map((way) => ({ ...simplest, ...way }))
    for (const deviation of [...every, ...others]) {
      expect(await approval.get(path, deviation)).toBeRefused()
    }
  }
}

/** The booked rows of both answers of one token. */
function steady(approval: Approval, one: Exchange, other: Exchange): Row[] {
  const owner = readOwner(approval, bulk)
  return shared(bookedIn(one, owner), bookedIn(other, owner))
}
