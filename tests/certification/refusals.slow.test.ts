/**
 * What the reference bank refuses, each with the sentence or the clause that it rests on; and what it
 * takes although a sentence forbids it to the TPP, which is then a finding of the verdict.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { createBankHost } from '../../proof/tpp/bank-host.ts'
import { type Conduct, conductWith } from '../../proof/tpp/conduct.ts'
import { inProcess } from '../../proof/tpp/in-process.ts'
import { openDirectory } from '../directory.ts'
import { certified, tppSuites } from './opened.ts'

type Json = Record<string, unknown>

const directory = await openDirectory()
const { rules } = await tppSuites()
afterAll(() => directory.close())

const now = () => Math.floor(Date.now() / 1000)

const without =
  <Bag extends object>(...names: string[]) =>
  (bag: Bag) =>
    Object.fromEntries(Object.entries(bag).filter(([name]) => !names.includes(name))) as Bag

const having =
  <Bag extends object>(more: object) =>
  (bag: Bag) =>
    ({ ...bag, ...more }) as Bag

const consent =
  (more: Json) =>
  (body: Json): Json => ({ ...body, Data: { ...(body.Data as Json), ...more } })

/** What the bank says of the requests of a client, and which rules they break. */
async function met(conduct: Partial<Conduct>, strict: 'documents' | 'fapi' = 'documents') {
  const host = await createBankHost({ directory, settings: { strict } })
  const refusals: string[] = []
  const scenario =
    'productRequest' in conduct
      ? 'TPRD-01/read'
      : 'fundsAccount' in conduct || 'fundsPath' in conduct
        ? 'TCON-07/funds'
        : 'TGEN-01/reads-everything'
  const { results } = await certified(inProcess(conductWith(conduct)), {
    host,
    goals: ['connect', 'products', 'confirm-funds'],
    parallel: 1,
    selected: (id) => id === scenario || rules.some((rule) => rule.id === id),
    onExchange({ about }) {
      const { refusal } = about.seen ?? {}
      if (refusal) refusals.push(refusal.detail)
    },
  })
  const broken = rules
    .map(({ id }) => id)
    .filter((id) => ['fail', 'warn'].includes(results.get(id)?.outcome ?? ''))
  await host.close()
  return { refused: refusals[0], broken }
}

type Case = [what: string, conduct: Partial<Conduct>, reason: RegExp, rests: string]

const REFUSED: Case[] = [
  ['no certificate', { withCertificate: false }, /no transport certificate/, 'Authentication 1'],
  [
    'a registration of another type',
    { registrationType: 'application/jose' },
    /application\/jwt/,
    'Registration 2',
  ],
  [
    'a registration without statement',
    { registrationClaims: without('software_statement') },
    /software_statement/,
    'Registration 3',
  ],
  [
    'other redirect URIs',
    { registrationClaims: having({ redirect_uris: ['https://other.example/'] }) },
    /not among those/,
    'Registration 4',
  ],
  [
    'a value nobody advertises',
    { registrationClaims: having({ id_token_signed_response_alg: 'RS256' }) },
    /not supported/,
    'Registration 5',
  ],
  [
    'a registration for another bank',
    { registrationClaims: having({ aud: 'https://other.example' }) },
    /aud is not/,
    'RFC 7519 4.1.3: the JWT MUST be rejected',
  ],
  [
    'a registration that has expired',
    { registrationClaims: having({ exp: 1 }) },
    /exp has passed/,
    'RFC 7519 4.1.4: MUST NOT be accepted',
  ],
  [
    'another response type',
    {
      query: having({ response_type: 'code' }),
      requestObject: having({ response_type: 'code' }),
    },
    /not allowed/,
    'Authorisation: code id_token is used',
  ],
  [
    'another redirect URI',
    {
      query: having({ redirect_uri: 'https://other.example/' }),
      requestObject: having({ redirect_uri: 'https://other.example/' }),
    },
    /did not match/,
    'Authorisation: must match one of those registered',
  ],
  [
    'a scope beyond',
    {
      query: having({ scope: 'openid payments' }),
      requestObject: having({ scope: 'openid payments' }),
    },
    /scope is not registered/,
    'Authorisation: must be a subset',
  ],
  [
    'an unsigned request object',
    {
      jwtHeader: (header, use) => (use === 'request' ? { ...header, alg: 'none' } : header),
    },
    /unsupported signed request alg/,
    'Registered client: PS256 is used',
  ],
  [
    'a request object for another bank',
    { requestObject: having({ aud: 'https://other.example' }) },
    /audience/,
    'RFC 7519 4.1.3',
  ],
  [
    'a request object that has expired',
    { requestObject: having({ exp: 1 }) },
    /expired/,
    'RFC 7519 4.1.4',
  ],
  [
    'a request object of tomorrow',
    { requestObject: (claims) => ({ ...claims, nbf: now() + 9e4, exp: now() + 9e5 }) },
    /not active yet/,
    'RFC 7519 4.1.5: MUST NOT be accepted',
  ],
  [
    'no scope in the request object',
    { requestObject: without('scope') },
    /no scope/,
    'RFC 9101 6.3: only the parameters in the request object; OpenID Connect Core 3.1.2.1',
  ],
  ['no nonce', { requestObject: without('nonce') }, /no nonce/, 'OpenID Connect Core 3.3.2.11'],
  [
    'no intent',
    { requestObject: without('claims') },
    /openbanking_intent_id/,
    'Re-confirmation: the intent ID in a request to the authorisation endpoint',
  ],
  [
    'two methods',
    { tokenForm: having({ client_secret: 'x' }) },
    /client_secret/,
    'Authentication 3',
  ],
  ...(['iss', 'sub', 'aud', 'jti', 'exp'] as const).map(
    (name): Case => [
      `an assertion without ${name}`,
      { assertionClaims: without(name) },
      /must be (provided|specified)/,
      'Token, client_assertion: per OpenID Connect Core section 9',
    ],
  ),
  [
    'a code without its redirect URI',
    { tokenForm: without('redirect_uri') },
    /redirect_uri/,
    'RFC 6749 4.1.3',
  ],
  [
    'a token request in JSON',
    {
      tokenBody: (form) => JSON.stringify(form),
      tokenHeaders: having({ 'content-type': 'application/json' }),
    },
    /x-www-form-urlencoded/,
    'Resources: the token request (form encoded)',
  ],
  [
    'an unknown permission',
    { consentBody: consent({ Permissions: ['ReadAll'] }) },
    /not supported/,
    'AccountAccessConsent: any other value causes rejection',
  ],
  [
    'a consent without Risk',
    { consentBody: without('Risk') },
    /Risk/,
    'AccountAccessConsent: Risk (an empty object)',
  ],
  [
    'an expiry that is not a date-time',
    { consentBody: consent({ ExpirationDateTime: '2031-01-01' }) },
    /RFC 3339/,
    'AccountAccessConsent: date-time',
  ],
  [
    'a consent that is over',
    { consentBody: consent({ ExpirationDateTime: '2020-01-01T00:00:00Z' }) },
    /has passed/,
    'AccountAccessConsent: time after which the consent is no longer valid',
  ],
  [
    'a period that ends before it begins',
    { consentBody: consent({ TransactionToDateTime: '2020-01-01T00:00:00Z' }) },
    /later than/,
    'AccountAccessConsent: start and end of the period',
  ],
  [
    'the whole card number',
    { fundsAccount: having({ Identification: '5301234512345678' }) },
    /Identification/,
    'Limits 4',
  ],
  [
    'a filter that is not a date-time',
    { filters: () => ({ fromBookingDateTime: 'may' }) },
    /RFC 3339/,
    'Data endpoints 5',
  ],
  [
    'no scheme before the token',
    {
      apiHeaders: (headers) => ({
        ...headers,
        authorization: headers.authorization?.slice(7) ?? '',
      }),
    },
    /access token/,
    'Endpoints: Authorization: Bearer',
  ],
]

describe('refused, for a sentence or a clause', () => {
  test.each(REFUSED)('%s', async (_what, conduct, reason, rests) => {
    const { refused } = await met(conduct)
    expect(refused, rests).toMatch(reason)
  })
})

describe('taken although a sentence forbids it to the TPP: a finding', () => {
  test.each<[string, Partial<Conduct>, string]>([
    ['a redirect URI not in the query', { query: without('redirect_uri') }, 'TAUT-01/parameters'],
    ['a scope not in the query', { query: without('scope') }, 'TAUT-01/parameters'],
    ['no response type in the query', { query: without('response_type') }, 'TAUT-01/parameters'],
    ['no accept', { apiHeaders: without('accept') }, 'GEN-04/accept'],
    [
      'a funds confirmation consent below /aisp',
      { fundsPath: () => '/aisp/funds-confirmation-consents' },
      'TGEN-06/documented',
    ],
    [
      'a filter without zone',
      { filters: () => ({ fromBookingDateTime: '2026-10-10T00:00:00' }) },
      'TDAT-01/filters',
    ],
    [
      'a date of a consent in another zone',
      { consentBody: consent({ TransactionFromDateTime: '2026-06-01T00:00:00+01:00' }) },
      'TCON-03/utc',
    ],
    [
      'parameters on products',
      { productRequest: ({ url, headers }) => ({ url: `${url}?page=1`, headers }) },
      'PROD-02/request',
    ],
    [
      'no headers on products',
      { productRequest: ({ url }) => ({ url, headers: {} }) },
      'PROD-02/request',
    ],
  ])('%s', async (_what, conduct, rule) => {
    expect(await met(conduct)).toEqual({ refused: undefined, broken: [rule] })
  })
})

describe('good practice: told, and refused by a bank that is strict', () => {
  test.each<[string, Partial<Conduct>]>([
    ['no nbf', { requestObject: without('nbf') }],
    ['no exp', { requestObject: without('exp') }],
    ['an exp in a day', { requestObject: (claims) => ({ ...claims, exp: now() + 86_400 }) }],
  ])('%s', async (_what, conduct) => {
    expect(await met(conduct)).toEqual({ refused: undefined, broken: ['TAUT-10/lifetime'] })
    expect((await met(conduct, 'fapi')).refused).toContain('request object')
  })
})

test('headers of FAPI in another form: told, and taken', async () => {
  const odd = { 'x-fapi-interaction-id': 'no uuid', 'x-fapi-auth-date': 'today' }
  const broken = ['TGEN-10/interaction-id', 'TGEN-10/auth-date']
  expect(await met({ apiHeaders: having(odd) })).toEqual({ refused: undefined, broken })
})

test('a client in the query alone: told, and taken in a certification', async () => {
  const alone: Partial<Conduct> = { requestObject: without('client_id') }
  expect(await met(alone)).toEqual({ refused: undefined, broken: ['TAUT-15/in-the-object'] })
})

test('taken, and nobody is blamed: what no sentence speaks of', async () => {
  const lawful: Partial<Conduct>[] = [
    { registrationClaims: without('iat', 'exp', 'jti', 'application_type', 'grant_types') },
    { requestObject: without('jti', 'iat') },
    { query: without('state') },
    { registrationClaims: having({ iss: 'whoever signs' }) },
    { tokenForm: having({ audience: 'whoever' }) },
    { consentBody: consent({ Permissions: ['ReadAccountsDetails', 'ReadTransactionsBasic'] }) },
    { fundsPath: () => '/aisp/cbpii/funds-confirmation-consents' },
    {
      productRequest: ({ url, headers }) => ({
        url,
        headers: { ...headers, accept: 'application/json; charset=utf-8' },
      }),
    },
    { consentBody: consent({ More: 1 }) },
    { registrationClaims: having({ application_type: 'mobile' }) },
    { tokenForm: having({ client_secret: '' }) },
    { query: having({ scope: 'openid' }) },
  ]
  for (const conduct of lawful) {
    expect(await met(conduct)).toEqual({ refused: undefined, broken: [] })
  }
})
