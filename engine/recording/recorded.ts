import { isObject } from '../record/json.ts'
import type { Exchange, WireFailure } from '../wire/exchange.ts'

/** What a recording may lack of an exchange, in the words of reports: `needs …, which the recording lacks`. */
export type Lack =
  | 'the client certificate'
  | 'the consent behind the access token'
  | 'the authorisation request of the customer'
  | 'the first ID token of the approval'
  | 'the registration of the client'
  | 'what became of a refused access token'
  | 'what the consent allows'
  | 'what no visit between two requests has changed'
  | 'all headers of the request'
  | 'all headers of the response'
  | 'the whole body of the request'
  | 'the whole body of the response'
  | 'a value that is redacted'
  | 'the order of requests at the same time'
  | 'a clock that agrees with the bank’s'
  | 'a form that the rule can read'

/** One exchange of a file, before its operation is known. */
export interface Recorded {
  /** Its position: `night.har entry 12`, `access.log line 7`. */
  where: string
  /** Milliseconds since the epoch. */
  at: number
  durationMs: number
  /** Possible error of `at` in milliseconds, because logs may write whole seconds. */
  vague: number
  method: string
  /** Absolute; only a path where a log names no host. */
  url: string
  requestHeaders: [string, string][]
  requestBody?: string
  /** Absent if no response was recorded. */
  response?: {
    status: number
    headers: [string, string][]
    /** Empty if there was none, or none was recorded. Bytes where they are known, after content decoding. */
    body: string | Buffer
    bytes: number
    /** Length on arrival, where the recording gives it: a body that is not JSON may have been cut. */
    declared?: number
  }
  failure?: WireFailure
  connection?: { protocol?: string; identity?: string }
  lacks: Set<Lack>
  /** Set if Assay recorded it: what the sender knew, and the endpoint. */
  own?: Pick<
    Exchange,
    'id' | 'endpoint' | 'about' | 'connection' | 'retriedBy' | 'unavailable' | 'failure'
  >
}

/** An exchange that can be judged, and what its recording lacks. */
export interface Judgeable {
  exchange: Exchange
  lacks: ReadonlySet<Lack>
}

/** A line or entry that is not an exchange, or a file that ends early: it is reported, the rest is judged. */
export interface Unreadable {
  where: string
  why: string
}

/** Milliseconds since the epoch; NaN for a date-time without an offset, which could be of any time zone. */
export const instantIn = (text: string): number =>
  /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? Date.parse(text) : Number.NaN

/** 9999-12-31: later years have more than four digits, which no date-time of a report can hold. */
const LAST_MOMENT = Date.UTC(9999, 11, 31)

const DAY = 24 * 60 * 60 * 1000

/** Why an exchange cannot have been at its time, in words that follow its position; undefined if it can. */
export function oddTime({
  at,
  durationMs,
}: Pick<Recorded, 'at' | 'durationMs'>): string | undefined {
  if (!(durationMs >= 0 && durationMs <= DAY)) {
    return 'has a duration of more than a day: it may be in another unit'
  }
  if (at >= 0 && at <= LAST_MOMENT) return undefined
  return 'has a time before 1970 or after 9999: it may be in another unit'
}

/** True for a text that replaces a value: `***`, `[REDACTED]`, `<redacted>`, or a pseudonym of Assay. */
export const isRedacted = (text: string): boolean =>
  PSEUDONYM.test(text) || (text.length < 200 && REPLACED.test(text))

/** True if a text may contain a redacted value: a quick test before a slow one. */
export function mayHoldRedacted(text: string): boolean {
  if (text.includes('<') && PSEUDONYM.test(text)) return true
  const small = text.toLowerCase()
  return SIGNS.some((sign) => small.includes(sign))
}

/** See engine/wire/pseudonyms.ts. */
const PSEUDONYM = /<[a-z][\w-]*:[0-9a-f]{6}(?: [^<>]*)?>/

const WORDS =
  'redacted|masked|removed|hidden|filtered|sanitized|sanitised|omitted|scrubbed|obfuscated|secret'

const REPLACED = new RegExp(
  `^(?:(?:bearer|basic) )?(?:(?:${WORDS})|[[<({*_]{1,3}(?:${WORDS})[^a-z].{0,60}|\\*{3,}|x{4,}|•{3,})$`,
  'i',
)

/** In lower case. Searching for strings is many times faster than a regular expression. */
const SIGNS = ['***', 'xxxx', '•••', ...WORDS.split('|')]

/** A string member of an object that is present and not redacted. */
export function textIn(value: unknown, name: string): string | undefined {
  const text = isObject(value) ? value[name] : undefined
  return typeof text === 'string' && text !== '' && !isRedacted(text) ? text : undefined
}
