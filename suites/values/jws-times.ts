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

/** RFC 7519 4.1.5 and 4.1.6: NumericDate, the start of validity and the age of a JWT. */

export const HOUR_IN_SECONDS = 3600
export const DAY_IN_SECONDS = 24 * HOUR_IN_SECONDS

export const SECTION_9 = '“JWT signed by the TPP, per OpenID Connect Core section 9”'
export const NON_INTEGER =
  'RFC 7519 2: a NumericDate is a JSON numeric value; “non-integer values can be represented”.'

/** A claim with a time, and a value in its place. */
type Time = [id: string, words: string, make: (right: Jws) => unknown]

export const times = (claim: string, ground: Grounds, rows: Time[], lawful?: true): JwsRow[] =>
  rows.flatMap(([id, words, make]) =>
    split(ground, {
      id: `${claim}-${id}`,
      words,
      ...(lawful && { lawful }),
      make: (right) => ({ claims: { [claim]: make(right) } }),
    }),
  )

const NOT_BEFORE = grounds(
  'should',
  'RFC 7519 4.1.5: nbf is “the time before which the JWT MUST NOT be accepted for processing”.',
  ...OF_THE_TPP,
  'id-token',
)

const FAPI_NBF =
  'FAPI 1.0 Advanced 5.2.2 (13, 17): nbf no longer than 60 minutes ago, exp no longer than 60 minutes after it. The document does not name it.'

const nbf: JwsRow[] = [
  ...split(NOT_BEFORE, {
    id: 'nbf-in-an-hour',
    words: 'that is good from an hour ahead',
    make: ({ now }) => ({
      claims: { nbf: now + HOUR_IN_SECONDS, exp: now + HOUR_IN_SECONDS + 300 },
    }),
  }),
  ...split(NOT_BEFORE, {
    id: 'nbf-tomorrow',
    words: 'that is good from tomorrow',
    make: ({ now }) => ({ claims: { nbf: now + DAY_IN_SECONDS, exp: now + DAY_IN_SECONDS + 300 } }),
  }),
  ...times('nbf', open('RFC 7519 4.1.5: “Its value MUST be a number”; nobody asks for nbf.'), [
    ['string', 'whose nbf is a string', ({ now }) => `${now - 120}`],
    ['null', 'whose nbf is null', () => null],
  ]),
  ...times('nbf', open(FAPI_NBF, 'request-object'), [
    ['missing', 'without nbf', () => undefined],
    ['two-hours-ago', 'that is good since two hours', ({ now }) => now - 2 * HOUR_IN_SECONDS],
  ]),
  ...split(open(FAPI_NBF, 'request-object'), {
    id: 'exp-two-hours-after-nbf',
    words: 'that is good for two hours',
    make: ({ now }) => ({ claims: { nbf: now - 120, exp: now + 2 * HOUR_IN_SECONDS } }),
  }),
  ...times(
    'nbf',
    grounds(
      'should',
      'RFC 7519 4.1.5: nbf is OPTIONAL.',
      'client-assertion',
      'registration',
      'id-token',
    ),
    [['past', 'that is good since two minutes', ({ now }) => now - 120]],
    true,
  ),
]

const issued = ({ claims, now }: Jws) => (typeof claims.iat === 'number' ? claims.iat : now - 60)

const IAT_OPEN = 'RFC 7519 4.1.6: iat tells the age of a JWT; what follows from it is not said.'

const iat: JwsRow[] = [
  ...times('iat', open(IAT_OPEN), [
    ['in-an-hour', 'that was issued an hour ahead', ({ now }) => now + HOUR_IN_SECONDS],
    ['a-day-ago', 'that was issued a day ago', ({ now }) => now - DAY_IN_SECONDS],
    ['string', 'whose iat is a string', ({ now }) => `${now - 60}`],
    ['milliseconds', 'whose iat is in milliseconds', ({ now }) => (now - 60) * 1000],
  ]),
  ...times(
    'iat',
    { 'id-token': { level: 'should', because: 'OpenID Connect Core 2: “iat REQUIRED”.' } },
    [['missing', 'without iat', () => undefined]],
  ),
  ...times(
    'iat',
    grounds('should', `${SECTION_9}: “iat OPTIONAL”.`, 'client-assertion'),
    [['left-out', 'without iat, which is optional', () => undefined]],
    true,
  ),
  ...times(
    'iat',
    open(
      'Which claims they need is open; RFC 7519 4.1.6: iat is OPTIONAL.',
      'request-object',
      'registration',
    ),
    [['left-out-elsewhere', 'without iat, which nobody asks for', () => undefined]],
    true,
  ),
  ...times(
    'iat',
    grounds('should', NON_INTEGER, ...OF_THE_TPP, 'id-token'),
    [['fraction', 'whose iat has a fraction', (right) => issued(right) - 0.5]],
    true,
  ),
  ...times(
    'iat',
    open('RFC 7519 4.1.4 and 4.1.5 allow for clock skew, 4.1.6 does not speak of it.'),
    [['some-seconds-ahead', 'that was issued five seconds ahead', ({ now }) => now + 5]],
    true,
  ),
]

export const timeParts: JwsPart[] = [
  { part: 'nbf (RFC 7519 4.1.5)', rows: nbf },
  { part: 'iat (RFC 7519 4.1.6)', rows: iat },
]
