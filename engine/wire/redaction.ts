import { createHash } from 'node:crypto'
import type { ExchangeRecord } from '../record/exchange-record.ts'
import type { Exchange, WireResponse } from './exchange.ts'
import { createPseudonyms } from './pseudonyms.ts'
import { textRedaction } from './redact-text.ts'
import { credentialHeader, labelOf } from './secret-patterns.ts'

/** Text and exchanges without secrets: what crosses a boundary goes through it first. */
export type Redactor = ReturnType<typeof createRedactor>

/** Characters of a body that a record keeps, and those behind them that are looked at as well. */
const KEPT = 32 * 1024
const MARGIN = 8 * 1024

type Header = [string, string]

/**
 * Makes a redactor. A secret becomes `<label:123456>`, its label and the first six digits of an
 * HMAC-SHA256 under a key of this run, so that it can be followed through the exchanges of a run
 * and not beyond. Values shorter than four characters are redacted only where their place (a
 * header, a form field, a member) tells that they are secret.
 *
 * @param options.key hex, to share pseudonyms between processes. Default: random.
 */
export function createRedactor(secrets: string[], options: { key?: string } = {}) {
  const pseudonyms = createPseudonyms(options.key)
  const { text: redactText, inPlace } = textRedaction(pseudonyms)

  const redactHeader = ([name, value]: Header): Header => {
    const label = credentialHeader(name)
    if (label === undefined) return [name, redactText(value)]
    if (label === 'cookie') return [name, redactCookies(name, value)]
    const [, scheme, credentials] = /^([A-Za-z]+) +(\S.*)$/.exec(value) ?? []
    if (scheme === undefined || credentials === undefined) return [name, inPlace(value, label)]
    if (scheme.toLowerCase() === 'basic') learnBasic(credentials)
    return [name, `${scheme} ${inPlace(credentials, labelOf(scheme))}`]
  }

  const learnBasic = (credentials: string) => {
    const pair = Buffer.from(credentials, 'base64').toString('utf8')
    const secret = pair.slice(pair.indexOf(':') + 1)
    if (pair.includes(':') && secret !== '') pseudonyms.of(secret, 'client_secret', true)
  }

  const redactCookies = (name: string, value: string): string => {
    const secret = (pair: string) => {
      const at = pair.indexOf('=') + 1
      return pair.slice(0, at) + inPlace(pair.slice(at).trim(), 'cookie')
    }
    const [first = '', ...rest] = value.split(';')
    // Of Set-Cookie only the first pair is the cookie, the others are its attributes.
    const others = rest.map(name.toLowerCase() === 'set-cookie' ? redactText : secret)
    return [secret(first), ...others].join(';')
  }

  const bounded = (body: string): string => {
    if (body.length <= KEPT) return redactText(body)
    // Base64 of percent-encoded UTF-8 is twelve times as long.
    const margin = Math.max(MARGIN, pseudonyms.longest * 12)
    const looked = redactText(body.slice(0, KEPT + margin))
    // A secret that the look cut in two stands at its end, and is not among what is kept.
    const whole = body.length <= KEPT + margin ? looked.length : looked.length - margin
    return looked.slice(0, Math.max(0, Math.min(KEPT, whole)))
  }

  const redactResponse = (response: WireResponse) => ({
    status: response.status,
    headers: response.headers.map(redactHeader),
    body: bounded(response.body),
    bytes: response.bytes,
    ...(response.body.length > KEPT && {
      digest: response.digest ?? createHash('sha256').update(response.body).digest('hex'),
    }),
  })

  const redactRecord = (exchange: Exchange): Omit<ExchangeRecord, 'hash'> => {
    const { request, response, failure } = exchange
    return {
      id: exchange.id,
      endpoint: exchange.endpoint,
      about: eachText(exchange.about, redactText) as Record<string, unknown>,
      startedAt: exchange.startedAt,
      durationMs: exchange.durationMs,
      request: {
        method: request.method,
        url: redactText(request.url),
        headers: request.headers.map(redactHeader),
        ...(request.body !== undefined && { body: bounded(request.body) }),
      },
      ...(response && { response: redactResponse(response) }),
      ...(failure && { failure: { ...failure, message: redactText(failure.message) } }),
      connection: exchange.connection,
      ...(exchange.retriedBy !== undefined && { retriedBy: exchange.retriedBy }),
      ...(exchange.unavailable !== undefined && { unavailable: redactText(exchange.unavailable) }),
    }
  }

  /** Registers a secret value, to be found in whatever follows. The first label stays. */
  const add = (value: string, label = 'secret') => {
    if (value !== '') pseudonyms.of(value, label, true)
  }

  for (const secret of secrets) add(secret)

  return {
    /** The key under which pseudonyms are made, hex: another process of the same run needs it. */
    key: pseudonyms.key,
    add,
    redactText,
    /** A record without its place in the chain; bodies bounded. */
    redactExchange(exchange: Exchange): Omit<ExchangeRecord, 'hash'> {
      const { searched } = pseudonyms
      const record = redactRecord(exchange)
      // What a later place gave away may stand, unnoticed, in an earlier one.
      if (pseudonyms.searched === searched) return record
      return eachText(record, pseudonyms.replace) as typeof record
    },
  }
}

/** The value with a function applied to every text in it. */
function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((member) => eachText(member, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, eachText(member, change)]),
  )
}
