import type { JwtDeviation } from '../../engine/suite-api/jwt.ts'
import {
  type Grounds,
  grounds,
  type Jws,
  type JwsPart,
  type JwsRow,
  OF_THE_TPP,
  open,
  split,
} from './jws-rows.ts'
import { DAY_IN_SECONDS, HOUR_IN_SECONDS, NON_INTEGER, SECTION_9, times } from './jws-times.ts'

/** RFC 7519 4.1.4: how long a JWT is valid. Clocks may differ by some minutes. */

const NOT_AFTER =
  '“on or after which the JWT MUST NOT be accepted for processing” (RFC 7519 4.1.4 alike).'
const NUMBER = 'RFC 7519 4.1.4: “Its value MUST be a number containing a NumericDate value.”'

const EXPIRED: Grounds = {
  'client-assertion': { level: 'must', because: `${SECTION_9}, exp: ${NOT_AFTER}` },
  ...grounds(
    'should',
    'RFC 7519 4.1.4: the expiration time “on or after which the JWT MUST NOT be accepted for processing”.',
    'request-object',
    'registration',
  ),
  'id-token': {
    level: 'should',
    because:
      'OpenID Connect Core 3.1.3.7 (9): “The current time MUST be before the time represented by the exp Claim.”',
  },
}

const NO_EXPIRY: Grounds = {
  'client-assertion': { level: 'should', because: `${SECTION_9}: “exp REQUIRED”.` },
  'id-token': { level: 'should', because: 'OpenID Connect Core 2: “exp REQUIRED”.' },
  ...open(
    'Which claims a request object or a registration needs is open; FAPI 1.0 Advanced 5.2.2 (13) asks for exp.',
    'request-object',
    'registration',
  ),
}

const NO_NUMBER: Grounds = {
  ...grounds('should', NUMBER, 'client-assertion', 'id-token'),
  ...open(NUMBER, 'request-object', 'registration'),
}

/** A number in a form that JSON allows and JSON.stringify does not write. */
function literal(claim: string, number: string): JwtDeviation {
  const mark = `the number of ${claim}`
  return {
    claims: { [claim]: mark },
    written: { payload: (json) => json.replace(JSON.stringify(mark), number) },
  }
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const later = ({ claims, now }: Jws) => (typeof claims.exp === 'number' ? claims.exp : now + 300)

const FAR = 'RFC 7523 3 (4): a server may reject a JWT whose exp is unreasonably far in the future.'
const exp: JwsRow[] = [
  ...split(EXPIRED, {
    id: 'exp-an-hour-ago',
    words: 'that expired an hour ago',
    make: ({ claims, now }) => ({
      claims: {
        ...(claims.iat !== undefined && { iat: now - HOUR_IN_SECONDS - 120 }),
        ...(claims.nbf !== undefined && { nbf: now - HOUR_IN_SECONDS - 120 }),
        exp: now - HOUR_IN_SECONDS,
      },
    }),
  }),
  ...times('exp', EXPIRED, [
    ['before-iat', 'that expired an hour ago, before its iat', ({ now }) => now - HOUR_IN_SECONDS],
    ['a-day-ago', 'that expired a day ago', ({ now }) => now - DAY_IN_SECONDS],
    [
      'past-fraction',
      'that expired a fraction of a second over an hour ago',
      ({ now }) => now - HOUR_IN_SECONDS - 0.5,
    ],
    ['zero', 'whose exp is 0', () => 0],
    ['negative', 'whose exp is a negative number', ({ now }) => -(now + HOUR_IN_SECONDS)],
  ]),
  ...split(EXPIRED, {
    id: 'exp-past-with-exponent',
    words: 'that expired a day ago, written with an exponent',
    make: ({ now }) => literal('exp', `${now - DAY_IN_SECONDS}e0`),
  }),
  ...times('exp', NO_NUMBER, [
    ['string', 'whose exp is a string of the right number', (right) => `${later(right)}`],
    [
      'string-past',
      'whose exp is a string of a number that has passed',
      ({ now }) => `${now - HOUR_IN_SECONDS}`,
    ],
    ['date', 'whose exp is a date of RFC 3339', (right) => iso(later(right))],
    ['words', 'whose exp is a word', () => 'never'],
    ['true', 'whose exp is true', () => true],
    ['array', 'whose exp is an array of the right number', (right) => [later(right)]],
  ]),
  ...times('exp', NO_EXPIRY, [
    ['missing', 'without exp', () => undefined],
    ['null', 'whose exp is null', () => null],
    ['empty', 'whose exp is empty', () => ''],
  ]),
  ...times('exp', open(FAR), [
    ['milliseconds', 'whose exp is in milliseconds', (right) => later(right) * 1000],
    [
      'milliseconds-past',
      'whose exp is in milliseconds and has passed',
      ({ now }) => (now - HOUR_IN_SECONDS) * 1000,
    ],
    ['a-year', 'that is good for a year', ({ now }) => now + 365 * DAY_IN_SECONDS],
  ]),
  ...split(open(FAR), {
    id: 'exp-overflow',
    words: 'whose exp is 1e400',
    make: () => literal('exp', '1e400'),
  }),
  ...times(
    'exp',
    grounds('should', NON_INTEGER, ...OF_THE_TPP, 'id-token'),
    [['fraction', 'whose exp has a fraction', (right) => later(right) - 0.25]],
    true,
  ),
  ...split(open('RFC 8259 6: a number may have an exponent; whether it is read is recorded.'), {
    id: 'exp-with-exponent',
    words: 'whose exp is written with an exponent',
    lawful: true,
    make: (right) => literal('exp', `${later(right)}e0`),
  }),
]

export const expiryParts: JwsPart[] = [{ part: 'exp (RFC 7519 4.1.4)', rows: exp }]
