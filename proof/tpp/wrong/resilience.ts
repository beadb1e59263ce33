import type { WrongTpp } from '../tpp-proof.ts'

const wrong: WrongTpp[] = [
  {
    id: 'retry-after-unread',
    story: 'A 429 is tried again at once.',
    warns: [
      'TRES-01/customer-away',
      'TRES-01/retry-after',
      'TRES-01/retry-after-503',
      'TRES-01/retry-after-date',
    ],
    because: 'It is not read at any answer.',
    conduct: { waitBeforeRetry: (_stated, attempt) => (attempt > 2 ? undefined : 0.01) },
  },
  {
    id: 'retry-after-of-a-limit-alone',
    story: 'Retry-After belongs to 429; what is unavailable is tried again at once.',
    warns: ['TRES-01/retry-after-503'],
    conduct: {
      waitBeforeRetry: (stated, attempt, status) =>
        attempt > 2 ? undefined : status === 503 ? 0.01 : (stated ?? 0.05),
    },
  },
  {
    id: 'refreshes-again-and-again',
    story:
      'Whatever meets 401 is tried again with a new access token, and there is always a new one.',
    warns: ['TRES-05/refused-again'],
    conduct: { refreshesAtMost: 12 },
  },
  {
    id: 'hammers-a-busy-bank',
    story: 'A 429 or 503 is tried again until it works, or thirty times.',
    warns: ['TRES-01/no-retry-after', 'TRES-02/unavailable'],
    conduct: {
      waitBeforeRetry: (stated, attempt) => (attempt > 30 ? undefined : (stated ?? 0.001)),
    },
  },
  {
    id: 'hammers-past-the-cache',
    story: 'The same, each time with another number in the query, so that no cache answers.',
    warns: ['TRES-01/no-retry-after', 'TRES-02/unavailable'],
    conduct: {
      waitBeforeRetry: (stated, attempt) => (attempt > 30 ? undefined : (stated ?? 0.001)),
      dataPath: (path, _token, attempt) => `${path}${path.includes('?') ? '&' : '?'}_=${attempt}`,
    },
  },
  {
    id: 'hammers-closed-connections',
    story: 'A closed connection is opened again, thirty times.',
    warns: ['TRES-02/closed'],
    conduct: { retryAfterClosed: (attempt) => attempt < 30 },
  },
  {
    id: 'busy-bank-is-no-matter',
    story: 'What cannot be read at the moment is shown as empty.',
    warns: ['TRES-01/no-retry-after', 'TRES-02/unavailable'],
    conduct: { claimsSuccess: (reason) => /^\/\S+ was refused: (429|503) /.test(reason) },
  },
  {
    id: 'busy-address-left-out',
    story: 'What has to wait is left out, and the page shows the rest.',
    warns: ['TRES-01/retry-after', 'TRES-01/retry-after-date'],
    conduct: { skipsWhatIsBusy: true },
  },
  {
    id: 'what-is-no-json-is-nothing',
    story: 'A parser that fails is logged, and there is nothing to show.',
    warns: ['TRES-04/cut'],
    conduct: { claimsSuccess: (reason) => reason === 'no JSON came' },
  },
  {
    id: 'what-has-no-data-is-nothing',
    story: 'The list is what stands in Data, or empty.',
    warns: ['TRES-04/no-data', 'TRES-04/page'],
    conduct: { claimsSuccess: (reason) => reason === 'the answer cannot be read: no Data' },
  },
  {
    id: 'not-three-seconds-of-patience',
    story: 'The pages of the app wait for anything, but not for three seconds.',
    warns: ['TRES-03/slow'],
    conduct: { patienceMs: 2900 },
  },
  {
    id: 'retry-after-is-a-number',
    story: 'Retry-After is read by a function for numbers.',
    warns: ['TRES-01/retry-after-date'],
    conduct: { readsRetryDates: false },
  },
  {
    id: 'never-gives-up',
    story: 'Every loop ends with success alone.',
    warns: [
      'TCON-13/funds-unavailable',
      'TCON-13/unavailable',
      'TPRD-02/internal-error',
      'TPRD-02/unavailable',
      'TREG-08/unavailable',
      'TRES-01/no-retry-after',
      'TRES-02/closed',
      'TRES-02/token-unavailable',
      'TRES-02/unavailable',
    ],
    because: 'It asks without end for whatever is not there.',
    conduct: {
      waitBeforeRetry: (stated) => stated ?? 0.001,
      retryAfterClosed: () => true,
      repeatsUnavailable: Number.POSITIVE_INFINITY,
      repeatsTheRest: Number.POSITIVE_INFINITY,
      endedAfter: 300,
    },
  },
]

export default wrong
