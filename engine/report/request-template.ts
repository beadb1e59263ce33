import { headerOf, isOffered } from './queries.ts'
import type { ExchangeRecord } from './report.ts'

/** Headers that the connection adds itself, or that are meaningless outside the run. */
const LEFT_OUT = ['host', 'connection', 'content-length', 'user-agent']

/** Names of form fields, query parameters and pseudonyms of secrets and signatures. */
const SECRETS = [
  ...['access_token', 'client_assertion', 'client_secret', 'code', 'cookie', 'id_token'],
  ...['password', 'refresh_token', 'request', 'request-object', 'software_statement'],
]

/** A text, or the variable that replaces a secret. */
export type Token = string | { readonly variable: string }

/** A recorded request with variables for secrets, signatures and client certificate, which the record lacks. */
export interface RequestTemplate {
  method: string
  url: Token[]
  headers: [name: string, value: Token[]][]
  /** Parameters of a form, encoded as sent. */
  form?: [name: string, value: Token[]][]
  /** Any other body; empty if there was none. */
  body: Token[]
  /** Prefix of the variables of the client certificate: `FIRST`; absent if none was offered. */
  identity?: string
}

/** See RequestTemplate. */
export function templateOf({ request, connection }: ExchangeRecord): RequestTemplate {
  const { method, url, headers, body = '' } = request
  const type = headerOf(headers, 'content-type') ?? ''
  const isForm = /x-www-form-urlencoded/i.test(type) && body !== ''
  const isSigned = /jwt|jose/i.test(type)
  const offered = isOffered(connection.identity) && /^https:/i.test(url)
  return {
    method,
    url: addressTokens(url),
    headers: headers
      .filter(([name]) => !LEFT_OUT.includes(name.toLowerCase()))
      .map(([name, value]) => [name, headerTokens(name.toLowerCase(), value)]),
    ...(isForm && { form: pairsOf(body) }),
    body: isForm ? [] : isSigned ? [{ variable: 'REGISTRATION_JWT' }] : tokensOf(body),
    ...(offered && { identity: connection.identity.toUpperCase().replace(/[^A-Z0-9]/g, '_') }),
  }
}

/** Joins tokens into one text; `as` formats variables. */
export function tokensText(tokens: readonly Token[], as: (variable: string) => string): string {
  return tokens.map((token) => (typeof token === 'string' ? token : as(token.variable))).join('')
}

function headerTokens(name: string, value: string): Token[] {
  if (name === 'cookie') return [{ variable: 'COOKIE' }]
  if (name !== 'authorization') return tokensOf(value)
  const scheme = /^([A-Za-z]+)\s/.exec(value)?.[1]
  if (scheme === undefined) return [{ variable: 'AUTHORIZATION' }]
  const variable = scheme.toLowerCase() === 'basic' ? 'CREDENTIALS' : 'ACCESS_TOKEN'
  return [`${scheme} `, { variable }]
}

function addressTokens(url: string): Token[] {
  const question = url.indexOf('?')
  if (question < 0) return tokensOf(url)
  const pairs = pairsOf(url.slice(question + 1))
  const query = pairs.flatMap(([name, value], at): Token[] => {
    return [`${at > 0 ? '&' : ''}${name}${value.length > 0 ? '=' : ''}`, ...value]
  })
  return [...tokensOf(url.slice(0, question + 1)), ...query]
}

/** A pair without `=` has no value. */
function pairsOf(text: string): [name: string, value: Token[]][] {
  return text.split('&').map((pair) => {
    const equals = pair.indexOf('=')
    if (equals < 0) return [pair, []]
    const name = pair.slice(0, equals)
    const variable = variableOf(name)
    return [name, variable === undefined ? tokensOf(pair.slice(equals + 1)) : [{ variable }]]
  })
}

/** The pseudonym of a secret, as redaction writes it: `<access_token:3f9a1c>`. */
const PSEUDONYM = /(<[\w-]+:[0-9a-f]{6}[^<>]*>)/

/** A pseudonym becomes a variable only if its label is listed: a bank must not choose which variable is sent to it. */
function tokensOf(text: string): Token[] {
  return text.split(PSEUDONYM).flatMap((part, i): Token[] => {
    if (part === '') return []
    const label = i % 2 === 1 ? /^<([\w-]+):/.exec(part)?.[1] : undefined
    const variable = variableOf(label ?? '')
    return [variable === undefined ? part : { variable }]
  })
}

/** The variable for a secret; undefined for anything else. */
function variableOf(name: string): string | undefined {
  if (!SECRETS.includes(name)) return undefined
  return name === 'request' ? 'REQUEST_OBJECT' : name.toUpperCase().replace('-', '_')
}
