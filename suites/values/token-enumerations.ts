import { enumeration } from './enumeration.ts'
import { ADVERTISED, CASE } from './enumeration-clauses.ts'
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
  // Whoever trims a parameter serves what was registered.
  spaces: 'observe',
  right: {
    because: '“Grants referred to: authorization_code, refresh_token, client_credentials.”',
    level: 'must',
  },
  others: OTHER_GRANTS,
})

/** grant_types of a registration; `allowed` are those that the bank advertises. */
export const grantTypes: OfEnumeration = enumeration({
  name: 'list of grant types',
  grammar: 'RFC 7591 section 2, grant_types: array of string; RFC 6749 section 1.9 for its case',
  in: 'body',
  shape: 'array',
  values: GRANTS,
  because: ADVERTISED,
  level: 'must',
  type: { because: '“| grant_types | array of string |”', level: 'should' },
  right: { because: ADVERTISED, level: 'must' },
  all: 'observe',
  others: OTHER_GRANTS,
})

const METHOD = `${ADVERTISED} “private_key_jwt is used.”`

/** token_endpoint_auth_method of a registration; `allowed` are those that the bank advertises. */
export const authMethod: OfEnumeration = enumeration({
  name: 'token_endpoint_auth_method',
  grammar:
    'RFC 7591 section 2, token_endpoint_auth_method: string; RFC 6749 section 1.9 for its case',
  in: 'body',
  shape: 'string',
  values: ['private_key_jwt'],
  because: METHOD,
  level: 'must',
  type: { because: '“| token_endpoint_auth_method | string |”', level: 'should' },
  right: { because: METHOD, level: 'must' },
  others: [
    ['client-secret-basic', 'client_secret_basic'],
    ['client-secret-post', 'client_secret_post'],
    ['client-secret-jwt', 'client_secret_jwt'],
    ['none', 'none'],
    ['tls-client-auth', 'tls_client_auth'],
    ['self-signed-tls-client-auth', 'self_signed_tls_client_auth'],
    ['public-key-jwt', 'public_key_jwt'],
    ['assertion-type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
    ['algorithm', 'PS256'],
    ['spanish', 'clave_privada_jwt'],
  ],
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

/** token_type of a token response, as a TPP takes it. */
export const tokenType: OfEnumeration = enumeration({
  name: 'token_type',
  grammar: 'RFC 6749 sections 5.1 and 7.1, token_type: string, in any case',
  in: 'body',
  shape: 'string',
  values: ['Bearer'],
  because: 'RFC 6749 7.1: “MUST NOT use an access token if it does not understand the token type”',
  level: 'should',
  right: { because: '“Type of the token; Bearer is used.”', level: 'must' },
  caseless: 'RFC 6749 5.1: “Value is case insensitive.”',
  spaces: 'observe',
  others: [
    ['mac', 'mac'],
    ['dpop', 'DPoP'],
    ['pop', 'pop'],
    ['basic', 'Basic'],
    ['not-applicable', 'N_A'],
    ['refresh-token', 'refresh_token'],
    ['access-token', 'urn:ietf:params:oauth:token-type:access_token'],
    ['jwt', 'JWT'],
    ['token', 'token'],
    ['british', 'Bearer Token'],
    ['spanish', 'Portador'],
  ],
})
