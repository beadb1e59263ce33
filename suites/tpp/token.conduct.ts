/** The token request. Requirements: specs/tpp/token.yaml */
import { conduct } from '../../engine/suite-api/certification.ts'
import { type Exchange, member } from '../../engine/suite-api/responses.ts'
import {
  assertionOf,
  formOf,
  list,
  searched,
  seenOf,
  sent,
  shown,
  some,
  unless,
  unlessOnceEach,
  words,
} from './common/messages.ts'

const options = { endpoints: ['token'] as const }

/** Form and client assertion of a token request with a form; `undefined` for anything else. */
function requestOf(exchange: Exchange) {
  if (exchange.endpoint !== 'token' || exchange.request.method !== 'POST') return undefined
  const form = formOf(exchange)
  if (!form.has('grant_type')) return undefined
  return { form, assertion: assertionOf(exchange), seen: seenOf(exchange) }
}

conduct(
  'TTOK-01/method',
  'a client authenticates by private_key_jwt alone',
  options,
  (exchange) => {
    const asked = requestOf(exchange)
    if (!asked) return undefined
    const others = [
      // RFC 6749 3.2: a parameter without a value counts as omitted.
      asked.form.get('client_secret') && 'client_secret',
      sent(exchange, 'authorization') !== undefined && 'an Authorization header',
    ].filter(Boolean)
    return unless(asked.form.has('client_assertion') && others.length === 0, {
      message: 'the client does not authenticate by private_key_jwt alone',
      expected: 'client_assertion, and no other method',
      actual: [asked.form.has('client_assertion') || 'no client_assertion', ...others]
        .filter((each) => each !== true)
        .join(', '),
    })
  },
)

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

conduct('TTOK-02/type', 'client_assertion_type is the JWT-bearer URN', options, (exchange) => {
  const asked = requestOf(exchange)
  if (!asked?.form.has('client_assertion')) return undefined
  const type = asked.form.get('client_assertion_type')
  return unless(type === TYPE, {
    message: 'client_assertion_type is another one',
    expected: TYPE,
    actual: shown(type),
  })
})

conduct('TTOK-03/issuer', 'iss and sub of the assertion are the client', options, (exchange) => {
  const asked = requestOf(exchange)
  if (!asked?.assertion) return undefined
  const { iss, sub } = asked.assertion.claims
  const named = asked.form.get('client_id')
  // The client that is registered under `sub`, or else under the client_id of the form.
  const own = asked.seen.client?.client_id
  const fine = own !== undefined && iss === own && sub === own && (named ?? own) === own
  return unless(fine, {
    message: own === undefined ? 'no such client is registered' : 'iss, sub and client_id differ',
    expected: `iss and sub ${own === undefined ? 'the client_id that the registration returned' : shown(own)}`,
    actual: `iss ${shown(iss)}, sub ${shown(sub)}${named === null ? '' : `, client_id ${shown(named)}`}`,
  })
})

conduct('TTOK-03/audience', 'aud of the assertion is the token endpoint', options, (exchange) => {
  const asked = requestOf(exchange)
  if (!asked?.assertion) return undefined
  const { tokenEndpoint = '', issuer = '' } = asked.seen.expected ?? {}
  const { aud } = asked.assertion.claims
  const fine = list(aud).some((each) => each === tokenEndpoint || each === issuer)
  return unless(fine, {
    message: 'aud does not name the bank',
    expected: `aud, a string or an array, with ${tokenEndpoint} or the issuer ${issuer}`,
    actual: `aud ${shown(aud)}`,
  })
})

conduct('TTOK-03/jti', 'the assertion has a jti', options, (exchange) => {
  const asked = requestOf(exchange)
  if (!asked?.assertion) return undefined
  const { jti } = asked.assertion.claims
  return unless(typeof jti === 'string' && jti !== '', {
    message: 'jti is missing',
    expected: 'a unique identifier',
    actual: `jti ${shown(jti)}`,
  })
})

/** Seconds by which the client's clock may differ. */
const CLOCK = 10

conduct('TTOK-03/expiry', 'the assertion has an exp that has not passed', options, (exchange) => {
  const asked = requestOf(exchange)
  if (!asked?.assertion) return undefined
  const { exp } = asked.assertion.claims
  const at = Date.parse(exchange.startedAt) / 1000
  const isNumber = typeof exp === 'number'
  return unless(isNumber && exp > at - CLOCK, {
    message:
      exp === undefined ? 'exp is missing' : isNumber ? 'exp has passed' : 'exp is not a number',
    expected: 'an exp in the future, a number of seconds since 1970',
    actual: `exp ${shown(exp)} at ${Math.floor(at)}`,
  })
})

conduct(
  'TTOK-04/ps256',
  'the assertion is signed with PS256 by the client',
  options,
  (exchange) => {
    const asked = requestOf(exchange)
    if (!asked?.form.has('client_assertion')) return undefined
    if (!asked.assertion) {
      return [
        {
          message: 'client_assertion is not a JWT',
          expected: 'a JWT in compact form, signed with PS256',
          actual: `${asked.form.get('client_assertion')?.length} characters that are none`,
        },
      ]
    }
    const { alg } = asked.assertion.header
    const detail = asked.seen.refusal?.detail ?? ''
    const forged = /signature|no applicable key|alg mismatch|no matching key/i.test(detail)
    return unless(alg === 'PS256' && !forged, {
      message: 'the assertion is not signed as registered',
      expected: 'PS256, by a key in the JWKS of the client',
      actual: alg === 'PS256' ? detail : `alg ${shown(alg)}`,
    })
  },
)

const withJti = searched((exchange) =>
  exchange.endpoint === 'token' ? some(assertionOf(exchange)?.claims.jti) : [],
)

conduct(
  'TTOK-05/jti-fresh',
  'no two assertions have the same jti',
  options,
  (exchange, earlier) => {
    const { jti, iss } = requestOf(exchange)?.assertion?.claims ?? {}
    if (jti === undefined) return undefined
    // Each scenario has its own bank and client: a counter may restart with each.
    const again = withJti(earlier, jti).some((other) => assertionOf(other)?.claims.iss === iss)
    return unless(!again, {
      message: 'jti was used before',
      expected: 'a jti of its own for each assertion',
      actual: shown(jti),
    })
  },
)

/** Seconds: an assertion that is valid for longer is an unnecessary risk. */
const LONGEST = 3600

conduct('TTOK-06/short', 'an assertion is good for an hour at most', options, (exchange) => {
  const exp = requestOf(exchange)?.assertion?.claims.exp
  if (typeof exp !== 'number') return undefined
  const left = exp - Date.parse(exchange.startedAt) / 1000
  return unless(left <= LONGEST + CLOCK, {
    message: 'exp is far in the future',
    expected: `at most ${LONGEST} s ahead`,
    actual: `${Math.round(left)} s ahead`,
  })
})

conduct('TTOK-07/grant', 'grant_type is a registered one', options, (exchange) => {
  const asked = requestOf(exchange)
  const registered = asked?.seen.client?.grant_types
  if (!asked || registered === undefined) return undefined
  const grant = asked.form.get('grant_type')
  return unless(list(registered).includes(grant), {
    message: 'the grant type is not registered',
    expected: `one of ${list(registered)
      .filter((each) => each !== 'implicit')
      .join(', ')}`,
    actual: shown(grant),
  })
})

conduct(
  'TTOK-08/redirect-uri',
  'a code comes with the redirect URI it was sent to',
  options,
  (exchange) => {
    const asked = requestOf(exchange)
    if (asked?.form.get('grant_type') !== 'authorization_code' || !asked.seen.code) return undefined
    const uri = asked.form.get('redirect_uri')
    return unless(uri === asked.seen.code.redirectUri, {
      message: 'redirect_uri is not the one of the authorisation request',
      expected: asked.seen.code.redirectUri,
      actual: shown(uri),
    })
  },
)

/** Form fields that belong to one grant only. */
const OF_ONE_GRANT: Record<string, string> = {
  code: 'authorization_code',
  redirect_uri: 'authorization_code',
  refresh_token: 'refresh_token',
}

conduct(
  'TTOK-15/own-fields',
  'a token request has no field of another grant',
  options,
  (exchange) => {
    const asked = requestOf(exchange)
    if (!asked) return undefined
    const grant = asked.form.get('grant_type') ?? ''
    const foreign = Object.entries(OF_ONE_GRANT)
      .filter(([name, own]) => own !== grant && asked.form.get(name))
      .map(([name]) => name)
    return unless(foreign.length === 0, {
      message: 'the token request has a field of another grant',
      expected: `a ${grant} grant without ${foreign.join(', ')}`,
      actual: `it has ${foreign.join(', ')}`,
    })
  },
)

conduct('TTOK-20/once-each', 'no field is in the form twice', options, (exchange) => {
  const asked = requestOf(exchange)
  if (!asked) return undefined
  return unlessOnceEach(asked.form, 'the form')
})

const withCode = searched((exchange) =>
  exchange.endpoint === 'token' ? formOf(exchange).getAll('code').slice(0, 1) : [],
)

conduct('TTOK-09/once', 'a code is used once', options, (exchange, earlier) => {
  const asked = requestOf(exchange)
  const code = asked?.form.get('code')
  if (asked?.form.get('grant_type') !== 'authorization_code' || !code) return undefined
  const before = withCode(earlier, code)
  // Without an answer, or after a 5xx, the client cannot know that the code was used.
  const answered = before.some(({ response }) => response && response.status < 500)
  return unless(!answered, {
    message: 'the code was used before',
    expected: 'one token request for each code',
    actual: `request ${before.length + 1} with the same code`,
  })
})

conduct(
  'TTOK-10/own-scopes',
  'a client_credentials grant asks for registered scopes only',
  { ...options, unseen: 'the client names no scope' },
  (exchange) => {
    const asked = requestOf(exchange)
    const scope = asked?.form.get('scope')
    const registered = asked?.seen.client?.scope
    if (!asked || !scope || registered === undefined) return undefined
    const beyond = words(scope).filter((each) => !words(registered).includes(each))
    return unless(beyond.length === 0, {
      message: 'a scope is not registered',
      expected: `scopes among ${registered}`,
      actual: beyond.join(' '),
    })
  },
)

const givingRefreshToken = searched(({ endpoint, response }) =>
  endpoint === 'token' ? some(member(response?.json, 'refresh_token')) : [],
)

/**
 * The scope that the customer granted with a refresh token: that of the answer to the code. A refresh may ask for less,
 * and the refresh token that it returns is still for all of it.
 */
function scopeGranted(earlier: readonly Exchange[], refreshToken: string): string | undefined {
  const followed = new Set<string>()
  let token = refreshToken
  while (!followed.has(token)) {
    followed.add(token)
    const [giver] = givingRefreshToken(earlier, token)
    if (!giver) return undefined
    const before = formOf(giver).get('refresh_token')
    if (!before) {
      const scope = member(giver.response?.json, 'scope')
      return typeof scope === 'string' ? scope : undefined
    }
    token = before
  }
  return undefined
}

conduct(
  'TTOK-17/granted',
  'a refresh asks for no scope that was not granted',
  { ...options, unseen: 'the client refreshes no token' },
  (exchange, earlier) => {
    const asked = requestOf(exchange)
    const token = asked?.form.get('refresh_token')
    if (asked?.form.get('grant_type') !== 'refresh_token' || !token) return undefined
    const granted = scopeGranted(earlier, token)
    if (granted === undefined) return undefined
    // An ID token came, so openid was granted, whether the answer names it or not.
    const known = ['openid', ...words(granted)]
    const beyond = words(asked.form.get('scope')).filter((each) => !known.includes(each))
    return unless(beyond.length === 0, {
      message: 'the refresh asks for a scope that the customer did not grant',
      expected: `scopes among ${granted}, or no scope`,
      actual: beyond.join(' '),
    })
  },
)
