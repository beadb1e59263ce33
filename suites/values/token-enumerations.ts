import { enumeration } from './enumeration.ts'
import { CASE } from './enumeration-clauses.ts'
import type { Enumeration } from './enumeration-terms.ts'
import type { ValueType } from './value-type.ts'

/** Enumerations of token requests and answers, and of registrations about them. */

type OfEnumeration = ValueType<Enumeration, unknown>

const GRANTS = ['authorization_code', 'refresh_token', 'client_credentials']

const GRANT = '“A client can call the token endpoint only with a registered grant type.”'

const OTHER_GRANTS = [
  ['password', 'password'],
  ['implicit', 'implicit'],
  ['jwt-bearer', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  ['saml', 'urn:ietf:params:oauth:grant-type:saml2-bearer'],
  ['device-code', 'urn:ietf:params:oauth:grant-type:device_code'],
  ['token-exchange', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  ['ciba', 'urn:openid:params:grant-type:ciba'],
  ['british', 'authorisation_code'],
  ['code', 'code'],
  ['client', 'client'],
  ['assertion', 'assertion'],
  ['unknown', 'urn:example:unknown'],
  ['german', 'autorisierungscode'],
] as const

/** grant_type of a token request; `allowed` are those that the client registered. */
export const grantType: OfEnumeration = enumeration({
  name: 'grant_type',
  grammar: 'RFC 6749 sections 3.2, 4.1.3, 4.4.2, 6 and A.10; section 1.9 for its case',
  in: 'parameter',
  shape: 'string',
  values: GRANTS,
  because: `${GRANT} ${CASE}`,
  level: 'must',
  // A bank that trims a parameter only accepts a registered value.
  spaces: 'observe',
  right: {
    because: '“Grants referred to: authorization_code, refresh_token, client_credentials.”',
    level: 'must',
  },
  others: OTHER_GRANTS,
})

/** client_assertion_type of a token request. */
export const assertionType: OfEnumeration = enumeration({
  name: 'client_assertion_type',
  grammar:
    'RFC 7521 section 4.2: “The value will be an absolute URI”; RFC 6749 section 1.9 for its case, RFC 8141 section 3.1 for URNs',
  in: 'parameter',
  shape: 'string',
  values: ['urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
  because: `“Must be the JWT-bearer assertion type URN”; ${CASE}`,
  level: 'must',
  spaces: 'observe',
  right: { because: '“Must be the JWT-bearer assertion type URN”', level: 'must' },
  others: [
    ['saml', 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'],
    ['grant-type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    ['token-type', 'urn:ietf:params:oauth:token-type:jwt'],
    ['spiffe', 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe'],
    ['no-urn', 'jwt-bearer'],
    ['no-scheme', 'ietf:params:oauth:client-assertion-type:jwt-bearer'],
    ['url', 'https://ietf.org/params/oauth/client-assertion-type/jwt-bearer'],
    ['low-lines-in-it', 'urn:ietf:params:oauth:client_assertion_type:jwt_bearer'],
    ['short-name', 'private_key_jwt'],
    ['colon-behind', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer:'],
    ['q-component', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer?=a=b'],
  ],
  more: [
    {
      part: 'urn and its namespace in any case',
      rows: ['URN:', 'urn:IETF:'].map((beginning, index) => ({
        id: ['scheme-in-capitals', 'namespace-in-capitals'][index] as string,
        words: `that begins with ${beginning}`,
        lawful: true as const,
        level: 'observe' as const,
        because: `RFC 8141 3.1: both are the same URN; ${CASE}`,
        make: ({ chosen: [value = ''] }: Enumeration) =>
          value.startsWith(beginning.toLowerCase())
            ? beginning + value.slice(beginning.length)
            : undefined,
      })),
    },
  ],
})
