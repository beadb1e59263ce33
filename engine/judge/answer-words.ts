import { wordsOf } from '../record/page-words.ts'
import type { Exchange } from '../wire/exchange.ts'
import { member } from './data-rows.ts'

/** Maximum length, in characters, of text quoted from the bank. */
const LONGEST = 160

/** What a successful request did, by endpoint. */
const DEEDS: Partial<Record<Exchange['endpoint'], string>> = {
  registration: 'registered a client',
  'create-account-access-consent': 'created a consent',
  'create-funds-confirmation-consent': 'created a consent',
  'delete-account-access-consent': 'deleted the consent',
  'delete-funds-confirmation-consent': 'deleted the consent',
}

/** The response in a few words: `401`, `connection closed (UND_ERR_SOCKET)`. */
export function answerOf(exchange: Exchange): string {
  if (exchange.response) return String(exchange.response.status)
  const { kind, code, alone } = exchange.failure ?? { kind: 'closed', code: '' }
  const between = alone ? ', while the listener answered before and after' : ''
  return `no response: ${kind}${code ? ` (${code})` : ''}${between}`
}

/** Like `answerOf`, plus the bank's words from JSON or a page: `401 (invalid_client: the assertion has expired)`. */
export function answerWith(exchange: Exchange): string {
  const own = ownWords(exchange)
  return own === '' ? answerOf(exchange) : `${answerOf(exchange)} (${own})`
}

/** `answered 400 instead of a success; the bank says “invalid_client: the assertion has expired”` */
export function insteadOf(expected: string, exchange: Exchange): string {
  const own = ownWords(exchange)
  const said = own === '' ? '' : `; the bank says “${own}”`
  return `answered ${answerOf(exchange)} instead of ${expected}${said}`
}

/** The bank's own description of an error; empty if it gives none. */
function ownWords(exchange: Exchange): string {
  const short = (text?: string) => text?.replace(/\s+/g, ' ').slice(0, LONGEST)
  const error = short(textIn(exchange, 'error', 'Code', 'code'))
  const words = short(textIn(exchange, 'error_description', 'Message', 'message'))
  const parts = [error && withoutStatus(error, exchange), words]
  return parts.filter((part) => part !== undefined).join(': ') || pageOf(exchange)
}

/** The text of a page that came instead of JSON. A firewall, for example, gives its case number there. */
function pageOf({ response }: Exchange): string {
  if (!response || response.json !== undefined) return ''
  const type = response.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  return /^text\//i.test(type ?? '') ? wordsOf(response.body) : ''
}

/** Why a body is not JSON, in a few words. */
export function notJson({ response }: Exchange): string {
  if (!response || response.bytes === 0) return 'no body'
  if (response.body.startsWith('\ufeff')) {
    return 'a byte order mark before the text, which RFC 8259 section 8.1 forbids'
  }
  return `${response.bytes} bytes that are not JSON`
}

/** The first of these members of a response that is a non-empty string. */
export function textIn({ response }: Exchange, ...names: string[]): string | undefined {
  const values = names.map((name) => member(response?.json, name))
  return values.find((value) => typeof value === 'string' && value !== '') as string | undefined
}

/** Open banking bodies repeat the status in their Code member; this removes it. */
export function withoutStatus(code: string, { response }: Exchange): string {
  const status = `${response?.status} `
  return code.startsWith(status) ? code.slice(status.length) : code
}

/** `registered a client (201) although no client certificate was sent` */
export function acceptanceOf(exchange: Exchange): string {
  const { endpoint, about, response } = exchange
  const deed = response && response.status < 300 ? DEEDS[endpoint] : undefined
  const did =
    deed === undefined ? `answered ${answerOf(exchange)}` : `${deed} (${response?.status})`
  return about.deviation === undefined
    ? `${did} and did not refuse`
    : `${did} ${inSpiteOf(about.deviation)}`
}

function inSpiteOf(deviation: string): string {
  if (deviation.startsWith('no ')) return `although ${deviation} was sent`
  if (deviation.startsWith('without ')) return deviation
  return /(?<!\b(?:that|which|and)) (?:was|were|has|have|is) /.test(` ${deviation} `)
    ? `although ${deviation}`
    : `in spite of ${deviation}`
}
