import { createHash, createHmac } from 'node:crypto'
import type { CallDeviation } from '../../engine/suite-api/flow.ts'
import { encodedPart, headerOf } from '../../engine/suite-api/jwt.ts'
import type { Value, ValueType } from './value-type.ts'

/** Credentials of a client. For a request, one access token is the correct one. */
export interface Credentials {
  /** The correct access token. */
  token: string
  idToken?: string
  refreshToken?: string
  code?: string
  /** A client assertion that was accepted before. */
  assertion?: string
  clientId?: string
  registrationToken?: string
  consentId?: string
  statement?: string
}

type Row = Value<Credentials, CallDeviation>

const MISSING =
  '“Authorization header missing or invalid”; “Every request carries Authorization: Bearer <ACCESS_TOKEN>”'
const OTHER = `${MISSING}; RFC 6750 section 3.1, invalid_token`

const header = (value: string): CallDeviation => ({
  bearer: null,
  headers: { Authorization: value },
})

const spelled = (id: string, words: string, spell: (token: string) => string): Row => ({
  id,
  words,
  level: 'must',
  because: `${MISSING}; RFC 6750 section 2.1: credentials = "Bearer" 1*SP b64token`,
  make: ({ token }) => header(spell(token)),
})

/** Another text under the correct scheme; undefined where it equals the correct one, or does not exist. */
const instead = (
  id: string,
  words: string,
  other: (right: Credentials) => string | undefined,
): Row => ({
  id,
  words,
  level: 'must',
  because: OTHER,
  make(right) {
    const bearer = other(right)
    return bearer === undefined || bearer === '' || bearer === right.token ? undefined : { bearer }
  },
})

/** The correct token in places that the documents do not name. RFC 6750 allows a server to accept it there. */
const elsewhere = (
  id: string,
  words: string,
  send: (right: Credentials) => CallDeviation | undefined,
): Row => ({
  id,
  words,
  level: 'should',
  because:
    '“The Authorization header carries the access token”; RFC 6750 section 2.3: the query is for clients that cannot set the header',
  make(right) {
    const sent = send(right)
    return sent && { bearer: null, ...sent }
  },
})

export const bearerCredential: ValueType<Credentials, CallDeviation> = {
  name: 'bearer credential',
  grammar:
    'RFC 6750 section 2.1 (credentials = "Bearer" 1*SP b64token; b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="), sections 2.2 and 2.3, RFC 9110 section 11.4',
  parts: [
    {
      part: 'the header field Authorization',
      rows: [
        {
          id: 'no-header',
          words: 'that is missing: no Authorization header',
          level: 'must',
          because: MISSING,
          make: () => ({ bearer: null }),
        },
        {
          id: 'empty-header',
          words: 'that is empty: an Authorization header without a value',
          level: 'must',
          because: MISSING,
          make: () => header(''),
        },
      ],
    },
    {
      part: 'auth-scheme',
      rows: [
        spelled('basic', 'under the scheme Basic', (token) => `Basic ${token}`),
        spelled(
          'basic-encoded',
          'as user name under the scheme Basic',
          (token) => `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
        ),
        spelled('scheme-token', 'under the scheme Token', (token) => `Token ${token}`),
        spelled('scheme-dpop', 'under the scheme DPoP', (token) => `DPoP ${token}`),
        spelled('scheme-longer', 'under the scheme Bearers', (token) => `Bearers ${token}`),
        spelled('no-scheme', 'without a scheme', (token) => token),
        spelled('scheme-alone', 'that is the scheme alone', () => 'Bearer'),
        {
          id: 'scheme-in-small-letters',
          words: 'under the scheme bearer, in lower case',
          lawful: true,
          level: 'observe',
          because:
            'RFC 9110 section 11.1: auth-scheme is case-insensitive; the document shows Bearer',
          make: ({ token }) => header(`bearer ${token}`),
        },
        {
          id: 'scheme-in-capitals',
          words: 'under the scheme BEARER, in upper case',
          lawful: true,
          level: 'observe',
          because:
            'RFC 9110 section 11.1: auth-scheme is case-insensitive; the document shows Bearer',
          make: ({ token }) => header(`BEARER ${token}`),
        },
      ],
    },
    {
      part: '1*SP',
      rows: [
        spelled('no-space', 'with no space after the scheme', (token) => `Bearer${token}`),
        spelled('colon', 'with a colon after the scheme', (token) => `Bearer: ${token}`),
        {
          id: 'two-spaces',
          words: 'with two spaces after the scheme',
          lawful: true,
          level: 'observe',
          because: 'RFC 6750 section 2.1: 1*SP; the document shows one space',
          make: ({ token }) => header(`Bearer  ${token}`),
        },
      ],
    },
    {
      part: 'b64token: another text of its form',
      rows: [
        instead('random', 'that nobody issued', ({ token }) => random(token)),
        instead('word-null', 'that is the word null', () => 'null'),
        instead('word-undefined', 'that is the word undefined', () => 'undefined'),
      ],
    },
    {
      part: 'b64token: nearly the one that was issued',
      rows: [
        instead('middle-changed', 'with another character in its middle', ({ token }) =>
          changedFrom(token, token.length >> 1),
        ),
        instead('first-changed', 'with another first character', ({ token }) =>
          changedFrom(token, 0),
        ),
        instead('last-changed', 'with another last character', ({ token }) =>
          changedFrom(token, lastOf(token)),
        ),
        instead(
          'more-behind',
          'with more after it',
          ({ token }) =>
            // Before the padding, since decoders ignore what comes after it.
            `${token.slice(0, lastOf(token) + 1)}${MORE}${token.slice(lastOf(token) + 1)}`,
        ),
        instead('more-before', 'with more before it', ({ token }) => `${MORE}${token}`),
        instead(
          'twice',
          'twice, one after the other',
          ({ token }) => `${token.slice(0, lastOf(token) + 1)}${token}`,
        ),
        instead('first-half', 'that is cut in its middle', ({ token }) =>
          token.slice(0, token.length >> 1),
        ),
        instead('second-half', 'without its first half', ({ token }) =>
          token.slice(token.length >> 1),
        ),
        instead('cut', 'without its last four characters', ({ token }) => token.slice(0, -4)),
        instead(
          'first-sixteen',
          'of which the first sixteen characters alone are right',
          (right) =>
            right.token.length < 24
              ? undefined
              : `${right.token.slice(0, 16)}${random(right.token, right.token.length - 16)}`,
        ),
        instead('first-thirty-two', 'of which the first 32 characters alone are right', (right) =>
          right.token.length < 40
            ? undefined
            : `${right.token.slice(0, 32)}${random(right.token, right.token.length - 32)}`,
        ),
        instead('other-case', 'with its letters in the other case', ({ token }) =>
          inOtherCase(token),
        ),
        instead('reversed', 'with its characters in reverse order', ({ token }) =>
          [...token].reverse().join(''),
        ),
        // RFC 7515 3.1 and 4.1.3, RFC 7518 3.6: what verifies a JWT is never what the JWT itself says.
        instead(
          'jwt-unsigned',
          'as a JWT with alg none and no signature',
          ({ token }) => `${asJwt(token, { alg: 'none' })}.`,
        ),
        instead(
          'jwt-brings-its-key',
          'as a JWT that is signed with a key which it brings',
          ({ token }) =>
            signedWith(MADE_UP, asJwt(token, { alg: 'HS256', jwk: { kty: 'oct', k: MADE_UP } })),
        ),
        // FIPS 186-5 6.4.2: r and s are never zero (CVE-2022-21449).
        instead(
          'jwt-zeros',
          'as a JWT in ES256 whose signature is zeros',
          ({ token }) => `${asJwt(token, { alg: 'ES256' })}.${ZEROS}`,
        ),
      ],
    },
    {
      part: '*"=": padding',
      none: 'A decoder of base64 reads the same without it, so that more or less of it may be the same token.',
    },
    {
      part: 'b64token: another credential that this interface issues or takes',
      rows: [
        instead('id-token', 'that is an ID token', ({ idToken }) => idToken),
        instead('refresh-token', 'that is a refresh token', ({ refreshToken }) => refreshToken),
        instead('code', 'that is an authorisation code', ({ code }) => code),
        instead('assertion', 'that is a client assertion', ({ assertion }) => assertion),
        instead('client-id', 'that is the client_id', ({ clientId }) => clientId),
        instead('consent-id', 'that is a ConsentId', ({ consentId }) => consentId),
        instead(
          'registration-token',
          'that is the registration_access_token',
          ({ registrationToken }) => registrationToken,
        ),
        instead('statement', 'that is the software statement', ({ statement }) => statement),
      ],
    },
    {
      part: 'the token of another grant, client, customer or consent',
      none: 'Such a token is valid elsewhere: TOK-24, TOK-25, TOK-38, SEC-05, SEC-07 and SEC-10 ask for them, with subjects of their own.',
    },
    {
      part: 'a token that has ended',
      none: 'That takes an expiry, a deletion or a revocation: SEC-03/expired-token, TOK-21/expired, CLC-04, CLC-10 and CLC-16 ask for them.',
    },
    {
      part: 'RFC 6750 section 2.3: URI query parameter',
      rows: [
        elsewhere('in-the-query', 'in the query alone', ({ token }) => ({
          query: { access_token: token },
        })),
        elsewhere('in-the-query-as-token', 'in the query alone, as token', ({ token }) => ({
          query: { token },
        })),
      ],
    },
    {
      part: 'RFC 6750 section 2.2: form-encoded body parameter',
      none: 'It is for form-encoded requests whose body has a meaning, and no request that carries a token is one: creations are JSON, queries and deletions have no body.',
    },
    {
      part: 'another header field',
      rows: [
        elsewhere('x-authorization', 'in the header X-Authorization alone', ({ token }) => ({
          headers: { 'X-Authorization': `Bearer ${token}` },
        })),
        elsewhere('x-access-token', 'in the header X-Access-Token alone', ({ token }) => ({
          headers: { 'X-Access-Token': token },
        })),
        elsewhere('x-forwarded', 'in the header X-Forwarded-Authorization alone', ({ token }) => ({
          headers: { 'X-Forwarded-Authorization': `Bearer ${token}` },
        })),
        elsewhere('proxy', 'in the header Proxy-Authorization alone', ({ token }) => ({
          headers: { 'Proxy-Authorization': `Bearer ${token}` },
        })),
        elsewhere('cookie', 'in a cookie alone', ({ token }) => ({
          headers: { Cookie: `access_token=${token}` },
        })),
      ],
    },
  ],
}

/** Selections by requirement: a missing header, an invalid one, a token sent elsewhere. */
export const isMissing = ({ id }: Row) => id === 'no-header' || id === 'empty-header'
export const isInvalid = (row: Row) => row.level === 'must' && !isMissing(row)
export const isElsewhere = ({ level }: Row) => level === 'should'
/** Spellings of the scheme, which the document leaves open. */
export const isSpelling = ({ level }: Row) => level === 'observe'

/** Three bytes of base64: a lenient decoder might ignore fewer characters. */
const MORE = 'x7Qz'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A text of the alphabet that looks like a token and is not one; always the same for one token. */
function random(token: string, length = Math.max(token.length, 20)): string {
  const blocks = Array.from({ length: Math.ceil(length / 43) }, (_, index) =>
    createHash('sha256').update(`${index} not ${token}`).digest('base64url'),
  )
  return blocks.join('').slice(0, length)
}

/** The token with its first character of the alphabet from `place` on replaced, in a bit that matters. */
function changedFrom(token: string, place: number): string {
  const known = [...token].map((character) => ALPHABET.indexOf(character))
  const at = known.findIndex((value, index) => value >= 0 && index >= place)
  const other = ALPHABET[((known[at] ?? 0) + 32) % 64] ?? 'A'
  return `${token.slice(0, at)}${other}${token.slice(at + 1)}`
}

/** A time in 2100. */
const LATER = 4_102_444_800

/** The 64 bytes of a signature in ES256, in base64url. */
const ZEROS = Buffer.alloc(64).toString('base64url')

/** A key that no bank has, in base64url. */
const MADE_UP = Buffer.from('a key that nobody has given to a bank').toString('base64url')

/**
 * Header and claims of a JWT, each in base64url: the claims of a token that is a JWT, otherwise a token as jti. A gateway that
 * does not verify the signature finds what was issued.
 */
function asJwt(token: string, header: Record<string, unknown>): string {
  const known = headerOf(token)
  const [, claims] = known ? token.split('.') : []
  return `${encodedPart({ ...known, ...header })}.${claims ?? encodedPart({ jti: token, exp: LATER })}`
}

function signedWith(key: string, input: string): string {
  const hmac = createHmac('sha256', Buffer.from(key, 'base64url'))
  return `${input}.${hmac.update(input).digest('base64url')}`
}

/** The place of the last character that is not padding. */
function lastOf(token: string): number {
  return [...token].findLastIndex((character) => ALPHABET.includes(character))
}

/**
 * The text with upper and lower case swapped. Undefined where all its letters are
 * of one case: hexadecimal digits, a UUID or base32 mean the same in both cases.
 */
export function inOtherCase(text: string): string | undefined {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text)) return undefined
  const swap = (one: string) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())
  return text.replace(/[a-z]/gi, swap)
}
