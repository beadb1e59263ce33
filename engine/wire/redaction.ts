import { createHash } from 'node:crypto'
import type { ExchangeRecord } from '../record/exchange-record.ts'
import type { Exchange, WireResponse } from './exchange.ts'
import { createPseudonyms } from './pseudonyms.ts'
import { textRedaction } from './redact-text.ts'
import { credentialHeader, labelOf } from './secret-patterns.ts'

/** Removes secrets from texts and exchanges before they leave the process. */
export type Redactor = ReturnType<typeof createRedactor>

/** Number of body characters that a record keeps, and of those after them that are searched as well. */
const KEPT = 32 * 1024
const MARGIN = 8 * 1024

type Header = [string, string]
type Change = (text: string) => string

/**
 * Makes a redactor. A secret becomes `<label:123456>`: its label and the first six digits of an HMAC-SHA256 with a key
 * of this run, so that it can be followed through the exchanges of a run but not beyond. Values shorter than four
 * characters are redacted only where their place (a header, a form field, a member) shows that they are secret.
 *
 * @param options.key hex, to share pseudonyms between processes. Default: random.
 */
export function createRedactor(secrets: string[], options: { key?: string } = {}) {
  const pseudonyms = createPseudonyms(options.key)
  const { text: redactText, placesTaken, inPlace } = textRedaction(pseudonyms)

  /** Registers a secret value to search for in whatever follows. The first label is kept. */
  const add = (value: string, label = 'secret') => {
    if (value !== '') pseudonyms.of(value, label, true)
  }

  const learnBasic = (credentials: string) => {
    const pair = Buffer.from(credentials, 'base64').toString('utf8')
    // RFC 7617 section 2: no control characters. Another token under this scheme does not decode to a pair.
    if (!pair.includes(':') || /[\p{Cc}\uFFFD]/u.test(pair)) return
    add(pair.slice(pair.indexOf(':') + 1), 'client_secret')
  }

  const recordOf = (exchange: Exchange, redact: Change): Omit<ExchangeRecord, 'hash'> => {
    const redactHeader = ([name, value]: Header): Header => {
      const label = credentialHeader(name)
      if (label === undefined) return [name, redact(value)]
      if (label === 'cookie') return [name, redactCookies(name, value)]
      const { scheme, credentials } = schemeAndCredentials(value)
      if (scheme === '') return [name, inPlace(value, label)]
      if (scheme.toLowerCase() === 'basic') learnBasic(credentials)
      const before = value.slice(0, value.length - credentials.length)
      return [name, `${before}${inPlace(credentials, labelOf(scheme))}`]
    }

    const redactCookies = (name: string, value: string): string => {
      const secret = (pair: string) => {
        const at = pair.indexOf('=') + 1
        return pair.slice(0, at) + inPlace(pair.slice(at).trim(), 'cookie')
      }
      const [first = '', ...rest] = value.split(';')
      // In Set-Cookie only the first pair is the cookie; the others are its attributes.
      const others = rest.map(name.toLowerCase() === 'set-cookie' ? redact : secret)
      return [secret(first), ...others].join(';')
    }

    const bounded = (body: string) => boundedBody(body, redact, pseudonyms.longest)

    const responseOf = (response: WireResponse) => ({
      status: response.status,
      headers: response.headers.map(redactHeader),
      body: bounded(response.body),
      bytes: response.bytes,
      ...(response.body.length > KEPT && {
        digest: response.digest ?? createHash('sha256').update(response.body).digest('hex'),
      }),
    })

    const { request, response, failure } = exchange
    const { check } = exchange.about
    return {
      id: exchange.id,
      endpoint: exchange.endpoint,
      about: {
        ...(eachText(exchange.about, redact) as Record<string, unknown>),
        // An id of the suites; a password that is an ordinary word must not change it.
        ...(check !== undefined && { check }),
      },
      startedAt: exchange.startedAt,
      durationMs: exchange.durationMs,
      request: {
        method: request.method,
        url: redact(request.url),
        headers: request.headers.map(redactHeader),
        ...(request.body !== undefined && { body: bounded(request.body) }),
      },
      ...(response && { response: responseOf(response) }),
      ...(failure && { failure: { ...failure, message: redact(failure.message) } }),
      connection: exchange.connection,
      ...(exchange.retriedBy !== undefined && { retriedBy: exchange.retriedBy }),
      ...(exchange.unavailable !== undefined && { unavailable: redact(exchange.unavailable) }),
    }
  }

  for (const secret of secrets) add(secret)

  return {
    /** The key of the pseudonyms, hex: another process of the same run needs it. */
    key: pseudonyms.key,
    add,
    redactText,
    /** A record without its place in the chain; bodies are truncated. */
    redactExchange(exchange: Exchange): Omit<ExchangeRecord, 'hash'> {
      // A later place may reveal a secret that also stands in an earlier one, so a first pass collects all secrets.
      recordOf(exchange, placesTaken)
      const { searched } = pseudonyms
      const record = recordOf(exchange, redactText)
      if (pseudonyms.searched === searched) return record
      return eachText(record, pseudonyms.replace) as typeof record
    },
  }
}

/**
 * The beginning of a body, redacted.
 *
 * @param longest length in characters of the longest known secret.
 */
function boundedBody(body: string, redact: Change, longest: number): string {
  if (body.length <= KEPT) return redact(body)
  // Base64 of percent-encoded UTF-8 is twelve times as long.
  const margin = Math.max(MARGIN, longest * 12)
  const looked = redact(body.slice(0, KEPT + margin))
  // A secret that the limit cuts in two is at the end, and not in the part that is kept.
  const whole = body.length <= KEPT + margin ? looked.length : looked.length - margin
  return looked.slice(0, Math.max(0, Math.min(KEPT, whole)))
}

/** The value with a function applied to every string in it. */
function eachText(value: unknown, change: Change): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((member) => eachText(member, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, eachText(member, change)]),
  )
}

/**
 * A scheme and its credentials, including incorrect forms: with a colon, without a space. The scheme is not part of the
 * secret; otherwise its name would be taken for the start of a secret everywhere.
 *
 * @returns scheme: empty if there is none, or nothing after it
 */
function schemeAndCredentials(value: string): { scheme: string; credentials: string } {
  const first = value.slice(0, Math.max(0, value.indexOf(' '))).replace(/:$/, '')
  const known = /^(?:bearer|basic|dpop)/i.exec(value)?.[0] ?? ''
  const scheme = /^[a-z]+$/i.test(first) ? first : known
  const credentials = value.slice(scheme.length).replace(/^[: ]+/, '')
  return { scheme: credentials === '' ? '' : scheme, credentials }
}
