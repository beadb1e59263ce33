import { absent } from './jws-claims.ts'
import { type Grounds, type Jws, type JwsPart, type JwsRow, open, split } from './jws-rows.ts'
import { near, nearUrls, otherHosts, type Spelled } from './jws-texts.ts'

/** RFC 7519 4.1.3: the audience of a JWS. */

const SECTION_9 =
  '“JWT signed by the TPP, per OpenID Connect Core section 9”: aud is a “Value that identifies the Authorization Server as an intended audience”, which it MUST verify.'
const REJECTED =
  'RFC 7519 4.1.3: who “does not identify itself with a value in the aud claim” MUST reject the JWT.'
const CLIENT =
  'OpenID Connect Core 3.1.3.7 (3): it MUST be rejected if it “does not list the Client as a valid audience, or if it contains additional audiences not trusted by the Client.”'

/** It names another party. */
const OTHER: Grounds = {
  'client-assertion': { level: 'must', because: SECTION_9 },
  'request-object': { level: 'should', because: REJECTED },
  registration: { level: 'should', because: REJECTED },
  'id-token': { level: 'should', because: CLIENT },
}

/** For JWTs to a bank: it names another bank. */
const OTHER_BANK: Grounds = {
  'client-assertion': { level: 'must', because: SECTION_9 },
  'request-object': { level: 'should', because: REJECTED },
  registration: { level: 'should', because: REJECTED },
}

const OF_OTHER_CLIENT: Grounds = { 'id-token': { level: 'should', because: CLIENT } }

/** It names another address of the bank: AMB-25. */
const SAME_BANK = open(
  'OpenID Connect Core section 9 and AMB-25: which addresses of the bank it takes besides the right one is open.',
  'client-assertion',
  'request-object',
  'registration',
)

/** A type other than a string or an array of strings. */
const NO_AUDIENCE: Grounds = {
  'client-assertion': { level: 'should', because: `${SECTION_9} aud is REQUIRED.` },
  'id-token': { level: 'should', because: 'OpenID Connect Core 2: “aud REQUIRED”.' },
  'request-object': {
    level: 'observe',
    because:
      'OpenID Connect Core 6.1: a request object SHOULD contain aud; whether it needs one is open.',
  },
  registration: {
    level: 'observe',
    because:
      '“Registration request claims (the content of the registration JWT): not shown”, and so aud.',
  },
}

const own = ({ claims }: Jws): string | undefined => {
  const [aud] = [claims.aud].flat()
  return typeof aud === 'string' && aud !== '' ? aud : undefined
}

function audiences(ground: Grounds, ways: readonly Spelled[]): JwsRow[] {
  return ways.flatMap(({ id, words, change }) =>
    split(ground, {
      id: `aud-${id}`,
      words: `whose aud is ${words}`,
      make(right) {
        const aud = own(right)
        const other = aud === undefined ? undefined : change(aud)
        return other === undefined || other === aud ? undefined : { claims: { aud: other } }
      },
    }),
  )
}

function listed(
  ground: Grounds,
  id: string,
  words: string,
  make: (aud: string, right: Jws) => unknown,
  lawful?: true,
): JwsRow[] {
  return split(ground, {
    id,
    words,
    ...(lawful && { lawful }),
    make(right) {
      const aud = own(right)
      const value = aud === undefined ? undefined : make(aud, right)
      return value === undefined ? undefined : { claims: { aud: value } }
    },
  })
}

const SOMEBODY = 'https://other.example/token'

const LIST: Grounds = {
  'request-object': {
    level: 'should',
    because:
      'FAPI 1.0 Advanced 5.2.2 (15): aud is “to be, or to be an array containing, the OP’s Issuer Identifier URL”.',
  },
  'id-token': {
    level: 'should',
    because: 'OpenID Connect Core 2: “In the general case, the aud value is an array”.',
  },
  'client-assertion': {
    level: 'observe',
    because:
      'RFC 7519 4.1.3: “In the general case, the aud value is an array”; later drafts of OpenID Connect Core section 9 ask for a string.',
  },
  registration: {
    level: 'observe',
    because: 'RFC 7519 4.1.3: “In the general case, the aud value is an array”.',
  },
}

const TWO: Grounds = {
  ...open(
    'RFC 7519 4.1.3 has several audiences; later drafts of OpenID Connect Core section 9 have the server verify that it is “the sole audience”.',
    'client-assertion',
    'request-object',
    'registration',
  ),
  'id-token': { level: 'should', because: CLIENT },
}

const rows: JwsRow[] = [
  ...audiences(OTHER_BANK, otherHosts),
  ...audiences(SAME_BANK, nearUrls),
  ...audiences(OF_OTHER_CLIENT, near),
  ...listed(
    OTHER_BANK,
    'aud-client',
    'whose aud is the client itself',
    (_, { parties }) => parties.own,
  ),
  ...listed(
    OF_OTHER_CLIENT,
    'aud-of-another-client',
    'whose aud is another client',
    (_, { parties }) => parties.other?.id,
  ),
  ...listed(OTHER, 'aud-list-of-others', 'whose aud is a list without the right one', () => [
    SOMEBODY,
    'https://another.example',
  ]),
  ...listed(OTHER, 'aud-list-empty', 'whose aud is an empty list', () => []),
  ...listed(LIST, 'aud-list', 'whose aud is a list of the right one alone', (aud) => [aud], true),
  ...listed(
    TWO,
    'aud-list-right-first',
    'whose aud is a list of the right one and another',
    (aud) => [aud, SOMEBODY],
  ),
  ...listed(
    TWO,
    'aud-list-right-last',
    'whose aud is a list of another and the right one',
    (aud) => [SOMEBODY, aud],
  ),
  ...listed(NO_AUDIENCE, 'aud-list-in-list', 'whose aud is a list in a list', (aud) => [[aud]]),
  ...listed(NO_AUDIENCE, 'aud-object', 'whose aud is an object with the right one', (aud) => ({
    [aud]: true,
  })),
  ...listed(NO_AUDIENCE, 'aud-true', 'whose aud is true', () => true),
  ...absent('aud', NO_AUDIENCE),
]

export const audienceParts: JwsPart[] = [{ part: 'aud (RFC 7519 4.1.3; RFC 8725 2.7, 3.9)', rows }]
