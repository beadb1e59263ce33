/** A bank that is busy, slow or gone. Requirements: specs/tpp/resilience.yaml */
import { scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance } from '../../engine/suite-api/outcomes.ts'
import type { Exchange } from '../../engine/suite-api/responses.ts'
import {
  after,
  dataIn,
  givesUp,
  requireAltered,
  requireRefusal,
  survives,
} from './common/expect.ts'

const endOf = ({ startedAt, durationMs }: Exchange) => Date.parse(startedAt) + durationMs

const pathOf = ({ request }: Exchange) => new URL(request.url).pathname

/** Milliseconds by which a clock may be read too early. */
const TOLERANCE = 100

scenario({
  id: 'TRES-01/retry-after',
  title: 'the rate limit is reached: 429 with Retry-After of two seconds',
  right: 'It waits that long before it asks again, or asks no more.',
  alteration: 'too-many-requests-for-two-seconds',
  judge(run) {
    const altered = requireAltered(run, 'reads data')
    // What is asked for elsewhere may have been on its way.
    const again = after(run, altered).find((each) => pathOf(each) === pathOf(altered))
    const waited = again && Date.parse(again.startedAt) - endOf(altered)
    if (waited !== undefined && waited < 2000 - TOLERANCE) {
      throw new Nonconformance({
        message: 'the client does not wait as long as Retry-After says',
        expected: 'the same request no sooner than after 2 s',
        actual: `after ${(waited / 1000).toFixed(1)} s`,
        exchange: again,
      })
    }
    if (dataIn(run.exchanges).length === 0) requireRefusal(run, 'a rate limit', altered)
  },
})

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
] as const) {
  scenario({
    id,
    title,
    right: 'It gives up after some attempts, and says so.',
    alteration,
    judge(run) {
      const altered = requireAltered(run, 'reads data')
      givesUp(run.altered)
      requireRefusal(run, what, altered)
    },
  })
}

scenario({
  id: 'TRES-03/slow',
  title: 'the first answer with data takes three seconds',
  right: 'It waits.',
  alteration: 'slow-data',
  judge: (run) => survives(run),
})
