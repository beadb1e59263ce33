import { type Grounds, grounds, type Jws, type JwsPart, type JwsRow, split } from './jws-rows.ts'
import { near, nearUrls, type Spelled } from './jws-texts.ts'

/** RFC 7519 4.1.1 and 4.1.2: issuer and subject. */

export const SECTION_9 = '“JWT signed by the TPP, per OpenID Connect Core section 9”, which has'
const IS_CLIENT = `${SECTION_9}: “This MUST contain the client_id of the OAuth Client.”`
const ISSUER_OPEN =
  '“Registration request claims (the content of the registration JWT): not shown”, and so iss.'
const EXACT_ISSUER =
  'OpenID Connect Core 3.1.3.7 (2): the issuer “MUST exactly match the value of the iss (issuer) Claim.”'

/** An iss other than the correct one. */
export const OTHER_ISSUER: Grounds = {
  'client-assertion': { level: 'must', because: IS_CLIENT },
  'request-object': {
    level: 'should',
    because: 'OpenID Connect Core 6.1: “The iss value SHOULD be the Client ID of the RP”.',
  },
  'id-token': { level: 'should', because: EXACT_ISSUER },
  registration: { level: 'observe', because: ISSUER_OPEN },
}

const NO_STRING = 'RFC 7519 4.1.1 and 4.1.2: the value is a case-sensitive string.'

const ISSUER_OF_OTHER_TYPE: Grounds = {
  ...grounds('should', `${NO_STRING}`, 'client-assertion', 'request-object', 'id-token'),
  registration: { level: 'observe', because: ISSUER_OPEN },
}

const NO_ISSUER: Grounds = {
  'client-assertion': { level: 'should', because: `${SECTION_9} “iss REQUIRED”.` },
  'id-token': { level: 'should', because: 'OpenID Connect Core 2: “iss REQUIRED”.' },
  'request-object': { level: 'observe', because: 'Which claims a request object needs is open.' },
  registration: { level: 'observe', because: ISSUER_OPEN },
}

const OTHER_SUBJECT: Grounds = {
  'client-assertion': { level: 'must', because: IS_CLIENT },
  'id-token': {
    level: 'should',
    because: 'OpenID Connect Core 3.3.3.6: iss and sub “MUST be identical in both ID Tokens”.',
  },
}

const SUBJECT_OF_OTHER_TYPE = grounds('should', NO_STRING, 'client-assertion', 'id-token')

const NO_SUBJECT: Grounds = {
  'client-assertion': { level: 'should', because: `${SECTION_9} “sub REQUIRED”.` },
  'id-token': { level: 'should', because: 'OpenID Connect Core 2: “sub REQUIRED”.' },
}

/** A claim that is a string and not empty. */
export const text = (right: Jws, claim: string): string | undefined => {
  const value = right.claims[claim]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A claim in each spelling that a lax comparison accepts. */
export function spellings(claim: string, ground: Grounds, ways: readonly Spelled[]): JwsRow[] {
  return ways.flatMap(({ id, words, change }) =>
    split(ground, {
      id: `${claim.replaceAll('_', '-')}-${id}`,
      words: `whose ${claim} is ${words}`,
      make(right) {
        const own = text(right, claim)
        const other = own === undefined ? undefined : change(own)
        return other === undefined || other === own ? undefined : { claims: { [claim]: other } }
      },
    }),
  )
}

/** A claim with a type other than string, made from the correct one. */
const TYPES: [id: string, words: string, make: (own: string) => unknown][] = [
  ['array', 'an array of the right one', (own) => [own]],
  ['object', 'an object with the right one', (own) => ({ value: own })],
  ['number', 'a number', () => 1],
  ['true', 'true', () => true],
]

function types(claim: string, ground: Grounds): JwsRow[] {
  return TYPES.flatMap(([id, words, make]) =>
    split(ground, {
      id: `${claim.replaceAll('_', '-')}-${id}`,
      words: `whose ${claim} is ${words}`,
      make: (right) => {
        const own = text(right, claim)
        return own === undefined ? undefined : { claims: { [claim]: make(own) } }
      },
    }),
  )
}

/** A claim that is missing, null or empty. */
export function absent(claim: string, ground: Grounds): JwsRow[] {
  const rows: [id: string, words: string, value: unknown][] = [
    ['missing', `without ${claim}`, undefined],
    ['null', `whose ${claim} is null`, null],
    ['empty', `whose ${claim} is empty`, ''],
  ]
  return rows.flatMap(([id, words, value]) =>
    split(ground, {
      id: `${claim.replaceAll('_', '-')}-${id}`,
      words,
      make: ({ claims }) =>
        claims[claim] === undefined ? undefined : { claims: { [claim]: value } },
    }),
  )
}

const anotherClient = (claim: string, ground: Grounds): JwsRow[] =>
  split(ground, {
    id: `${claim}-of-another-client`,
    words: `whose ${claim} is another client`,
    make: ({ parties: { other }, claims }) =>
      other && other.id !== claims[claim] ? { claims: { [claim]: other.id } } : undefined,
  })

const issuer: JwsRow[] = [
  ...spellings('iss', OTHER_ISSUER, near),
  ...spellings('iss', { 'id-token': { level: 'should', because: EXACT_ISSUER } }, nearUrls),
  ...anotherClient('iss', OTHER_ISSUER),
  ...types('iss', ISSUER_OF_OTHER_TYPE),
  ...absent('iss', NO_ISSUER),
]

const BOTH = { 'client-assertion': OTHER_ISSUER['client-assertion'] } as Grounds

/** Names that a database treats as equal. iss and sub agree with each other, but not with the client. */
const both: JwsRow[] = near
  .filter(({ id }) => ['other-case', 'space-behind', 'space-before'].includes(id))
  .flatMap(({ id, words, change }) =>
    split(BOTH, {
      id: `iss-and-sub-${id}`,
      words: `whose iss and sub are both ${words}`,
      make(right) {
        const { own } = right.parties
        const other = change(own)
        return other === undefined || other === own
          ? undefined
          : { claims: { iss: other, sub: other } }
      },
    }),
  )

const subject: JwsRow[] = [
  ...spellings('sub', OTHER_SUBJECT, near),
  ...anotherClient('sub', { 'client-assertion': { level: 'must', because: IS_CLIENT } }),
  ...types('sub', SUBJECT_OF_OTHER_TYPE),
  ...absent('sub', NO_SUBJECT),
  ...both,
]

export const claimParts: JwsPart[] = [
  { part: 'iss (RFC 7519 4.1.1; RFC 8725 3.8)', rows: issuer },
  { part: 'sub (RFC 7519 4.1.2; RFC 8725 3.8)', rows: subject },
]
