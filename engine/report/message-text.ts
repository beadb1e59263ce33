import { formDecoded } from '../record/percent.ts'
import { count, oneLine, visible } from './escape.ts'
import { certificateWords, headerOf } from './queries.ts'
import type { ExchangeRecord } from './report.ts'

/** Maximum number of lines shown of one body; the number of omitted lines follows. */
const MAX_LINES = 120

/**
 * One exchange for a reader at a terminal: the sender and its certificate, the deliberate fault, and request and
 * response with everything decoded that can be. `>` marks what was sent, `<` what was received, as in curl.
 *
 * @param asking the check for which all of this happens: other senders are named.
 */
export function messageText(record: Omit<ExchangeRecord, 'hash'>, asking: string): string {
  const { id, endpoint, about, request, response, failure, connection } = record
  const sender = typeof about.check === 'string' && about.check !== asking ? about.check : undefined
  const tls = [connection.protocol, connection.cipher].filter(Boolean).join(' ') || 'no TLS session'
  const lines = [
    `${id}  ${endpoint}${sender ? `, a step of ${sender}` : ''}`,
    `   ${tls}, ${certificateWords(connection.identity)}`,
  ]
  if (typeof about.deviation === 'string') lines.push(`   THE DEVIATION: ${about.deviation}`)
  lines.push(...sent(request), '')
  if (response) {
    lines.push(`< ${response.status}  (${record.durationMs} ms, ${count(response.bytes)} bytes)`)
    lines.push(...response.headers.flatMap((header) => headerLines('<', header)))
    lines.push(...bodyLines('<', response.body, response.headers))
    if (response.digest) lines.push(`< … cut; SHA-256 of the whole: ${response.digest}`)
  }
  if (failure) lines.push(`< nothing: ${failure.kind} ${failure.code}: ${failure.message}`)
  if (record.retriedBy) lines.push(`   sent again as ${record.retriedBy}`)
  return lines.map(oneLine).join('\n')
}

function sent({ method, url, headers, body }: ExchangeRecord['request']): string[] {
  return [
    ...addressLines(`> ${method} `, url, '>'),
    ...headers.flatMap((header) => headerLines('>', header)),
    ...bodyLines('>', body ?? '', headers),
  ]
}

/** A redirect carries its content in the query or the fragment of its address. */
function headerLines(mark: string, [name, value]: [string, string]): string[] {
  const begin = `${mark} ${name}: `
  return name.toLowerCase() === 'location' ? addressLines(begin, value, mark) : [begin + value]
}

function addressLines(begin: string, address: string, mark: string): string[] {
  const at = address.search(/[?#]/)
  if (at < 0) return [begin + address]
  return [begin + address.slice(0, at), ...pairs(mark, address.slice(at))]
}

function bodyLines(mark: string, body: string, headers: [string, string][]): string[] {
  if (body === '') return []
  const type = headerOf(headers, 'content-type') ?? ''
  const lines = type.startsWith('application/x-www-form-urlencoded')
    ? pairs(mark, body)
    : content(body).map((line) => `${mark}   ${line}`)
  const left = lines.length - MAX_LINES
  const shown =
    left > 0 ? [...lines.slice(0, MAX_LINES), `${mark}   … ${count(left)} more lines`] : lines
  return [mark, ...shown]
}

function content(body: string): string[] {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).split('\n')
  } catch {
    return visible(body).split('\n').flatMap(decoded)
  }
}

/** Parameters of a query, a fragment or a form, one per line; a JWT's header and claims follow below it. */
function pairs(mark: string, text: string): string[] {
  // A pseudonym contains spaces and delimiters that must not be interpreted.
  return [...text.matchAll(/([?#&]?)((?:<[^<>]*>|[^&?#])+)/g)].flatMap(([, sign, pair = '']) => {
    const at = pair.indexOf('=')
    const name = plain(at < 0 ? pair : pair.slice(0, at))
    const [value = '', ...more] = decoded(at < 0 ? '' : plain(pair.slice(at + 1)))
    const first = `${mark}   ${sign === '#' || sign === '?' ? sign : ' '}${name} = ${value}`
    return [first, ...more.map((line) => `${mark}     ${line}`)]
  })
}

/** `<request-object:3f9a1c alg=PS256 …; iss=… …>`: the placeholder of a JWT lists its content. */
function decoded(text: string): string[] {
  const [, name, header, claims] = /^<([\w-]+:[0-9a-f]{6}) ([^;]*)(?:; (.*))?>$/s.exec(text) ?? []
  if (name === undefined) return [text]
  const lines = [`<${name}>`, `  header  ${header}`]
  return claims === undefined ? lines : [...lines, `  claims  ${claims}`]
}

/** A placeholder is kept as it is. */
const plain = (text: string) => (text.startsWith('<') ? text : formDecoded(text))
