import {
  base64url,
  fixed,
  grounds,
  type JwsPart,
  type JwsRow,
  open,
  sent,
  split,
  UNSIGNED,
} from './jws-rows.ts'

/** RFC 7515 4.1.2 to 4.1.8: the parameters that name or contain a key. */

const unknownKeys: JwsRow[] = [
  ...split(UNSIGNED, {
    id: 'key-unknown',
    words: 'signed by a key that nobody registered, under the right kid',
    make: fixed({ key: 'unknown' }),
  }),
  ...split(UNSIGNED, {
    id: 'key-weak',
    words: 'signed by an unknown RSA key of 1024 bits',
    make: fixed({ key: 'weak' }),
  }),
]

/** A key inside the JWS does not prove who sends it. */
const embedded = (parameter: 'jwk' | 'jku' | 'x5c' | 'x5u', what: string): JwsRow[] => [
  ...split(UNSIGNED, {
    id: `${parameter}-brings-key`,
    words: `signed by an unknown key, which its header brings ${what}`,
    make: fixed({ key: 'unknown', embeds: parameter }),
  }),
  ...split(UNSIGNED, {
    id: `${parameter}-brings-key-without-kid`,
    words: `signed by an unknown key, which its header brings ${what}, without kid`,
    make: fixed({ key: 'unknown', embeds: parameter, header: { kid: undefined } }),
  }),
]

const SHARED = 'a secret that the sender chose'

const jwk: JwsRow[] = [
  ...embedded('jwk', 'as jwk'),
  ...split(UNSIGNED, {
    id: 'jwk-brings-secret',
    words: 'in HS256 with a secret that its header brings as jwk',
    make: fixed({
      alg: 'HS256',
      secret: { text: SHARED },
      header: { jwk: { kty: 'oct', k: base64url(SHARED), alg: 'HS256' } },
    }),
  }),
]

const KID_OPEN = 'RFC 7515 4.1.4: kid is “a hint indicating which key was used”, and OPTIONAL.'

const kid: JwsRow[] = [
  ...split(UNSIGNED, {
    id: 'kid-and-key-of-another-client',
    words: 'signed by another client, under that client’s kid',
    make: ({ kind, parties: { other } }) =>
      other && kind !== 'id-token' && kind !== 'software-statement'
        ? { key: 'other-client', header: { kid: other.kid } }
        : undefined,
  }),
  ...split(UNSIGNED, {
    id: 'key-of-another-client',
    words: 'signed by another client, under the client’s own kid',
    make: ({ kind, parties: { other } }) =>
      other && kind !== 'id-token' && kind !== 'software-statement'
        ? { key: 'other-client' }
        : undefined,
  }),
  ...split(UNSIGNED, {
    id: 'kid-path',
    words: 'in HS256 with an empty secret, under a kid that is the path of an empty file',
    make: fixed({
      alg: 'HS256',
      secret: { text: '' },
      header: { kid: '../../../../../../dev/null' },
    }),
  }),
  ...split(UNSIGNED, {
    id: 'kid-sql',
    words: 'in HS256 with a secret that its kid would have a database answer',
    make: fixed({
      alg: 'HS256',
      secret: { text: 'secret' },
      header: { kid: "x' UNION SELECT 'secret' -- " },
    }),
  }),
  ...split(UNSIGNED, {
    id: 'kid-missing-unknown-key',
    words: 'signed by an unknown key, without kid',
    make: fixed({ key: 'unknown', header: { kid: undefined } }),
  }),
  ...split(open(KID_OPEN), {
    id: 'kid-missing',
    words: 'without kid, signed by the right key',
    lawful: true,
    make: fixed({ header: { kid: undefined } }),
  }),
  ...split(open(KID_OPEN), {
    id: 'kid-unknown',
    words: 'under a kid that no key has, signed by the right key',
    make: fixed({ header: { kid: 'unknown' } }),
  }),
  ...split(open('RFC 7515 4.1.4: the kid value “MUST be a case-sensitive string”.'), {
    id: 'kid-number',
    words: 'with a number as kid, signed by the right key',
    make: fixed({ header: { kid: 1 } }),
  }),
  ...split(open(KID_OPEN), {
    id: 'kid-of-another-client',
    words: 'under another client’s kid, signed by the right key',
    make: ({ kind, parties: { other } }) =>
      other && kind !== 'id-token' ? { header: { kid: other.kid } } : undefined,
  }),
]

const STATED =
  '“a software statement assertion issued to the TPP by the open banking directory”: the keys are those of the statement.'

/** Always asked, since nothing else shows that the keys are taken from here. */
const brought: JwsRow[] = split(grounds('should', STATED, 'registration'), {
  id: 'jwks-uri-brings-key',
  words: 'signed by another client, whose keys it names as jwks_uri',
  make({ parties: { other } }) {
    if (other?.jwksUri === undefined) return undefined
    const claims = { jwks_uri: other.jwksUri }
    return { key: 'other-client', header: { kid: other.kid }, claims }
  },
})

/** Servers find the keys of a client by the name that RFC 7591 gives them, wherever it stands. */
const claimed: JwsRow[] = split(
  {
    ...grounds('must', STATED, 'software-statement'),
    ...grounds('should', STATED, 'registration'),
  },
  {
    id: 'jwks-brings-key',
    words: 'signed by an unknown key, which its claims bring as jwks',
    make: fixed({ key: 'unknown', claimed: true }),
  },
)

const THUMBPRINT = base64url('a thumbprint of no certificate.')

const thumbprint = (name: 'x5t' | 'x5t#S256', id: string): JwsRow[] =>
  split(
    open(`RFC 7515 4.1.7 and 4.1.8: ${name} is OPTIONAL, and ignored by who does not use it.`),
    {
      id,
      words: `with a ${name} of no certificate, signed by the right key`,
      lawful: true,
      make: fixed({ header: { [name]: THUMBPRINT } }),
    },
  )

export const keyParts: JwsPart[] = [
  { part: 'jku (RFC 7515 4.1.2; RFC 8725 3.10)', rows: embedded('jku', 'at the address in jku') },
  { part: 'jwk (RFC 7515 4.1.3)', rows: jwk },
  { part: 'kid (RFC 7515 4.1.4; RFC 8725 2.9, 3.10)', rows: kid },
  { part: 'x5u (RFC 7515 4.1.5; RFC 8725 3.10)', rows: embedded('x5u', 'at the address in x5u') },
  {
    part: 'x5c (RFC 7515 4.1.6)',
    rows: [
      ...embedded('x5c', 'in a self-signed certificate'),
      ...split(open('RFC 7515 4.1.6: the recipient MUST validate the certificate chain.'), {
        id: 'x5c-no-certificate',
        words: 'with an x5c that is not a certificate, signed by the right key',
        make: fixed({ header: { x5c: [Buffer.from(THUMBPRINT).toString('base64')] } }),
      }),
    ],
  },
  { part: 'the keys of a registration (RFC 7591 2, jwks_uri)', rows: brought },
  { part: 'the keys of a client, by value (RFC 7591 2, jwks)', rows: claimed },
  { part: 'x5t (RFC 7515 4.1.7)', rows: thumbprint('x5t', 'x5t-of-no-certificate') },
  { part: 'x5t#S256 (RFC 7515 4.1.8)', rows: thumbprint('x5t#S256', 'x5t-s256-of-no-certificate') },
  {
    part: 'the key (RFC 7515 5.2 step 8; RFC 8725 2.2, 3.5)',
    rows: [
      ...unknownKeys,
      ...split(UNSIGNED, {
        id: 'signature-empty',
        words: 'with alg PS256 and an empty signature',
        make: sent((_, [header, payload]) => `${header}.${payload}.`),
      }),
    ],
  },
]
