/** A bank that is busy, slow or unavailable. Requirements: specs/tpp/resilience.yaml */
import { type ScenarioRun, scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import { type Exchange, header } from '../../engine/suite-api/responses.ts'
import {
  after,
  attempted,
  dataIn,
  givesUpAndSaysSo,
  lastSaid,
  neverGivesUp,
  requireAltered,
  requireRefusal,
  survives,
} from './common/expect.ts'
import { endOf, isSentAfter, seenOf } from './common/messages.ts'

/** Accounts, balances or transactions: lists and single addresses have the same kind of data. */
function kindOf({ endpoint }: Exchange): string {
  return ['transactions', 'balances'].find((kind) => endpoint.endsWith(kind)) ?? 'accounts'
}

/** Milliseconds by which clocks may differ. */
const TOLERANCE = 100

/** When the bank may be asked again, in milliseconds since 1970. Retry-After has seconds or a date. */
function dueAfter(refused: Exchange): number {
  const stated = header(refused, 'retry-after') ?? ''
  return /^\d+$/.test(stated) ? endOf(refused) + Number(stated) * 1000 : Date.parse(stated)
}

/** Not applicable where a customer uses the client whenever it reads. */
function requireAbsence({ altered, exchanges }: ScenarioRun): void {
  const later = exchanges.filter((each) => seenOf(each).goal === 'read')
  if (altered.length > 0 || later.length === 0 || later.some((each) => !seenOf(each).present))
    return
  throw new NotApplicable('a customer is there whenever the client reads')
}

for (const [id, alteration, steps, title] of [
  [
    'TRES-01/retry-after',
    'too-many-requests-for-two-seconds',
    ['connect'],
    'the rate limit is reached: 429 with Retry-After of two seconds',
  ],
  [
    'TRES-01/retry-after-503',
    'unavailable-for-two-seconds',
    ['connect'],
    'the bank is unavailable: 503 with Retry-After of two seconds',
  ],
  [
    'TRES-01/retry-after-date',
    'too-many-requests-until-a-moment',
    ['connect'],
    'the rate limit is reached: 429 with a Retry-After that is a date',
  ],
  [
    'TRES-01/customer-away',
    'too-many-requests-while-away',
    ['connect', 'read'],
    'the rate limit is reached while the customer is absent: 429 with Retry-After of a second',
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It waits that long before it asks again, or asks no more.',
    alteration,
    steps: [...steps],
    judge(run) {
      if (alteration === 'too-many-requests-while-away') requireAbsence(run)
      const altered = requireAltered(run, 'reads data')
      // Other requests may already have been on their way, the same one too.
      const again = after(run, altered).find(
        (each) => attempted(each) === attempted(altered) && isSentAfter(each, altered),
      )
      const early = again && dueAfter(altered) - Date.parse(again.startedAt)
      if (early !== undefined && early > TOLERANCE) {
        throw new Nonconformance({
          message: 'the client does not wait as long as Retry-After says',
          expected: `the same request after Retry-After: ${header(altered, 'retry-after')}`,
          actual: `${(early / 1000).toFixed(1)} s too early`,
          exchange: again,
        })
      }
      const { goal } = lastSaid(run)
      const got = dataIn(run.exchanges).filter((each) => seenOf(each).goal === goal)
      // While the customer is away the client may show older data; after the first connection it has none.
      const wanted =
        goal === 'connect' ? got.filter((each) => kindOf(each) === kindOf(altered)) : got
      const what = `an answer of ${altered.response?.status}`
      if (wanted.length === 0) requireRefusal(run, what, altered)
    },
  })
}

for (const [id, alteration, title, what] of [
  [
    'TRES-01/no-retry-after',
    'too-many-requests',
    'the rate limit is reached and stays so: 429 without Retry-After',
    'a rate limit',
  ],
  [
    'TRES-02/unavailable',
    'data-unavailable',
    'the bank answers every request for data with 503',
    'answers of 503',
  ],
  [
    'TRES-02/closed',
    'data-connections-closed',
    'the bank closes every connection on which data is asked for',
    'closed connections',
  ],
  [
    'TRES-05/refused-again',
    'data-refused',
    'the bank answers every request for data with 401, even with the tokens from a refresh',
    'answers of 401',
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It gives up after some attempts, and says so.',
    alteration,
    ...neverGivesUp,
    judge: (run) => givesUpAndSaysSo(run, 'reads data', what),
  })
}

scenario({
  id: 'TRES-02/token-unavailable',
  title: 'the token endpoint answers every request with 503',
  right: 'It signs an assertion for each attempt, gives up after some, and says so.',
  alteration: 'token-endpoint-unavailable',
  ...neverGivesUp,
  judge: (run) => givesUpAndSaysSo(run, 'asks for a token', 'answers of 503'),
})

scenario({
  id: 'TRES-03/slow',
  title: 'the first answer with data takes three seconds',
  right: 'It waits.',
  alteration: 'slow-data',
  judge: (run) => survives(run),
})

for (const [id, alteration, title, what] of [
  [
    'TRES-04/page',
    'a-page-instead-of-data',
    'requests for data are answered with 200 and a page of the portal',
    'a page instead of data',
  ],
  [
    'TRES-04/cut',
    'data-cut-short',
    'answers with data end in the middle of their JSON',
    'JSON that ends too early',
  ],
  [
    'TRES-04/no-data',
    'answers-without-data',
    'requests for data are answered with 200 and an object without Data',
    'an answer without Data',
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It says that it did not get the data.',
    alteration,
    judge: (run) => requireRefusal(run, what, requireAltered(run, 'reads data')),
  })
}
