import { now } from '../engine/suite-api/clock.ts'
import type { CallDeviation } from '../engine/suite-api/flow.ts'
import { claimsOf, type JwtDeviation } from '../engine/suite-api/jwt.ts'
import { percentDecoded } from '../engine/suite-api/responses.ts'
import type { AtHand, WrongRequest, WrongValue } from '../engine/suite-api/wrong-values.ts'
import { OBJECT_CHECKS } from './account-information/authorisation/object-places.ts'
import {
  OF_ACCOUNTS,
  OF_FUNDS,
} from './account-information/common/consents/unauthorised-deletions.ts'
import { isUnknown } from './account-information/common/places/account-id-places.ts'
import { certificatesOf } from './account-information/common/places/certificate-places.ts'
import { isInvalid as isInvalidId } from './account-information/common/places/consent-id-places.ts'
import {
  FIELD_NAMES,
  instantOf,
  isMalformed,
} from './account-information/common/places/date-time-places.ts'
import {
  isWrong as isWrongUri,
  urisOf,
} from './account-information/common/places/redirect-places.ts'
import {
  WRONG_AUTHENTICATIONS,
  type WrongAuthentication,
} from './account-information/common/tokens/wrong-authentications.ts'
import { inBoth } from './account-information/common/visits/visits.ts'
import { isOfOtherType, isOther } from './account-information/consents/permission-places.ts'
import { ASSERTION_CHECKS, wrongAssertions } from './account-information/token/assertion-places.ts'
import {
  bearerCredential,
  type Credentials,
  isElsewhere,
  isInvalid,
  isMissing,
} from './values/bearer-credential.ts'
import {
  type Certificates,
  clientCertificate,
  isForwarded,
  isInvalidCertificate,
  type OverCertificate,
} from './values/client-certificate.ts'
import { NINE, permissions } from './values/consent-enumerations.ts'
import { dateTime } from './values/date-time.ts'
import type { Enumeration } from './values/enumeration-terms.ts'
import { accountIdInPath, consentIdInPath } from './values/identifier.ts'
import { jws } from './values/jws.ts'
import type { Jws } from './values/jws-rows.ts'
import { redirectUri } from './values/redirect-uri.ts'
import { rowsOf, type Value, type ValueType } from './values/value-type.ts'

/** Rows of the tables that a request can have at any point of a run, with the checks that judge them. */
export const WRONG_VALUES: readonly WrongValue[] = [
  ...credentials(isMissing, {
    create: 'SEC-03/create-without',
    'create-funds': 'SEC-03/funds-confirmation',
    query: 'SEC-03/query-without',
    delete: OF_ACCOUNTS.missing,
    'delete-funds': OF_FUNDS.missing,
    read: 'DATA-03/without-authorization',
  }),
  ...credentials(isInvalid, {
    create: 'SEC-03/create-unknown-token',
    'create-funds': 'SEC-03/funds-confirmation',
    query: 'SEC-03/unknown-token',
    delete: OF_ACCOUNTS.invalid,
    'delete-funds': OF_FUNDS.invalid,
    read: 'DATA-03/unknown-token',
  }),
  ...credentials(isElsewhere, {
    create: 'SEC-12/in-the-query',
    query: 'SEC-12/in-the-query',
    delete: 'CLC-07/in-the-query',
    'delete-funds': 'FCC-13/in-the-query',
    read: 'SEC-12/in-the-query',
  }),
  ...tokensOfOtherGrants(),
  ...certificates(isInvalidCertificate, {
    create: 'SEC-01/create',
    'create-funds': 'SEC-01/funds-confirmation',
    query: 'SEC-01/no-certificate',
    delete: 'SEC-01/delete',
    'delete-funds': 'SEC-01/funds-deletion',
    read: 'SEC-02/other-endpoints',
  }),
  ...certificates(isForwarded, {
    create: 'SEC-01/forwarded',
    'create-funds': 'SEC-01/forwarded',
    query: 'SEC-01/forwarded',
    delete: 'SEC-01/forwarded',
    'delete-funds': 'SEC-01/forwarded',
    read: 'SEC-02/forwarded',
  }),
  ...valuesOf(consentIdInPath, isInvalidId, {
    checks: {
      query: 'CONS-23/invalid-id',
      delete: 'CLC-09/invalid-id',
      'delete-funds': 'FCC-15/invalid-id',
    },
    rightOf: ({ consentId, otherKind }) =>
      consentId === undefined
        ? undefined
        : { id: consentId, ofOthers: { ...(otherKind !== undefined && { otherKind }) } },
    requestOf: unlessKnown,
  }),
  ...valuesOf(accountIdInPath, isUnknown, {
    checks: { 'read-one': 'ACC-13/unknown-id' },
    rightOf: ({ account, consentId }) =>
      account && {
        id: account.id,
        ofOthers: {
          ...(account.own !== undefined && { own: account.own }),
          ...(consentId !== undefined && { consent: consentId }),
        },
      },
    requestOf: unlessKnown,
  }),
  ...valuesOf(accountIdInPath, ({ id, level }) => level === 'must' && id === 'another-customer', {
    checks: { 'read-one': 'SEC-07/account' },
    rightOf: ({ account }) =>
      account?.foreign === undefined
        ? undefined
        : { id: account.id, ofOthers: { anotherCustomer: account.foreign } },
    requestOf: unlessKnown,
  }),
  ...lists(isOther, 'CONS-10/other-value'),
  ...lists(isOfOtherType, 'CONS-12/not-an-array'),
  ...FIELD_NAMES.flatMap((field) =>
    valuesOf({ ...dateTime, name: `${field}, a date-time` }, isMalformed, {
      checks: {
        create: 'CONS-15/malformed',
        ...(field === 'ExpirationDateTime' && { 'create-funds': 'CONS-15/funds' }),
      },
      rightOf: () => ({ instant: instantOf(field) }),
      requestOf: (made) => ({ data: { [field]: made } }),
    }),
  ),
  ...WRONG_AUTHENTICATIONS.filter(({ id }) => !isOfAssertions(id)).map(authentication),
  ...valuesOf(redirectUri, isWrongUri, {
    checks: { exchange: 'TOK-12/other' },
    rightOf: ({ tpp, other, redirectUri: right }) =>
      right === undefined
        ? undefined
        : {
            registered: [right],
            ofOthers: [...urisOf(tpp), ...(other?.client.redirectUris ?? [])].filter(
              (uri) => uri !== right,
            ),
          },
    requestOf: (uri) => ({ token: { form: { redirect_uri: uri } } }),
  }),
  ...ASSERTION_CHECKS.flatMap(({ id, part }) =>
    valuesOf({ ...jws, name: 'client assertion' }, wrongAssertions(part), {
      checks: { exchange: id, refresh: id },
      rightOf: ({ tpp, other }) => rightJws('client-assertion', tpp.assertionClaims(), tpp, other),
      requestOf: (assertion) => ({ token: { assertion } }),
    }),
  ),
  ...OBJECT_CHECKS.flatMap(({ id, rows }) =>
    valuesOf({ ...jws, name: 'request object' }, rows, {
      checks: { approve: id },
      rightOf({ tpp, other, requestObject }) {
        const claims = claimsOf(requestObject ?? '')
        return claims && rightJws('request-object', claims, tpp, other)
      },
      requestOf: (made: JwtDeviation) => ({ visit: { requestObject: made } }),
    }),
  ),
  ...valuesOf(redirectUri, isWrongUri, {
    checks: { approve: 'AUTHZ-08/similar' },
    rightOf: ({ tpp, other }) => ({
      registered: urisOf(tpp),
      ofOthers: other?.client.redirectUris ?? [],
    }),
    requestOf: (uri) => ({ visit: inBoth({ redirect_uri: uri }) }),
  }),
]

type Checks = WrongValue['checks']

function valuesOf<Right, Made>(
  type: ValueType<Right, Made>,
  rows: (row: Value<Right, Made>) => boolean,
  parts: {
    checks: Checks
    rightOf(right: AtHand): Right | undefined
    requestOf(made: Made, right: AtHand): WrongRequest | undefined
  },
): WrongValue[] {
  return rowsOf(type)
    .filter(rows)
    .map(({ id, make }) => ({
      ...{ name: `${type.name}: ${id}`, checks: parts.checks },
      make(atHand) {
        const right = parts.rightOf(atHand)
        const made = right && make(right)
        return made === undefined ? undefined : parts.requestOf(made, atHand)
      },
    }))
}

/** A single account is read with the same credentials and certificates as the list. */
type Named = Omit<Checks, 'read-one'>

function alsoOfOne(checks: Named): Checks {
  return { ...checks, 'read-one': checks.read }
}

type CredentialRow = Value<Credentials, CallDeviation>

/** The correct access token is that of the consent for reading data, and otherwise one for this kind of consents. */
function credentials(rows: (row: CredentialRow) => boolean, checks: Named): WrongValue[] {
  const operations = Object.entries(alsoOfOne(checks)) as [keyof Checks, string][]
  return operations.flatMap(([operation, check]) =>
    valuesOf(bearerCredential, rows, {
      checks: { [operation]: check },
      rightOf(atHand) {
        const token = tokenFor(operation, atHand)
        return token === undefined ? undefined : { token, ...credentialsOf(atHand) }
      },
      requestOf: ({ bearer, headers, query }) => ({
        call: {
          ...(bearer !== undefined && { bearer }),
          ...(headers && { headers }),
          ...(query && { query }),
        },
      }),
    }),
  )
}

function tokenFor(operation: keyof Checks, { tokens, management }: AtHand): string | undefined {
  if (operation.startsWith('read')) return tokens?.accessToken
  return operation.endsWith('-funds') ? management.funds : management.accounts
}

function credentialsOf({ tpp, tokens, code, consentId }: AtHand): Omit<Credentials, 'token'> {
  const { client_id: clientId, registration_access_token: held } = { ...tpp.registered }
  const { softwareStatement: statement } = tpp.client
  return {
    ...(tokens?.idToken !== undefined && { idToken: tokens.idToken }),
    ...(tokens?.refreshToken !== undefined && { refreshToken: tokens.refreshToken }),
    ...(code !== undefined && { code }),
    ...(clientId !== undefined && { clientId }),
    ...(typeof held === 'string' && { registrationToken: held }),
    ...(consentId !== undefined && { consentId }),
    ...(statement !== undefined && { statement }),
  }
}

/** Lists of permissions of an account access consent. */
function lists(rows: (row: Value<Enumeration, unknown>) => boolean, check: string): WrongValue[] {
  return valuesOf(permissions, rows, {
    checks: { create: check },
    rightOf: ({ permissions: chosen }) => chosen && { allowed: NINE, chosen },
    requestOf: (Permissions) => ({ data: { Permissions } }),
  })
}

/** A way of client authentication other than that of the client, with the check that tries it. */
function authentication({ id, attempts }: WrongAuthentication): WrongValue {
  return {
    ...{ name: `client authentication: ${id}`, checks: { exchange: id, refresh: id } },
    make({ tpp, other }) {
      const { deviation: _, ...token } = attempts({ tpp, ...(other && { other }) }).at(-1) ?? {}
      return Object.keys(token).length > 0 ? { token } : undefined
    },
  }
}

function isOfAssertions(check: string): boolean {
  return ASSERTION_CHECKS.some(({ id }) => id === check)
}

/**
 * Access tokens of another grant, client_credentials for data and an approval for consents, and those for the other
 * kind of consents.
 */
function tokensOfOtherGrants(): WrongValue[] {
  const value = (
    row: string,
    checks: Checks,
    bearerOf: (right: AtHand) => string | undefined,
  ): WrongValue => ({
    ...{ name: `access token: ${row}`, checks },
    make(right) {
      const bearer = bearerOf(right)
      return bearer === undefined ? undefined : { call: { bearer } }
    },
  })
  const data = alsoOfOne({ read: 'TOK-24/other-tokens' })
  const others = 'TOK-38/other-scope'
  return [
    value('for funds confirmation', { create: others, query: others, delete: others }, (right) =>
      right.management.apart ? right.management.funds : undefined,
    ),
    value('for accounts', { 'create-funds': others, 'delete-funds': others }, ({ management }) =>
      management.apart ? management.accounts : undefined,
    ),
    value('of client_credentials', data, ({ management }) => management.accounts),
    value(
      'of client_credentials, for funds confirmation',
      data,
      ({ management }) => management.funds,
    ),
    value(
      'of an approval',
      { create: 'TOK-25/create', query: 'TOK-25/query', delete: 'TOK-25/delete' },
      ({ tokens }) => tokens?.accessToken,
    ),
  ]
}

function certificates(rows: (row: Value<Certificates, OverCertificate>) => boolean, checks: Named) {
  return valuesOf(clientCertificate, rows, {
    checks: alsoOfOne(checks),
    rightOf: ({ tpp }) => certificatesOf(tpp),
    // Fetching a token over the same connection would be a separate request.
    requestOf: ({ tokenOver, ...call }) => (tokenOver ? undefined : { call }),
  })
}

/** The id in a path, unless it is another id that the bank gave. */
function unlessKnown(segment: string, { isKnown }: AtHand): WrongRequest | undefined {
  return isKnown(percentDecoded(segment)) ? undefined : { segment }
}

function rightJws(
  kind: Jws['kind'],
  claims: Jws['claims'],
  tpp: AtHand['tpp'],
  other: AtHand['other'],
): Jws {
  const own = tpp.registered?.client_id ?? ''
  const theirs = other?.registered?.client_id
  return {
    ...{ kind, claims, now: Math.floor(now() / 1000) },
    parties: {
      ...{ own, issuer: tpp.target.issuer },
      ...(other && theirs && { other: { id: theirs, kid: other.client.signing.kid } }),
    },
  }
}
