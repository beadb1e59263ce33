import { spellings } from './jws-claims.ts'
import { type Grounds, grounds, type JwsPart, type JwsRow, open, split } from './jws-rows.ts'
import { near } from './jws-texts.ts'

/** What distinguishes the kinds of JWT (RFC 8725 2.8 and 3.12), and claims of one kind only. */

const EXCLUSIVE =
  'RFC 8725 3.12: the validation rules of different kinds “MUST be written such that they are mutually exclusive, rejecting JWTs of the wrong kind.”'

const REQUEST_ALONE = [
  ...['response_type', 'redirect_uri', 'scope', 'state', 'nonce', 'claims', 'client_id', 'nbf'],
] as const

const without = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, undefined]))

const confusion: JwsRow[] = [
  ...split(grounds('should', EXCLUSIVE, 'client-assertion'), {
    id: 'assertion-made-as-a-request-object',
    words: 'that has the claims of a request object instead, signed by the client',
    make: ({ parties: { own, issuer } }) => ({
      claims: {
        sub: undefined,
        aud: issuer,
        client_id: own,
        response_type: 'code id_token',
        scope: 'openid',
      },
    }),
  }),
  ...split(open(EXCLUSIVE, 'request-object'), {
    id: 'request-object-made-as-an-assertion',
    words: 'that has the claims of a client assertion instead, signed by the client',
    make: ({ parties: { own } }) => ({ claims: { ...without(REQUEST_ALONE), sub: own } }),
  }),
]

const MATCH =
  'OpenID Connect Core 6.1: the values of response_type and client_id “MUST match those in the Request Object, if present.”'

const OTHER_CLIENT = grounds('should', MATCH, 'request-object')

const requestObject: JwsRow[] = [
  ...spellings('client_id', OTHER_CLIENT, near),
  ...split(OTHER_CLIENT, {
    id: 'client-id-of-another-client',
    words: 'whose client_id is another client',
    make: ({ parties: { other } }) => other && { claims: { client_id: other.id } },
  }),
  ...split(
    open(
      'OpenID Connect Core 6.1: request and request_uri MUST NOT be included; what becomes of them is not said.',
      'request-object',
    ),
    {
      id: 'request-uri-inside',
      words: 'with a request_uri inside',
      make: () => ({ claims: { request_uri: 'urn:example:another' } }),
    },
  ),
]

const NONCE =
  'OpenID Connect Core 3.1.3.7 (11): nonce “MUST be checked to verify that it is the same value as the one that was sent in the Authentication Request.”'
const C_HASH =
  'OpenID Connect Core 3.3.2.10: “The value of c_hash in the ID Token MUST match the value produced in the previous step if c_hash is present”.'
const S_HASH =
  'FAPI 1.0 Advanced 5.2.3.1: the client shall verify that “s_hash value is equal to the value calculated from the state value”.'

const should = (because: string): Grounds => grounds('should', because, 'id-token')

const idToken: JwsRow[] = [
  ...spellings('nonce', should(NONCE), near),
  ...spellings('c_hash', should(C_HASH), near),
  ...spellings('s_hash', should(S_HASH), near),
  ...split(open('OpenID Connect Core 3.1.3.7 (5): azp SHOULD be the client.', 'id-token'), {
    id: 'azp-of-another-client',
    words: 'whose azp is another client',
    make: ({ parties: { other } }) => other && { claims: { azp: other.id } },
  }),
  ...split(should('OpenID Connect Core 2: azp, if present, MUST contain the client’s client_id.'), {
    id: 'azp-own',
    words: 'whose azp is the client',
    lawful: true,
    make: ({ parties: { own } }) => ({ claims: { azp: own } }),
  }),
]

export const kindParts: JwsPart[] = [
  { part: 'kinds of JWT (RFC 8725 2.8, 3.12)', rows: confusion },
  { part: 'the client of a request object (OpenID Connect Core 6.1)', rows: requestObject },
  { part: 'claims of an ID token (OpenID Connect Core 2 and 3.3.2.11)', rows: idToken },
]
