import { check } from '../../../engine/suite-api/check.ts'
import { blockForData, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, refused } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { type Bounds, boundsFor, queryOf } from '../common/data/booking-times.ts'
import {
  between,
  bulk,
  expectNone,
  filterFinding,
  relyOnFilters,
  relyOnSteadyRows,
} from '../common/data/transaction-readings.ts'

/** Parallel requests for transactions. Requirements: specs/account-information/transactions.yaml */

const TWO_TIMES = 'two booked transactions at different times'

/** Three requests with each kind of filter in parallel, with one token: each answer fits its own request. */
check(
  'TXN-17/concurrent',
  'A request is filtered as it asks, also while one with another filter is served',
  { uses: [everything], follows: ['TXN-16/from-alone', 'TXN-17/to-alone'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    await relyOnFilters(approval, 'from', 'to')
    const { rows, read } = await between(approval, bulk, async (times) => {
      const both = [boundsFor('from', times), boundsFor('to', times)]
      const asked: { bounds: Bounds; answer: Exchange }[] = []
      const ask = async (bounds: Bounds = blockForData(TWO_TIMES)) => ({
        bounds,
        answer: await approval.get(bulk, { query: queryOf(bounds) }),
      })
      for (let turn = 0; turn < 3; turn += 1) {
        asked.push(...(await Promise.all(both.map((bounds) => ask(bounds)))))
      }
      return asked
    })
    for (const { bounds, answer } of read) {
      if (refused(answer))
        throw new NotApplicable('the bank serves one request for each token at a time')
      const { outside, missing } = filterFinding({ bounds, answer, rows })
      if (missing) await relyOnSteadyRows(approval)
      const finding = outside ?? missing
      expectNone(finding && { ...finding, exchange: answer })
    }
  },
)
