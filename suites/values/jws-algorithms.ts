import type { Secret } from '../../engine/suite-api/jwt.ts'
import {
  fixed,
  type JwsPart,
  type JwsRow,
  malformed,
  OTHER_ALGORITHM,
  split,
  UNSIGNED,
} from './jws-rows.ts'

/** RFC 7515 4.1.1: the algorithm in the header, and the one of the signature. */

const CONFUSION = 'taken for a shared secret'

/** Publicly known HMAC keys. */
const SECRETS: [id: string, words: string, secret: Secret][] = [
  ['pem', `the public key in PEM ${CONFUSION}`, 'pem'],
  ['pem-trimmed', `the public key in PEM without its last line break ${CONFUSION}`, 'pem-trimmed'],
  ['pkcs1', `the public key in PEM of PKCS #1 ${CONFUSION}`, 'pkcs1'],
  ['der', `the public key in DER ${CONFUSION}`, 'der'],
  ['jwk', `the public key as a JWK ${CONFUSION}`, 'jwk'],
  ['empty', 'an empty secret', { text: '' }],
  ['guessed', 'the secret “secret”', { text: 'secret' }],
]

/** The three hash lengths of each family, without PS256. */
const SAME_KEY = ['PS384', 'PS512', 'RS256', 'RS384', 'RS512']
const OTHER_KEY = ['ES256', 'ES384', 'ES512', 'EdDSA']

const CASE_SENSITIVE = 'RFC 7515 4.1.1: the alg value is a case-sensitive string.'
const PRESENT = 'RFC 7515 4.1.1: alg “MUST be present and MUST be understood and processed”.'

const algorithms: JwsRow[] = [
  ...SAME_KEY.flatMap((alg) =>
    split(OTHER_ALGORITHM, {
      id: `alg-${alg.toLowerCase()}`,
      words: `signed with ${alg}`,
      make: fixed({ alg }),
    }),
  ),
  ...OTHER_KEY.flatMap((alg) =>
    split(UNSIGNED, {
      id: `alg-${alg.toLowerCase()}`,
      words: `signed with ${alg} by a key that nobody registered`,
      make: fixed({ alg }),
    }),
  ),
  ...['HS256', 'HS384', 'HS512'].flatMap((alg) =>
    SECRETS.filter(([id]) => alg === 'HS256' || id === 'pem').flatMap(([id, words, secret]) =>
      split(UNSIGNED, {
        id: `alg-${alg.toLowerCase()}-${id}`,
        words: `in ${alg} with ${words}`,
        make: fixed({ alg, secret }),
      }),
    ),
  ),
  ...['none', 'None', 'NONE', 'nOnE'].flatMap((alg, index) =>
    split(UNSIGNED, {
      id: index === 0 ? 'alg-none' : `alg-none-other-case-${index}`,
      words: `with alg ${alg} and without a signature`,
      make: fixed({ alg }),
    }),
  ),
  ...split(OTHER_ALGORITHM, {
    id: 'alg-none-with-signature',
    words: 'with alg none before a signature in PS256',
    make: fixed({ header: { alg: 'none' } }),
  }),
  ...split(OTHER_ALGORITHM, {
    id: 'alg-says-ps256-is-rs256',
    words: 'with alg PS256 before a signature in RS256',
    make: fixed({ alg: 'RS256', header: { alg: 'PS256' } }),
  }),
  ...split(OTHER_ALGORITHM, {
    id: 'alg-says-ps256-is-ps512',
    words: 'with alg PS256 before a signature in PS512',
    make: fixed({ alg: 'PS512', header: { alg: 'PS256' } }),
  }),
  ...split(OTHER_ALGORITHM, {
    id: 'alg-says-rs256-is-ps256',
    words: 'with alg RS256 before a signature in PS256',
    make: fixed({ header: { alg: 'RS256' } }),
  }),
  ...split(malformed(PRESENT), {
    id: 'alg-missing',
    words: 'without alg in its header',
    make: fixed({ header: { alg: undefined } }),
  }),
  ...(
    [
      ['lower-case', 'ps256', CASE_SENSITIVE],
      ['mixed-case', 'Ps256', CASE_SENSITIVE],
      ['space', 'PS256 ', CASE_SENSITIVE],
      ['empty', '', PRESENT],
      ['null', null, PRESENT],
      ['number', 256, PRESENT],
      ['array', ['PS256'], PRESENT],
    ] as const
  ).flatMap(([id, alg, because]) =>
    split(malformed(because), {
      id: `alg-${id}`,
      words: `signed with PS256, with ${JSON.stringify(alg)} as alg`,
      make: fixed({ header: { alg } }),
    }),
  ),
]

export const algorithmParts: JwsPart[] = [
  { part: 'alg (RFC 7515 4.1.1; RFC 8725 2.1, 3.1, 3.2; FAPI 1.0 Advanced 8.6)', rows: algorithms },
]
