import type { WrongTpp } from '../tpp-proof.ts'

const wrong: WrongTpp[] = [
  {
    id: 'retry-after-unread',
    story: 'The client ignores Retry-After and repeats the request at once.',
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
    story: 'The client ignores the Retry-After of a 503.',
    warns: ['TRES-01/retry-after-503'],
    conduct: {
      waitBeforeRetry: (stated, attempt, status) =>
        attempt > 2 ? undefined : status === 503 ? 0.01 : (stated ?? 0.05),
    },
  },
  {
    id: 'refreshes-again-and-again',
    story:
      'After a 401, the client refreshes its token and repeats the request up to twelve times.',
    warns: ['TRES-05/refused-again'],
    conduct: { refreshesAtMost: 12 },
  },
  {
    id: 'hammers-a-busy-bank',
    story: 'The client repeats a request with 429 or 503 up to thirty times without a pause.',
    warns: ['TRES-01/no-retry-after', 'TRES-02/unavailable'],
    conduct: {
      waitBeforeRetry: (stated, attempt) => (attempt > 30 ? undefined : (stated ?? 0.001)),
    },
  },
  {
    id: 'hammers-past-the-cache',
    story:
      'The client repeats a request with 429 or 503 up to thirty times without a pause, each time with another query.',
    warns: ['TRES-01/no-retry-after', 'TRES-02/unavailable'],
    conduct: {
      waitBeforeRetry: (stated, attempt) => (attempt > 30 ? undefined : (stated ?? 0.001)),
      dataPath: (path, _token, attempt) => `${path}${path.includes('?') ? '&' : '?'}_=${attempt}`,
    },
  },
  {
    id: 'hammers-closed-connections',
    story: 'If the connection is closed, the client repeats the request thirty times.',
    warns: ['TRES-02/closed'],
    conduct: { retryAfterClosed: (attempt) => attempt < 30 },
  },
  {
    id: 'busy-bank-is-no-matter',
    story: 'The client shows an empty list if a request gets 429 or 503.',
    warns: ['TRES-01/no-retry-after', 'TRES-02/unavailable'],
    conduct: { claimsSuccess: (reason) => /^\/\S+ was refused: (429|503) /.test(reason) },
  },
  {
    id: 'busy-address-left-out',
    story: 'The client skips a request that must wait and reports success.',
    warns: ['TRES-01/retry-after', 'TRES-01/retry-after-date'],
    conduct: { skipsWhatIsBusy: true },
  },
  {
    id: 'what-is-no-json-is-nothing',
    story: 'The client reports success if a response is not valid JSON.',
    warns: ['TRES-04/cut'],
    conduct: { claimsSuccess: (reason) => reason === 'no JSON came' },
  },
  {
    id: 'what-has-no-data-is-nothing',
    story: 'The client treats a response without Data as an empty list.',
    warns: ['TRES-04/no-data', 'TRES-04/page'],
    conduct: { claimsSuccess: (reason) => reason === 'the answer cannot be read: no Data' },
  },
  {
    id: 'not-three-seconds-of-patience',
    story: 'The client stops waiting for a response before three seconds.',
    warns: ['TRES-03/slow'],
    conduct: { patienceMs: 2900 },
  },
  {
    id: 'retry-after-is-a-number',
    story: 'The client cannot read a Retry-After that is a date.',
    warns: ['TRES-01/retry-after-date'],
    conduct: { readsRetryDates: false },
  },
  {
    id: 'never-gives-up',
    story: 'The client repeats failed requests without end.',
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
