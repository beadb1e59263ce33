/** Answers of the token endpoint. Requirements: specs/tpp/token.yaml */
import type { ScenarioRun } from '../../engine/suite-api/certification.ts'
import { scenario } from '../../engine/suite-api/certification.ts'
import { expectThat } from '../../engine/suite-api/expect.ts'
import { Nonconformance, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import { type Exchange, member } from '../../engine/suite-api/responses.ts'
import {
  givesUp,
  redemptions,
  refusesTheTokens,
  requireAltered,
  requireReading,
  requireRefusal,
  requireUnbroken,
  survives,
} from './common/expect.ts'
import { DATA, endOf, formOf, isSentAfter, list, seenOf } from './common/messages.ts'

const refreshes = ({ exchanges }: ScenarioRun) =>
  exchanges.filter(
    (each) => each.endpoint === 'token' && formOf(each).get('grant_type') === 'refresh_token',
  )

/** Ends as not applicable for a client without a refresh token, or without the registered grant. */
function requireRefreshToken(run: ScenarioRun): void {
  const issued = redemptions(run.exchanges).some(
    ({ response }) => member(response?.json, 'refresh_token') !== undefined,
  )
  const registered = redemptions(run.exchanges).some((each) =>
    list(seenOf(each).client?.grant_types).includes('refresh_token'),
  )
  if (issued && registered) return
  requireUnbroken(run)
  throw new NotApplicable('the client registers without the grant refresh_token')
}

/** Visits of the customer while the client reads again. */
const laterVisits = ({ exchanges }: ScenarioRun) =>
  exchanges.filter((each) => each.endpoint === 'authorisation' && seenOf(each).goal === 'read')

function usesRefreshToken(run: ScenarioRun): void {
  requireRefreshToken(run)
  const visits = laterVisits(run)
  if (refreshes(run).length > 0 && visits.length === 0) return
  throw new Nonconformance({
    message: 'the client has a refresh token and does not use it',
    expected: 'a token request of a refresh_token grant',
    actual: visits.length > 0 ? 'the customer was asked again' : 'no such request',
    exchange: run.exchanges.findLast((each) => seenOf(each).goal === 'read'),
  })
}

/** The client has the data, and did not send the customer to the bank for it. */
function survivesAlone(run: ScenarioRun): void {
  const [visit] = laterVisits(run)
  expectThat(visit === undefined, {
    message: 'the customer is asked again, although the client had valid tokens',
    expected: 'data by the tokens that it has',
    actual: 'another visit of the customer',
    exchange: visit,
  })
  survives(run)
}

scenario({
  id: 'TTOK-11/expired-token',
  title: 'the access token expires, and the bank answers 401',
  right: 'It gets a new one with its refresh token, and asks nobody.',
  steps: ['connect', { fact: 'token-expired' }, 'read'],
  judge(run) {
    requireReading(run)
    usesRefreshToken(run)
    survives(run, refreshes(run).at(-1))
  },
})

scenario({
  id: 'TTOK-11/short-life',
  title: 'access tokens expire after a second',
  right: 'It follows expires_in or the 401, and gets a new one with its refresh token.',
  alteration: 'tokens-of-a-second',
  steps: ['connect', 'read'],
  judge(run) {
    requireReading(run)
    requireRefreshToken(run)
    const later = run.exchanges.filter((each) => seenOf(each).goal === 'read')
    const expired = later.some((each) => seenOf(each).token?.live === false)
    if (refreshes(run).length === 0 && later.length > 0 && !expired) {
      throw new NotApplicable('the client asks for nothing after which its access token expires')
    }
    usesRefreshToken(run)
    survives(run, refreshes(run).at(-1))
  },
})

const refreshTokenOf = (exchange: Exchange) => formOf(exchange).get('refresh_token')

/**
 * Is it one of several refreshes that were sent at the same time? Each request for data that met 401, and was on its way
 * when the first of these refreshes was answered, may send one. Once data is asked for again that is over.
 */
function isOneOfSeveralAtOnce(run: ScenarioRun, exchange: Exchange): boolean {
  const alike = refreshes(run).filter((other) => refreshTokenOf(other) === refreshTokenOf(exchange))
  const [first] = alike
  if (!first) return false
  const expired = run.exchanges
    .filter(({ endpoint, response }) => DATA.includes(endpoint) && response?.status === 401)
    .map(({ startedAt }) => Date.parse(startedAt))
    .filter((at) => at < Date.parse(exchange.startedAt))
  const atOnce = expired.filter((at) => at < endOf(first))
  return expired.length === atOnce.length && alike.indexOf(exchange) < atOnce.length
}

/** Had the client another refresh token already, unless a refresh with the same one was still on its way? */
function wasReplaced(run: ScenarioRun, exchange: Exchange): boolean {
  const refreshed = refreshes(run).find(
    (other) => refreshTokenOf(other) === refreshTokenOf(exchange) && other.response?.status === 200,
  )
  if (isOneOfSeveralAtOnce(run, exchange)) return false
  return refreshed === undefined || isSentAfter(exchange, refreshed)
}

scenario({
  id: 'TTOK-12/rotated',
  title: 'each refresh returns another refresh token, and the previous one is no longer valid',
  right: 'It keeps the newest refresh token.',
  alteration: 'refresh-tokens-rotate',
  steps: ['connect', { fact: 'token-expired' }, 'read', { fact: 'token-expired' }, 'read'],
  judge(run) {
    requireRefreshToken(run)
    if (refreshes(run).length === 0) throw new NotApplicable('the client refreshes no token')
    const superseded = refreshes(run).filter((each) => seenOf(each).refreshToken?.superseded)
    const old = superseded.find((each) => wasReplaced(run, each))
    if (old) {
      throw new Nonconformance({
        message: 'the client uses a refresh token that was replaced',
        expected: 'the refresh token of the newest token response',
        actual: 'an earlier one',
        exchange: old,
      })
    }
    if (superseded.length > 0 && run.said.some(({ end }) => end === 'refused')) {
      throw new NotApplicable('refreshes at the same time ended the approval of the client')
    }
    survives(run)
  },
})

scenario({
  id: 'TTOK-12/kept',
  title: 'a refresh returns no new refresh token: the previous one stays valid',
  right: 'It keeps the refresh token that it has.',
  alteration: 'refresh-without-new-refresh-token',
  steps: ['connect', { fact: 'token-expired' }, 'read', { fact: 'token-expired' }, 'read'],
  judge(run) {
    requireRefreshToken(run)
    if (refreshes(run).length === 0) throw new NotApplicable('the client refreshes no token')
    survives(run)
  },
})

/** Was the refresh token of this request already refused before the request was sent? */
function wasRefused(run: ScenarioRun, exchange: Exchange): boolean {
  if (isOneOfSeveralAtOnce(run, exchange)) return false
  return refreshes(run).some(
    (other) =>
      other !== exchange &&
      refreshTokenOf(other) === refreshTokenOf(exchange) &&
      [400, 401].includes(other.response?.status ?? 0) &&
      typeof member(other.response?.json, 'error') === 'string' &&
      // Requests that were already on their way do not count.
      isSentAfter(exchange, other),
  )
}

scenario({
  id: 'TTOK-13/refresh-refused',
  title: 'the refresh token is refused with invalid_grant, and the client is asked to read twice',
  right:
    'It says that the customer must connect again, and does not send that refresh token again.',
  alteration: 'refresh-refused',
  unending: (run) => givesUp(refreshes(run)),
  steps: ['connect', { fact: 'token-expired' }, 'read', 'read'],
  judge(run) {
    requireRefreshToken(run)
    if (run.altered.length === 0) throw new NotApplicable('the client refreshes no token')
    const sentAgain = refreshes(run).find((each) => wasRefused(run, each))
    expectThat(sentAgain === undefined, {
      message: 'a refused refresh token is sent again',
      expected: 'no further request with it',
      actual: `${refreshes(run).length} requests of a refresh_token grant`,
      exchange: sentAgain,
    })
    requireRefusal(run, 'a refused refresh token')
  },
})

scenario({
  id: 'TTOK-14/no-id-token-at-refresh',
  title: 'a refresh returns no ID token',
  right: 'It continues: the member is not required.',
  alteration: 'refreshed-tokens-without-openid',
  steps: ['connect', { fact: 'token-expired' }, 'read'],
  judge(run) {
    requireRefreshToken(run)
    if (refreshes(run).length === 0) throw new NotApplicable('the client refreshes no token')
    survivesAlone(run)
  },
})

scenario({
  id: 'TTOK-18/after-reconfirmation',
  title: 'the customer re-confirms, and the earlier tokens are no longer valid',
  right: 'It reads with the tokens of the newest code.',
  alteration: 'tokens-end-at-re-confirmation',
  steps: ['connect', 'reconfirm', 'read'],
  judge(run) {
    if (run.altered.length === 0)
      throw new NotApplicable('the client redeems no second code for a consent')
    requireReading(run)
    survivesAlone(run)
  },
})

scenario({
  id: 'TTOK-19/unavailable-once',
  title: 'the first refresh is answered with 503, and the client is asked to read twice',
  right: 'It keeps the refresh token, which nobody refused, and reads with it later.',
  alteration: 'first-refresh-unavailable',
  steps: ['connect', { fact: 'token-expired' }, 'read', 'read'],
  judge(run) {
    requireRefreshToken(run)
    if (run.altered.length === 0) throw new NotApplicable('the client refreshes no token')
    survivesAlone(run)
  },
})

scenario({
  id: 'TTOK-13/code-refused',
  title: 'the code is refused with invalid_grant',
  right: 'It says that the login failed, and does not send the code again.',
  alteration: 'code-refused',
  judge(run) {
    const altered = requireAltered(run, 'redeems its code')
    requireRefusal(run, 'a refused code', altered)
  },
})

for (const [id, alteration, title] of [
  ['TTOK-14/no-token-type', 'token-type-left-out', 'the token response has no token_type'],
  ['TTOK-14/no-refresh-token', 'no-refresh-tokens', 'the token response has no refresh token'],
  ['TTOK-14/no-id-token', 'no-id-token-from-token-endpoint', 'the token response has no ID token'],
  [
    'TTOK-14/every-character',
    'codes-and-tokens-with-every-character',
    'codes and tokens are long, and hold characters that a form must encode',
  ],
  [
    'TTOK-14/more-members',
    'more-members-in-token-responses',
    'token responses have members that no standard knows',
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It continues: the member is not required.',
    alteration,
    judge: (run) => survives(run),
  })
}

scenario({
  id: 'TTOK-14/small-letters',
  title: 'the token response has the token_type bearer, in lower case',
  right: 'It continues: the value has no case.',
  alteration: 'token-type-in-small-letters',
  judge: (run) => survives(run),
})

scenario({
  id: 'TTOK-16/mac',
  title: 'the token response has the token_type mac',
  right: 'It uses no access token of a type that it does not understand, and says so.',
  alteration: 'token-type-mac',
  judge: (run) => refusesTheTokens(run, 'an access token of the type mac'),
})
