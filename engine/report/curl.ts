import { visible } from './escape.ts'
import { headerOf } from './queries.ts'
import type { ExchangeRecord } from './report.ts'

/** Headers that the connection makes by itself, or that mean nothing outside of the run. */
const LEFT_OUT = ['host', 'connection', 'content-length', 'transfer-encoding', 'user-agent']

/** Form fields, query parameters and kinds of pseudonyms that stand for a secret or a signature. */
const SECRETS = [
  ...['access_token', 'client_assertion', 'client_secret', 'code', 'cookie', 'id_token'],
  ...['password', 'refresh_token', 'request', 'request-object', 'software_statement'],
]

/** Largest body that is written into a command. */
const MAX_BODY = 8 * 1024

/**
 * The request as a curl command. Secrets, signatures and the client certificate are shell variables
 * (`$ACCESS_TOKEN`, `$CERT`): the record doesn't hold them, and each TPP has its own.
 */
export function curl(exchange: ExchangeRecord): string {
  const { request, connection } = exchange
  const method = request.method === 'GET' ? '' : ` -X ${quote(request.method)}`
  const globs = /[[\]{}]/.test(request.url) ? ' --globoff' : ''
  const words = [`curl -i${method}${globs} ${address(request.url)}`]
  if (connection.identity !== 'none' && /^https:/i.test(request.url)) {
    const name = connection.identity.toUpperCase().replace(/[^A-Z0-9]/g, '_')
    words.push(`--cert "$${name}_CERT" --key "$${name}_KEY" --cacert "$BANK_CA"`)
  }
  for (const [name, value] of request.headers) {
    if (!LEFT_OUT.includes(name.toLowerCase())) words.push(`-H ${headerArgument(name, value)}`)
  }
  if (request.body) words.push(bodyArgument(request.headers, request.body))
  return words.join(' \\\n  ')
}

function headerArgument(name: string, value: string): string {
  const lower = name.toLowerCase()
  if (lower === 'authorization') {
    const scheme = /^(\S+)\s/.exec(value)?.[1]
    return scheme && /^[A-Za-z]+$/.test(scheme)
      ? `"${name}: ${scheme} $${scheme.toLowerCase() === 'basic' ? 'CREDENTIALS' : 'ACCESS_TOKEN'}"`
      : `"${name}: $AUTHORIZATION"`
  }
  if (lower === 'cookie') return `"${name}: $COOKIE"`
  return quote(`${name}: ${value}`)
}

function bodyArgument(headers: [string, string][], body: string): string {
  const type = headerOf(headers, 'content-type') ?? ''
  if (/jwt|jose/i.test(type)) return '--data-binary "$REGISTRATION_JWT"'
  if (body.length > MAX_BODY)
    return `--data-binary @body   # ${body.length} characters, see the exchange`
  if (!/x-www-form-urlencoded/i.test(type)) return `--data-binary ${quote(body)}`
  return body
    .split('&')
    .map((pair) => {
      const argument = pairArgument(pair)
      return `${argument.includes('"') ? '--data-urlencode' : '--data'} ${argument}`
    })
    .join(' \\\n  ')
}

function pairArgument(pair: string): string {
  const [name = ''] = pair.split('=')
  const placeholder = placeholderOf(name)
  return placeholder ? `"${name}=$${placeholder}"` : quote(pair)
}

/** The variable that stands for a secret; undefined for anything else. */
function placeholderOf(name: string): string | undefined {
  if (!SECRETS.includes(name)) return undefined
  return name === 'request' ? 'REQUEST_OBJECT' : name.toUpperCase().replace('-', '_')
}

function address(url: string): string {
  const question = url.indexOf('?')
  if (question < 0) return quote(url)
  const pairs = url.slice(question + 1).split('&')
  if (!pairs.some((pair) => placeholderOf(pair.split('=')[0] ?? ''))) return quote(url)
  return `${quote(url.slice(0, question + 1))}${pairs.map(pairArgument).join("'&'")}`
}

/** A secret's pseudonym, as redaction writes it: `<access_token:3f9a1c>`. */
const PSEUDONYM = /(<[\w-]+:[0-9a-f]{6}[^<>]*>)/

/**
 * One word for a POSIX shell; what can't be seen is spelled out and so changed. A pseudonym becomes
 * a variable when its label is on our list: a bank must not choose which variable is sent to it.
 */
function quote(text: string): string {
  const parts = text.split(PSEUDONYM).map((part, i) => {
    const label = i % 2 === 1 ? /^<([\w-]+):/.exec(part)?.[1] : undefined
    const placeholder = placeholderOf(label ?? '')
    return placeholder ? `"$${placeholder}"` : literal(part)
  })
  return parts.join('') || "''"
}

function literal(text: string): string {
  const plain = visible(text)
  if (plain === '') return ''
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`
}
