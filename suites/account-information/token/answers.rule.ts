import {
  charactersIn,
  type Exchange,
  member,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { forbiddenCharacters } from '../common/oauth-errors.ts'

/** Token responses by OAuth 2.0. Requirements: specs/account-information/token.yaml */

const TOKEN = { endpoints: ['token'] } as const

function textsOf({ endpoint, response }: Exchange) {
  if (endpoint !== 'token') return {}
  const texts = ['access_token', 'refresh_token', 'error'].map((name) => {
    const value = member(response?.json, name)
    return typeof value === 'string' && value !== '' ? value : undefined
  })
  const [access, refresh, error] = texts
  return { access, refresh, error }
}

/** RFC 6749 5.2. Every token response with an error and no access token. Fails: its status is 2xx or 3xx. */
rule(
  'TOK-41/status',
  'A token request that is answered with an error has the status of an error',
  TOKEN,
  (exchange) => {
    const { access, error } = textsOf(exchange)
    const { status = 0 } = exchange.response ?? {}
    if (error === undefined || access !== undefined) return undefined
    if (status >= 400) return []
    const actual = String(status)
    return [{ message: `the error ${error} has status ${actual}`, expected: '400 or 401', actual }]
  },
)

/** RFC 6750 2.1. Fails: an access token has a character that a bearer token cannot have. */
rule(
  'TOK-42/b64token',
  'An access token has only characters that a bearer token has',
  TOKEN,
  (exchange) => {
    if (!succeeded(exchange) || exchange.endpoint !== 'token') return undefined
    const access = charactersIn(exchange.response?.json, 'access_token')
    if (access === undefined) return undefined
    const [wrong] = /[^\w.~+/=-]/.exec(access) ?? []
    if (wrong === undefined) return []
    const actual = `the character ${JSON.stringify(wrong)}`
    const expected = 'letters, digits, and - . _ ~ + /'
    return [{ message: `an access token has ${actual}`, expected, actual, place: '/access_token' }]
  },
)

/** RFC 6749 1.5. Fails: the access token and the refresh token are the same text. */
rule(
  'TOK-43/apart',
  'The refresh token of a token response is not its access token',
  TOKEN,
  (exchange) => {
    const { access, refresh } = succeeded(exchange) ? textsOf(exchange) : {}
    if (access === undefined || refresh === undefined) return undefined
    if (access !== refresh) return []
    const message = 'the refresh token is the access token'
    return [{ message, expected: 'two tokens', actual: 'one', place: '/refresh_token' }]
  },
)

/** RFC 6749 5.2. Every token response with the status of an error and error, a text. */
rule(
  'TOK-46/characters',
  'The error of a token response and its description have only characters that OAuth allows',
  { ...TOKEN, unseen: 'no token request was answered with an OAuth error' },
  ({ endpoint, response }) => {
    if (endpoint !== 'token' || (response?.status ?? 0) < 400) return undefined
    return forbiddenCharacters(
      (name) => member(response?.json, name),
      (name) => ({ place: `/${name}` }),
    )
  },
)

/**
 * RFC 6749 5.2 and RFC 7523 3.2. Every client_credentials request that is answered with an OAuth error. Fails: it is
 * invalid_grant, though the request has neither a code nor a refresh token that could be invalid.
 */
rule(
  'TOK-56/client',
  'The error for a client_credentials request does not say that a code or a refresh token is wrong',
  { ...TOKEN, unseen: 'no client_credentials request was answered with an OAuth error' },
  (exchange) => {
    const { error } = textsOf(exchange)
    const form = new URLSearchParams(exchange.request.body ?? '')
    if (error === undefined || (exchange.response?.status ?? 0) < 400) return undefined
    if (form.get('grant_type') !== 'client_credentials') return undefined
    if (form.has('code') || form.has('refresh_token')) return undefined
    if (error !== 'invalid_grant') return []
    const message = 'the error for a client_credentials request is invalid_grant'
    const expected = 'an error about the client, the grant type or the scope'
    return [{ message, expected, actual: error, place: '/error' }]
  },
)

/**
 * Every access token that answers a correct client_credentials request. Fails: an ID token comes with it, though no customer
 * has authorised anything.
 */
rule(
  'TOK-57/no-id-token',
  'The answer to a client_credentials request has no ID token',
  TOKEN,
  (exchange) => {
    const form = new URLSearchParams(exchange.request.body ?? '')
    const { access } = succeeded(exchange) ? textsOf(exchange) : {}
    if (access === undefined || exchange.about.deviation !== undefined) return undefined
    if (form.get('grant_type') !== 'client_credentials') return undefined
    const idToken = member(exchange.response?.json, 'id_token')
    if (typeof idToken !== 'string' || idToken === '') return []
    const message = 'an ID token comes with a client_credentials token'
    return [{ message, expected: 'no id_token', actual: 'an ID token', place: '/id_token' }]
  },
)
