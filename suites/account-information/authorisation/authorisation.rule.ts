import { parseRedirect, redirectsTo } from '../../../engine/suite-api/client.ts'
import { claimsOf, headerOf } from '../../../engine/suite-api/jwt.ts'
import { header, member } from '../../../engine/suite-api/responses.ts'
import {
  type Finding,
  type RuleOptions,
  type RuleTools,
  rule,
} from '../../../engine/suite-api/rule.ts'
import { forbiddenCharacters } from '../common/oauth-errors.ts'
import { compareIdToken, findingsOf } from '../common/tokens/id-token.ts'
import {
  AUTHORISATION,
  isOneAddress,
  type Landing,
  landingOf,
  successOf,
} from '../common/visits/landings.ts'

/** What the authorisation page sends to a redirect URI. Requirements: specs/account-information/authorisation.yaml */

/** A finding unless the answer has this in its fragment and not in its query. */
function inFragment({ redirect }: Landing, name: string): Finding[] {
  const place = (part: Record<string, string>) => part[name] !== undefined && part[name] !== ''
  if (place(redirect.fragment) && !place(redirect.query)) return []
  const actual = place(redirect.query) ? `${name} in the query` : `no ${name}`
  return [{ message: `the redirect has ${actual}`, expected: `${name} in the fragment`, actual }]
}

/**
 * Over visits, also those with a deviation: the answer whose Location begins with the redirect
 * URI. Fails: a status other than 302. Not judged where the driver does not report the status.
 */
rule(
  'AUTHZ-02/status-302',
  'The answer that sends the customer to the redirect URI has status 302',
  { ...AUTHORISATION, unseen: 'the status of the redirect is not known to the driver' },
  (exchange) => {
    const { status = 0 } = exchange.response ?? {}
    // 0: a browser was used, which does not report it.
    if (status === 0 || !landingOf(exchange)) return undefined
    const finding = {
      message: `status ${status} sends the customer back instead of 302`,
      expected: '302',
      actual: String(status),
    }
    return status === 302 ? [] : [finding]
  },
)

rule(
  'AUTHZ-33/this-request',
  'Success, denial and error come back to the redirect URI of the request, not to another one',
  { ...AUTHORISATION, unseen: 'the client has one redirect URI, without a query' },
  (exchange) => {
    const { visit } = exchange.about
    const location = header(exchange, 'location')
    const { registered = [], redirectUri = '' } = visit ?? {}
    if (location === undefined || !registered.includes(redirectUri)) return undefined
    const [bare = '', query] = redirectUri.split('?')
    if (registered.length < 2 && query === undefined) return undefined
    if (!URL.canParse(location, exchange.request.url)) return undefined
    const redirect = parseRedirect(new URL(location, exchange.request.url).href)
    if (!redirect) return undefined
    // Of two URIs that differ in their query, the longer one is meant.
    const [landed] = registered
      .filter((uri) => redirectsTo(redirect, uri))
      .sort((one, other) => other.length - one.length)
    if (landed !== undefined && isOneAddress(landed, redirectUri)) return []
    if (landed === undefined && !redirectsTo(redirect, bare)) return undefined
    const message =
      landed === undefined
        ? // RFC 6749 3.1.2: "which MUST be retained when adding additional query parameters".
          'the customer comes back without the query of the redirect URI'
        : 'the customer comes back to another redirect URI of the client'
    return [{ message, expected: redirectUri, actual: landed ?? redirect.address }]
  },
)

rule(
  'AUTHZ-03/code',
  'On success the fragment of the redirect, and not its query, carries a code',
  AUTHORISATION,
  (exchange) => {
    const landing = successOf(exchange)
    return landing && inFragment(landing, 'code')
  },
)

rule(
  'AUTHZ-03/id-token',
  'On success the fragment of the redirect, and not its query, carries an ID token',
  AUTHORISATION,
  (exchange) => {
    const landing = successOf(exchange)
    return landing && inFragment(landing, 'id_token')
  },
)

rule('AUTHZ-04/on-success', 'state comes back unchanged with a code', AUTHORISATION, (exchange) => {
  const landing = successOf(exchange)
  if (landing?.visit.state === undefined) return undefined
  const { state: expected } = landing.visit
  const { state = 'absent' } = landing.redirect
  if (state === expected) return []
  return [{ message: 'state came back changed', expected, actual: state }]
})

/**
 * OpenID Connect Core 3.3.2.5. Over visits that end with a code in the fragment. Fails: state is in the query, and not
 * in the fragment. A code in the query is judged by AUTHZ-03/code, an absent state by AUTHZ-04/on-success.
 */
rule(
  'AUTHZ-04/in-fragment',
  'state comes back in the fragment, as the code does',
  AUTHORISATION,
  (exchange) => {
    const landing = successOf(exchange)
    if (landing?.visit.state === undefined) return undefined
    const { query, fragment } = landing.redirect
    if (fragment.code === undefined) return undefined
    if (fragment.state !== undefined || query.state === undefined) return []
    const message = 'state is in the query'
    return [{ message, expected: 'state in the fragment', actual: 'state in the query' }]
  },
)

/**
 * Over visits that end with an error at the registered redirect URI of the request, whatever else was
 * wrong with it: "REQUIRED if a state parameter was present" (RFC 6749 4.1.2.1), and it was in the query.
 */
rule(
  'AUTHZ-04/on-error',
  'state comes back unchanged with every error',
  { ...AUTHORISATION, unseen: 'no error was sent to the redirect URI' },
  (exchange) => {
    const landing = landingOf(exchange)
    if (!landing?.redirect.error || landing.visit.state === undefined) return undefined
    const { state: expected, registered, redirectUri } = landing.visit
    // If the request had a wrong redirect URI, nothing should be sent there at all.
    if (exchange.about.deviation !== undefined && !registered?.includes(redirectUri)) {
      return undefined
    }
    const { state = 'absent' } = landing.redirect
    if (state === expected) return []
    return [{ message: 'state came back changed', expected, actual: state }]
  },
)

/**
 * Over visits, also those with a deviation, that end at the registered redirect URI without a code: "error REQUIRED"
 * (RFC 6749 4.1.2.1). One with a token, or whose request asked for nothing, is judged by the response types.
 */
rule(
  'AUTHZ-38/error',
  'A customer who comes back without a code comes back with an error',
  {
    ...AUTHORISATION,
    unseen: 'every customer who came back had a code',
    follows: ['AUTHZ-21/denied', 'AUTHZ-21/denied-again', 'AUTHZ-28/code', 'AUTHZ-28/others'],
  },
  (exchange) => {
    const landing = landingOf(exchange)
    if (!landing) return undefined
    const { redirect, visit } = landing
    if (!visit.registered?.includes(visit.redirectUri)) return undefined
    const parts = [redirect.query, redirect.fragment]
    if (GRANTED.some((name) => parts.some((part) => part[name]))) return undefined
    if (redirect.error) return []
    const message = 'the customer came back with neither a code nor an error'
    return [{ message, expected: 'the parameter error', actual: 'no such parameter' }]
  },
)

/** RFC 6749 4.1.2.1. Over visits that end with an error at the redirect URI. */
rule(
  'AUTHZ-45/characters',
  'The error of a redirect and its description have only characters that OAuth allows',
  { ...AUTHORISATION, unseen: 'no error was sent to the redirect URI' },
  (exchange) => {
    const { query, fragment } = landingOf(exchange)?.redirect ?? {}
    if (!query || !fragment) return undefined
    return forbiddenCharacters((name) => fragment[name] ?? query[name])
  },
)

/**
 * RFC 9207 2.4. Over every visit that ends at the redirect URI. Fails: it has an iss that is not the issuer of the
 * configuration. Where the ID token beside it names the same issuer, AUTHZ-19/claims judges both.
 */
rule(
  'AUTHZ-48/issuer',
  'iss of a redirect is the issuer of the configuration',
  { ...AUTHORISATION, unseen: 'no visit led to the redirect URI', rests: ['DISC-01/served'] },
  (exchange, { bank: { issuer } }) => {
    const { redirect } = landingOf(exchange) ?? {}
    if (!redirect || issuer === undefined) return undefined
    const iss = redirect.fragment.iss || redirect.query.iss
    if (!iss || iss === issuer) return []
    if (claimsOf(redirect.idToken ?? '')?.iss === iss) return undefined
    const message = 'iss of the redirect is not the issuer of the configuration'
    return [{ message, expected: issuer, actual: iss }]
  },
)

/** What a success of any response type returns. */
const GRANTED = ['code', 'id_token', 'access_token']

rule(
  'AUTHZ-34/none-sent',
  'The answer to a request without state has no state',
  { ...AUTHORISATION, unseen: 'every request had a state' },
  (exchange) => {
    const landing = successOf(exchange)
    if (!landing || landing.visit.state !== undefined) return undefined
    const { state = '' } = landing.redirect.fragment
    if (state === '') return []
    return [{ message: 'a state that nobody sent came back', expected: 'no state', actual: state }]
  },
)

/** RFC 6749 3.1. Every redirect to the redirect URI. Fails: a name is twice in the fragment or in the added query. */
rule('AUTHZ-39/once', 'No parameter comes twice to the redirect URI', AUTHORISATION, (exchange) => {
  const landing = landingOf(exchange)
  const location = header(exchange, 'location')
  if (!landing || location === undefined) return undefined
  const { hash, searchParams } = new URL(location, exchange.request.url)
  const own = new URL(landing.visit.redirectUri).searchParams
  const parts = {
    fragment: [...new URLSearchParams(hash.slice(1)).keys()],
    query: [...searchParams.keys()].filter((name) => !own.has(name)),
  }
  for (const [part, names] of Object.entries(parts)) {
    const twice = names.find((name, at) => names.indexOf(name) < at)
    if (twice === undefined) continue
    const message = `the ${part} has ${twice} twice`
    return [{ message, expected: 'each parameter once', actual: 'twice' }]
  }
  return []
})

/** No client asked for an access token there, and it would stay in the history of the browser. */
rule(
  'AUTHZ-36/no-access-token',
  'The redirect carries no access token',
  AUTHORISATION,
  (exchange) => {
    const { redirect } = successOf(exchange) ?? {}
    if (!redirect) return undefined
    const found = [redirect.fragment, redirect.query].some(({ access_token: token }) => token)
    const expected = 'a code and an ID token'
    const message = 'the redirect carries an access token'
    return found ? [{ message, expected, actual: 'an access token too' }] : []
  },
)

/** Seconds that an answer with an ID token may take. */
const PAGES = 60

/** Rules over the ID token of the authorisation response. */
function idTokenRule(
  id: string,
  title: string,
  options: Pick<RuleOptions, 'unseen' | 'rests' | 'follows'>,
  judge: (idToken: string, landing: Landing, tools: RuleTools, at: number) => Finding[] | undefined,
): void {
  rule(id, title, { ...AUTHORISATION, ...options }, (exchange, tools) => {
    const landing = successOf(exchange)
    const idToken = landing?.redirect.idToken
    if (!landing || !idToken) return undefined
    return judge(idToken, landing, tools, Math.floor(Date.parse(exchange.startedAt) / 1000))
  })
}

/** Without the bank’s keys no signature can be verified. */
const KEYS = ['DISC-01/served', 'DISC-10/served', 'DISC-10/jwks']

const readable = (idToken: string) => headerOf(idToken) && claimsOf(idToken)

idTokenRule(
  'AUTHZ-18/ps256',
  'The ID token of the authorisation response is a JWS signed with PS256',
  {},
  (idToken) => findingsOf(compareIdToken(idToken, {}), ['form', 'alg']),
)

idTokenRule(
  'AUTHZ-18/signature',
  'A key of the bank verifies the ID token of the authorisation response',
  { rests: ['AUTHZ-18/ps256', ...KEYS] },
  (idToken, { signature }) => {
    if (!signature || headerOf(idToken)?.alg !== 'PS256') return undefined
    return findingsOf(compareIdToken(idToken, { signature }), ['key', 'signature'])
  },
)

/** A limit for times: seconds up to the year 9999 are below it, milliseconds are above it. */
const FAR = 20_000 * 366 * 86_400

idTokenRule(
  'AUTHZ-19/claims',
  'The ID token of the authorisation response names the bank, the client and its times',
  {},
  (idToken, { visit, told = false }, { bank, clockTolerance, earlier }, now) => {
    const claims = readable(idToken)
    if (!claims) return undefined
    const { issuer } = bank
    const { clientId } = visit
    const compared = compareIdToken(idToken, {
      ...(issuer !== undefined && { issuer }),
      ...{ clientId, clockTolerance, now, told },
    })
    const found = [
      ...findingsOf(compared, ['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'nbf']),
      ...forOthers(claims.aud, clientId, earlier),
      ...issuedBefore(claims.iat, now - clockTolerance),
    ]
    if (typeof claims.exp !== 'number' || claims.exp < now + FAR) return found
    const expected = 'seconds since 1970'
    const actual = String(claims.exp)
    return [...found, { message: 'exp counts milliseconds', expected, actual }]
  },
)

/** OpenID Connect Core 3.1.3.7 (3): an audience that this client cannot trust is another client that the run has seen. */
function forOthers(aud: unknown, clientId: string, earlier: Map<string, unknown>): Finding[] {
  earlier.set(clientId, true)
  const other = [aud].flat().find((one) => one !== clientId && earlier.has(String(one)))
  if (other === undefined) return []
  const message = 'the ID token is for another client as well'
  return [{ message, expected: clientId, actual: [aud].flat().join(' ') }]
}

/** Seconds that pages and people may take between the making of an ID token and its arrival. */
const ON_THE_WAY = 1800

/** OpenID Connect Core 2: iat is the time at which the ID token was issued, which has the nonce of this request. */
function issuedBefore(iat: unknown, now: number): Finding[] {
  if (typeof iat !== 'number' || iat >= now - ON_THE_WAY) return []
  const message = 'iat of the ID token is long before the request that it answers'
  return [{ message, expected: `about ${now}`, actual: String(iat) }]
}

/** OpenID Connect Core 2: “ID Tokens SHOULD NOT use the JWS or JWE x5u, x5c, jku, or jwk Header Parameter fields.” */
idTokenRule(
  'AUTHZ-43/no-key',
  'The header of an ID token does not contain the key to verify it',
  {},
  (idToken) => {
    const header = headerOf(idToken)
    if (!header) return undefined
    const brought = ['x5u', 'x5c', 'jku', 'jwk'].filter((name) => header[name] !== undefined)
    if (brought.length === 0) return []
    const message = `the header of the ID token has ${brought.join(' and ')}`
    return [{ message, expected: 'kid alone', actual: brought.join(' ') }]
  },
)

/** OpenID Connect Core 1.0, section 2: sub identifies the customer or, in the UK, the consent. Neither changes. */
idTokenRule(
  'AUTHZ-42/same-subject',
  'The ID tokens of one consent name the same subject',
  { unseen: 'no consent was authorised twice', follows: ['AUTHZ-30/other-customer'] },
  (idToken, { consentId }, { earlier }) => {
    const sub = claimsOf(idToken)?.sub
    if (typeof sub !== 'string' || consentId === undefined) return undefined
    const before = earlier.get(consentId)
    if (before === undefined) earlier.set(consentId, sub)
    if (before === undefined) return undefined
    if (before === sub) return []
    const message = 'the consent was authorised again, and sub has changed'
    return [{ message, expected: String(before), actual: sub }]
  },
)

/** OpenID Connect Core 1.0, section 2. Fails: later than the answer plus tolerance; it may be in milliseconds. */
idTokenRule(
  'AUTHZ-40/auth-time',
  'auth_time of an ID token is in seconds, and not in the future',
  { unseen: 'no ID token had auth_time' },
  (idToken, _landing, { clockTolerance }, now) => {
    const time = claimsOf(idToken)?.auth_time
    if (typeof time !== 'number') return undefined
    if (time <= now + clockTolerance + PAGES) return []
    const expected = 'seconds since 1970, at the customer’s login'
    const actual = String(time)
    return [{ message: `auth_time is ${actual}, which is later than the answer`, expected, actual }]
  },
)

/**
 * OpenID Connect Core 1.0, section 2: auth_time is the “time when the End-User authentication occurred”. Fails: it is before
 * a visit that began without a cookie of the bank, where the customer had to log in. Visits of other drivers are not
 * judged, because their browser may be known to the bank.
 */
idTokenRule(
  'AUTHZ-40/this-login',
  'auth_time of an ID token is not before the visit in which the customer logged in',
  { unseen: 'no ID token of a visit in a new browser had auth_time', follows: ['AUTHZ-47/types'] },
  (idToken, { visit }, { clockTolerance }) => {
    const time = claimsOf(idToken)?.auth_time
    if (typeof time !== 'number' || visit.since === undefined) return undefined
    const began = Math.floor(visit.since / 1000)
    if (time >= began - clockTolerance - PAGES) return []
    const message = `auth_time is ${began - time} seconds before the visit began`
    return [{ message, expected: `${began} or later`, actual: String(time) }]
  },
)

idTokenRule(
  'AUTHZ-20/c-hash',
  'c_hash binds the ID token of the authorisation response to the code',
  {},
  (idToken, { redirect }) => {
    const { code } = redirect
    if (!readable(idToken) || code === undefined) return undefined
    return findingsOf(compareIdToken(idToken, { code }), ['c_hash'])
  },
)

idTokenRule(
  'AUTHZ-20/nonce',
  'nonce binds the ID token of the authorisation response to the request',
  {},
  (idToken, { visit: { nonce } }) => {
    if (!readable(idToken)) return undefined
    return findingsOf(compareIdToken(idToken, { nonce }), ['nonce'])
  },
)

idTokenRule(
  'AUTHZ-20/s-hash',
  's_hash, where the ID token of the authorisation response has one, is that of state',
  { unseen: 'no ID token had s_hash' },
  (idToken, { visit: { state } }) => {
    if (state === undefined || claimsOf(idToken)?.s_hash === undefined) return undefined
    return findingsOf(compareIdToken(idToken, { state }), ['s_hash'])
  },
)

/** The claim that the request object asks for with the ConsentId as its value has that ConsentId. */
idTokenRule(
  'AUTHZ-35/same-consent',
  'The intent ID, where the ID token of the authorisation response has one, is that of the request',
  { unseen: 'no ID token had an intent ID' },
  (idToken, { consentId }, { literals: { intentClaim } }) => {
    const compared = compareIdToken(idToken, {
      ...(consentId !== undefined && { intentId: consentId }),
      ...(intentClaim !== undefined && { intentClaim }),
    })
    const intent = compared.find(({ what, absent }) => what === 'intent' && !absent)
    return intent && findingsOf([intent], ['intent'])
  },
)

/**
 * OpenID Connect Core 5.5.1.1. Every visit whose request object makes certain values of acr essential. Fails: the ID token
 * has another acr. One without acr is not judged, and acr that is no text is judged by AUTHZ-47.
 */
rule(
  'AUTHZ-44/as-asked',
  'acr of an ID token is one of the values that the request made essential',
  { ...AUTHORISATION, unseen: 'no acr was asked for, or none is in the ID token' },
  (exchange, { earlier }) => {
    const { visit } = exchange.about
    if (visit && exchange.endpoint === 'authorisation' && URL.canParse(exchange.request.url)) {
      const request = new URL(exchange.request.url).searchParams.get('request') ?? ''
      earlier.set(visit.nonce, member(claimsOf(request), 'claims', 'id_token', 'acr'))
    }
    const landing = successOf(exchange)
    const acr = claimsOf(landing?.redirect.idToken ?? '')?.acr
    const asked = earlier.get(landing?.visit.nonce ?? '')
    const values: unknown[] = [member(asked, 'values') ?? member(asked, 'value') ?? []].flat()
    if (member(asked, 'essential') !== true || values.length === 0 || typeof acr !== 'string') {
      return undefined
    }
    if (values.includes(acr)) return []
    const message = 'acr of the ID token is none that was asked for'
    return [{ message, expected: values.join(' or '), actual: acr }]
  },
)
