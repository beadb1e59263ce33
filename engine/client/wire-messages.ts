import { randomBytes } from 'node:crypto'
import type { Target } from '../configuration/resolve.ts'
import type { WireMessage } from '../wire/wire.ts'
import {
  type CallEndpoint,
  type CallOptions,
  headersOf,
  methodOf,
  overMutualTls,
  urlOf,
  withHeaders,
} from './call.ts'
import {
  basic,
  type Grant,
  type RegisteredClient,
  type RegistrationDeviation,
  type TokenDeviation,
  type Told,
  tokenForm,
} from './messages.ts'

/** The sender of a message: the name of a client of the target. */
interface Sender {
  name: string
  target: Target
}

/** For these, no sentence says whether a certificate is required. */
const OPEN = new Set<CallEndpoint>(['discovery', 'jwks'])

/**
 * A registration or a token request.
 *
 * @param body is called again for every retry: a bank may refuse what it has seen before.
 */
export function postMessage(
  { name, target }: Sender,
  endpoint: 'registration' | 'token',
  deviation: Omit<RegistrationDeviation, 'jwt' | 'softwareStatement'>,
  type: string,
  body: () => string,
  Authorization?: string,
): WireMessage {
  const { body: other, contentType = type } = deviation
  const own = {
    Authorization,
    'Content-Type': contentType ?? undefined,
    Accept: 'application/json',
  }
  return {
    endpoint,
    identity: deviation.identity ?? name,
    method: deviation.method ?? 'POST',
    url: target.endpoints[endpoint],
    headers: withHeaders(own, deviation.headers, deviation.headerNames),
    ...(other === undefined ? { body: body(), renewed: body } : { body: other }),
    ...told(name, deviation),
  }
}

/** A token request of a client that the bank has registered. */
export function tokenMessage(
  sender: Sender,
  { client_id: clientId, scope, client_secret: secret }: RegisteredClient,
  { grant, assertion }: { grant: Grant; assertion: () => string },
  deviation: TokenDeviation,
): WireMessage {
  const clientSecret = secret ?? randomBytes(24).toString('base64url')
  const { authentication = 'private_key_jwt', form: over, respelled } = deviation
  const registered = { clientId, ...(scope !== undefined && { scope }) }
  const message = postMessage(
    sender,
    'token',
    { ...deviation, about: { registered, ...deviation.about } },
    'application/x-www-form-urlencoded',
    () => {
      const form = tokenForm({ grant, clientId, assertion, authentication, clientSecret, over })
      return respelled ? respelled(form) : form
    },
    authentication === 'client_secret_basic' ? basic(clientId, clientSecret) : undefined,
  )
  return deviation.inTheQuery ? inTheQuery(message) : message
}

/** The same parameters in the query of the address; a repetition has the same ones. */
function inTheQuery({ renewed: _, body = '', ...message }: WireMessage): WireMessage {
  const url = `${message.url}${message.url.includes('?') ? '&' : '?'}${body}`
  return { ...message, url, ...(message.method !== 'GET' && { body: '' }) }
}

/** A request to any other endpoint. */
export function callMessage(
  { name, target }: Sender,
  endpoint: CallEndpoint,
  options: CallOptions & Told,
): WireMessage {
  const method = options.method ?? methodOf(endpoint)
  const { subject, body } = options
  const common = told(name, options)
  const { client: productsClient = 'none', headers: productsHeaders } =
    (endpoint === 'products' && target.document.products) || {}
  const own = overMutualTls(endpoint) ? name : productsClient
  return {
    ...common,
    about: { ...(subject !== undefined && { subject }), ...common.about },
    endpoint,
    identity: options.identity ?? own,
    ...(options.identity === undefined && OPEN.has(endpoint) && { elseIdentity: name }),
    method,
    url: urlOf(endpoint, target.endpoints, options),
    headers: headersOf(endpoint, method, {
      ...options,
      headers: { ...productsHeaders, ...options.headers },
    }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }
}

function told(client: string, { about, timeout, retry, deviation, newConnection }: Told) {
  return {
    about: { client, ...(deviation !== undefined && { deviation }), ...about },
    ...(timeout !== undefined && { timeout }),
    ...(newConnection && { newConnection }),
    retry: retry ?? true,
  }
}
