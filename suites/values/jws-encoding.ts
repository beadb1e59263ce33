import { everywhere, lax, reencoded, sentRows } from './jws-form.ts'
import { base64url, type JwsPart, type JwsRow, UNSIGNED } from './jws-rows.ts'

/** RFC 7515 2, 5.2 and 7.2: base64url, the JSON Serialization, and encryption instead of a signature. */

const NO_OTHERS =
  'RFC 7515 5.2: its parts are decoded “following the restriction that no line breaks, whitespace, or other additional characters have been used”.'

const padded = (part: string) => part.padEnd(Math.ceil(part.length / 4) * 4, '=')
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Each part padded to a multiple of four characters; with superfluous padding where none is needed. */
const filled = (jws: string) => {
  const text = jws.split('.').map(padded).join('.')
  return text === jws ? `${jws}====` : text
}

/** The last character has unused bits: for 256 octets four, for 384 none. */
const unusedBits = (part: string) => {
  const spare = (part.length * 6) % 8
  if (spare === 0) return `${part}A`
  const at = ALPHABET.indexOf(part.at(-1) ?? '')
  return `${part.slice(0, -1)}${ALPHABET[at ^ 1]}`
}

const inBase64 = (jws: string) => jws.replaceAll('-', '+').replaceAll('_', '/')

/**
 * Characters that base64url does not have. Many decoders skip them, and the signed octets stay the
 * same: recorded only, except for characters inside a part that cannot come from wrapping or copying.
 */
const encoding: JwsRow[] = [
  ...sentRows(
    lax(NO_OTHERS),
    ['padding', 'with = after each part that base64 would fill', filled],
    [
      'base64',
      'in the alphabet of base64',
      (jws) => (inBase64(jws) === jws ? filled(jws) : inBase64(jws)),
    ],
    ['line-break-behind', 'with a line break after it', (jws) => `${jws}\n`],
    ['space-before', 'with a space before it', (jws) => ` ${jws}`],
    [
      'line-break-inside',
      'with a line break inside its signature',
      (jws) => `${jws.slice(0, -40)}\r\n${jws.slice(-40)}`,
    ],
    [
      'unused-bits',
      'with other bits at the end of its signature, which decode to nothing',
      (_, [header, payload, own]) => `${header}.${payload}.${unusedBits(own)}`,
    ],
  ),
  ...sentRows(
    everywhere(NO_OTHERS),
    [
      'foreign-characters',
      'with characters inside its signature that base64 does not have',
      (jws) => `${jws.slice(0, -40)}!*${jws.slice(-40)}`,
    ],
    ['nul-behind', 'with NUL and more text after it', (jws) => `${jws}\0.e30`],
  ),
]

const COMPACT_ONLY =
  'RFC 7519 1: JWTs are always represented using the JWS or the JWE Compact Serialization.'
const CONFUSION =
  'RFC 8725 3.1 and RFC 7519 7.2: what is verified and what is read are one compact JWS.'

const flattened = ([header, payload, own]: string[]) => ({
  payload,
  protected: header,
  signature: own,
})

const json: JwsRow[] = [
  ...sentRows(
    everywhere(COMPACT_ONLY),
    [
      'json-flattened',
      'in the flattened JSON serialisation',
      (_, parts) => JSON.stringify(flattened(parts)),
    ],
    [
      'json-general',
      'in the general JSON serialisation',
      (_, [header, payload, own]) =>
        JSON.stringify({ payload, signatures: [{ protected: header, signature: own }] }),
    ],
    [
      'json-two-signatures',
      'with two signatures, of which the first has alg none',
      (_, [header, payload, own]) =>
        JSON.stringify({
          payload,
          signatures: [
            { protected: base64url('{"alg":"none"}'), signature: '' },
            { protected: header, signature: own },
          ],
        }),
    ],
    [
      'json-unprotected-header',
      'in the flattened JSON serialisation, with alg none in an unprotected header',
      (_, parts) => JSON.stringify({ ...flattened(parts), header: { alg: 'none' } }),
    ],
  ),
  ...sentRows(everywhere(CONFUSION), [
    'json-around-other-claims',
    'in the flattened JSON serialisation, with changed claims between two dots of another member',
    (_, parts) => {
      const [, payload] = parts
      const other = reencoded(payload, (claims) => ({ ...claims, changed: true }))
      return JSON.stringify({ a: `.${other}.`, ...flattened(parts) })
    },
  ]),
]

const encrypted: JwsRow[] = sentRows(UNSIGNED, [
  'jwe',
  'that is a JWE of five parts',
  (_, [, payload]) =>
    [
      base64url('{"alg":"dir","enc":"A256GCM"}'),
      '',
      base64url('twelve bytes'),
      payload,
      'A'.repeat(22),
    ].join('.'),
])

export const encodingParts: JwsPart[] = [
  { part: 'base64url (RFC 7515 2 and 5.2 steps 2, 6, 7)', rows: encoding },
  { part: 'JSON Serialization (RFC 7515 7.2)', rows: json },
  { part: 'encryption (RFC 8725 2.3, 3.3)', rows: encrypted },
  {
    part: 'compression and encryption keys (RFC 8725 2.4, 2.5, 3.4, 3.6)',
    none: 'Nothing of this interface is encrypted.',
  },
]
