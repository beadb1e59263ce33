/** Every request of a TPP. Requirements: specs/tpp/general.yaml */
import { conduct } from '../../engine/suite-api/certification.ts'
import { type Endpoint, type Exchange, isDateTime } from '../../engine/suite-api/responses.ts'
import {
  CONSENTS,
  CREATIONS,
  DATA,
  decoded,
  formOf,
  mediaTypes,
  queryOf,
  readOnce,
  searched,
  seenOf,
  sent,
  shown,
  some,
  unless,
} from './common/messages.ts'

const API = [...CONSENTS, ...DATA]

conduct(
  'GEN-03/encoding',
  'the registration is a JWT, the token request a form, and every other body JSON',
  { endpoints: ['registration', 'token', ...CREATIONS] },
  (exchange) => {
    const { endpoint, request } = exchange
    const type = sent(exchange, 'content-type') ?? 'none'
    if (endpoint === 'registration') {
      return unless(decoded(request.body?.trim()) !== undefined, {
        message: 'the body of the registration is not a JWT',
        expected: 'a JWT in compact form',
        actual: `a body of type ${type}`,
      })
    }
    if (endpoint === 'token') {
      const form = type.split(';')[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded'
      const astray = queryOf(exchange).has('grant_type')
      return unless(form && formOf(exchange).has('grant_type'), {
        message: astray
          ? 'the parameters of the token request stand in its address, not in its body'
          : 'the token request is not form encoded',
        expected: 'a body of application/x-www-form-urlencoded with a grant_type',
        actual: `${type}${form ? ' without grant_type in the body' : ''}`,
      })
    }
    if (!CREATIONS.includes(endpoint)) return undefined
    return unless(isObject(request.body), {
      message: 'the body is not a JSON object',
      expected: 'a JSON object',
      actual: shown(request.body?.slice(0, 100)),
    })
  },
)

function isObject(body: string | undefined): boolean {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

conduct(
  'GEN-04/accept',
  'requests for consents and data accept application/json',
  { endpoints: API },
  (exchange) => {
    if (!API.includes(exchange.endpoint)) return undefined
    const accept = sent(exchange, 'accept')
    return unless(mediaTypes(accept).includes('application/json'), {
      message: 'accept: application/json is not sent',
      expected: 'accept: application/json',
      actual: accept === undefined ? 'no accept header' : `accept: ${accept}`,
    })
  },
)

conduct(
  'GEN-04/content-type',
  'create requests send Content-Type: application/json',
  { endpoints: CREATIONS },
  (exchange) => {
    if (!CREATIONS.includes(exchange.endpoint)) return undefined
    const type = sent(exchange, 'content-type')
    return unless(type?.split(';')[0]?.trim().toLowerCase() === 'application/json', {
      message: 'Content-Type: application/json is not sent',
      expected: 'Content-Type: application/json',
      actual: `Content-Type: ${type ?? 'none'}`,
    })
  },
)

conduct(
  'TGEN-02/certificate',
  'registration, consents and data are asked for with a valid transport certificate',
  { endpoints: ['registration', ...API], failures: true },
  (exchange) => {
    const { certificate, refusal } = seenOf(exchange)
    const died = exchange.request.method === 'CONNECT'
    const about = refusal?.detail ?? ''
    if (died && !/transport certificate/.test(about)) return undefined
    if (!died && exchange.endpoint !== 'registration' && !API.includes(exchange.endpoint)) {
      return undefined
    }
    return unless(!died && certificate === 'valid' && refusal?.reason !== 'token-other-client', {
      message: 'the connection has no valid transport certificate of the TPP',
      expected: 'mutual TLS with the transport certificate that the directory issued to the TPP',
      actual: about || `certificate: ${certificate}`,
    })
  },
)

conduct(
  'TGEN-03/bearer',
  'requests for consents and data carry Authorization: Bearer',
  { endpoints: API },
  (exchange) => {
    if (!API.includes(exchange.endpoint)) return undefined
    const header = sent(exchange, 'authorization')
    return unless(/^Bearer +\S+$/i.test(header ?? ''), {
      message: 'there is no Authorization: Bearer header',
      expected: 'Authorization: Bearer <ACCESS_TOKEN>',
      actual: header === undefined ? 'no Authorization header' : `scheme ${header.split(' ')[0]}`,
    })
  },
)

/** The id by which log lines of both sides are matched. */
const interactionOf = readOnce((exchange) => sent(exchange, 'x-fapi-interaction-id'))

const withInteraction = searched((exchange) => some(interactionOf(exchange)))

/** What one customer does at one time. One id for all of it is also an interaction. */
const interactionIn = (exchange: Exchange) => {
  const { scenario, goal } = seenOf(exchange)
  return `${scenario} ${goal}`
}

conduct(
  'TGEN-09/interaction-id',
  'x-fapi-interaction-id is not the same for ever',
  { endpoints: API },
  (exchange, earlier) => {
    if (!API.includes(exchange.endpoint)) return undefined
    const id = interactionOf(exchange)
    if (id === undefined) return []
    const own = interactionIn(exchange)
    const again = withInteraction(earlier, id).some((other) => interactionIn(other) !== own)
    return unless(!again, {
      message: 'x-fapi-interaction-id is that of an earlier interaction',
      expected: 'another id for another interaction',
      actual: shown(id),
    })
  },
)

/** RFC 4122, as it is or as a URN. */
const UUID = /^(urn:uuid:)?[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** RFC 9110 5.6.7, the form that is sent. */
const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} (GMT|UTC)$/

/** Judges a header that a client need not send. */
const written = (name: string, form: RegExp, expected: string) => (exchange: Exchange) => {
  const value = API.includes(exchange.endpoint) ? sent(exchange, name)?.trim() : undefined
  if (!value) return undefined
  return unless(form.test(value), {
    message: `${name} is written in another way`,
    expected,
    actual: shown(value),
  })
}

conduct(
  'TGEN-10/interaction-id',
  'x-fapi-interaction-id is a UUID',
  { endpoints: API, unseen: 'the client sends no x-fapi-interaction-id' },
  written('x-fapi-interaction-id', UUID, 'a UUID, such as c770aef3-6784-41f7-8e0e-ff5f97bddb3a'),
)

conduct(
  'TGEN-10/auth-date',
  'x-fapi-auth-date is a date of HTTP',
  { endpoints: API, unseen: 'the client sends no x-fapi-auth-date' },
  written('x-fapi-auth-date', HTTP_DATE, 'such as Tue, 11 Sep 2012 19:43:31 GMT'),
)

const ADDRESSED: Endpoint[] = [...API, 'authorisation', 'token', 'registration', 'products']

const SECRETS = ['access_token', 'refresh_token', 'code', 'client_assertion', 'client_secret']

/** Parameters of other names whose value is the access token of the request itself. */
function tokenIn(exchange: Exchange): string[] {
  const long = [...queryOf(exchange)].filter(
    ([name, value]) => !SECRETS.includes(name) && value.length > 15 && !isDateTime(value),
  )
  // Only then is the header read, which a recording may have redacted.
  if (long.length === 0) return []
  const [, own] = /^Bearer +(\S+)$/i.exec(sent(exchange, 'authorization') ?? '') ?? []
  return long.filter(([, value]) => value === own).map(([name]) => name)
}

conduct(
  'TGEN-04/not-in-url',
  'no token, code or assertion stands in an address',
  { endpoints: ADDRESSED },
  (exchange) => {
    if (!ADDRESSED.includes(exchange.endpoint)) return undefined
    const named = SECRETS.filter((name) => queryOf(exchange).get(name))
    const found = named.length > 0 ? named : tokenIn(exchange)
    return unless(found.length === 0, {
      message: 'a secret stands in the address',
      expected: 'tokens in the Authorization header or in the body of a form',
      actual: `the query has ${found.join(', ')}`,
    })
  },
)

/** Below this prefix are consents and data, and payments, of which the documents say nothing; so in other versions. */
const BELOW = /^\/open-banking\/(v3\.1\/(?!pisp\/)|v[\d.]+\/(aisp|cbpii)\/)/

/** Statements have permissions but no address: requests for them are not judged. */
const STATEMENTS = /\/statements(\/|$)/

const RESOURCE =
  /\/(account-access-consents|account-requests|funds-confirmation-consents|accounts|balances|transactions)(\/|$)/i

/** Paths of consents and data. The document names several paths for funds confirmation (AMB-05, AMB-06). */
const DOCUMENTED = [
  /^(GET|DELETE) \/open-banking\/v3\.1\/aisp\/account-access-consents\/[^/]+$/,
  /^POST \/open-banking\/v3\.1\/aisp\/account-access-consents$/,
  /^POST \/open-banking\/v3\.1\/(aisp\/)?cbpii\/funds-confirmation-consents$/,
  /^\S+ \/open-banking\/v3\.1\/(aisp|cbpii|aisp\/cbpii)\/funds-confirmation-consents\/[^/]+$/,
  /^GET \/open-banking\/v3\.1\/aisp\/(accounts(\/[^/]+(\/(balances|transactions))?)?|balances|transactions)$/,
]

conduct(
  'TGEN-06/documented',
  'consents and data are asked for at the addresses of the document',
  { endpoints: API },
  (exchange) => {
    const { request } = exchange
    if (seenOf(exchange).addressed) return []
    const { pathname } = new URL(request.url)
    const ours = !STATEMENTS.test(pathname) && (RESOURCE.test(pathname) || BELOW.test(pathname))
    if (request.method === 'CONNECT' || !ours) return undefined
    const asked = `${request.method} ${pathname}`
    return unless(
      DOCUMENTED.some((each) => each.test(asked)),
      {
        message: 'the document has no such request',
        expected: 'method and path as the table of endpoints has them, below /open-banking/v3.1',
        actual: asked,
      },
    )
  },
)
