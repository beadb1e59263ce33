import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'
import type { Whose } from '../../engine/report/report.ts'
import type { Situation } from './situation.ts'

/** A gateway in front of a correct bank that answers in its place. */

const PAGE = (words: string) => `<!doctype html><title>${words}</title><h1>${words}</h1>`

/** Gives this answer to every request with these paths. */
function answering(id: string, paths: RegExp, status: number, words: string): Alteration {
  return {
    id,
    story: words,
    async middleware(ctx, next) {
      if (!paths.test(ctx.path)) return next()
      ctx.status = status
      ctx.type = 'text/html'
      if (status === 503) ctx.set('retry-after', '120')
      ctx.body = PAGE(words)
      stateOf(ctx).fired()
    },
  }
}

const EVERYWHERE = /^/
const DATA = /\/(accounts|balances|transactions)/
const CONSENTS = /consents/
const TOKEN = /\/oauth\/token$/
const DISCOVERY = /\.well-known/
const PRODUCTS = /consumer-credit-cards/

const ANSWERS: readonly [
  string,
  RegExp,
  number,
  string,
  readonly number[],
  readonly Whose[],
  RegExp,
][] = [
  ['502-everywhere', EVERYWHERE, 502, 'Bad Gateway', [3], ['gateway'], /502/],
  ['504-everywhere', EVERYWHERE, 504, 'Gateway Timeout', [3], ['gateway'], /504/],
  [
    '503-everywhere',
    EVERYWHERE,
    503,
    'Service Unavailable',
    [3],
    ['bank', 'gateway'],
    /503.*Retry-After: 120/s,
  ],
  ['502-at-data', DATA, 502, 'Bad Gateway', [4, 1], ['gateway'], /502/],
  ['504-at-data', DATA, 504, 'Gateway Timeout', [4, 1], ['gateway'], /504/],
  ['502-at-consents', CONSENTS, 502, 'Bad Gateway', [3, 4], ['gateway'], /502/],
  ['502-at-the-token-endpoint', TOKEN, 502, 'Bad Gateway', [3, 4], ['gateway'], /502/],
  ['502-at-discovery', DISCOVERY, 502, 'Bad Gateway', [3, 4], ['gateway'], /502/],
  ['502-at-products', PRODUCTS, 502, 'Bad Gateway', [1, 4], ['gateway'], /502/],
  [
    'firewall-at-data',
    DATA,
    403,
    'Request Rejected. Your support ID is 4711',
    [1],
    ['bank'],
    /support ID/,
  ],
  [
    'firewall-at-consents',
    CONSENTS,
    403,
    'Request Rejected. Your support ID is 4711',
    [1, 3],
    ['bank'],
    /support ID/,
  ],
  [
    'maintenance-page-everywhere',
    EVERYWHERE,
    200,
    'We will be back soon',
    [1, 3],
    ['bank', 'configuration'],
    /back soon|web server/,
  ],
  [
    'maintenance-page-at-data',
    DATA,
    200,
    'We will be back soon',
    [1],
    ['bank'],
    /back soon|JSON|HTML/,
  ],
]

/** The alterations of the bank for these situations. */
export const GATEWAY_ALTERATIONS: ReadonlyMap<string, Alteration> = new Map(
  ANSWERS.map(([id, paths, status, words]) => [id, answering(id, paths, status, words)]),
)

export const GATEWAYS: readonly Situation[] = ANSWERS.map(
  ([id, , status, said, exit, whose, words]) => ({
    id,
    kind: 'gateway',
    story: `A gateway answers ${status}, “${said}”.`,
    expects: { exit, whose, words },
  }),
)
