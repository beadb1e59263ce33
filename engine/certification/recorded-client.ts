import { createHash } from 'node:crypto'
import { member } from '../judge/data-rows.ts'
import { kept } from '../recording/kept.ts'
import { operationsOf } from '../recording/operations.ts'
import type { Judgeable, Recorded } from '../recording/recorded.ts'
import type { RecordingTarget } from '../recording/recording-target.ts'
import { type RedactedNames, viewOf } from '../recording/view.ts'
import type { Exchange, Seen } from '../wire/exchange.ts'
import { createDoubts } from './doubts.ts'
import { createKnown } from './known.ts'
import { openWatch, WATCHED, type WatchedLine } from './watch.ts'

/** Maximum number of exchanges that the rules of a TPP look back at. */
const MOST = 5000

/** What is known about an exchange besides itself. */
export interface Told {
  /** The transport certificate in the terms of the TPP's rules; undefined if it is unknown. */
  certificate: string | undefined
  /** The file from which it was read. */
  file?: string
}

/** Judges a TPP by exchanges between it and another party's bank, either proxied or recorded. */
export type RecordedClient = ReturnType<typeof openRecordedClient>

/** @param parts.target the bank that received the exchanges */
export function openRecordedClient(
  parts: Omit<Parameters<typeof openWatch>[0], 'doubts' | 'most'> & { target: RecordingTarget },
) {
  const doubts = createDoubts()
  const watch = openWatch({ ...parts, doubts, most: MOST })
  const known = createKnown(parts.target)
  const names: RedactedNames = new WeakMap()
  const isToldTwice = createToldTwice()
  const { isOfApi } = operationsOf(parts.target.endpoints)

  const judge = ({ exchange, lacks }: Judgeable, { certificate }: Told) => {
    const { facts, unknown } = known.of(exchange)
    const seen: Seen = { ...WATCHED, fired: [], certificate: certificate ?? '', ...facts }
    doubts.hide(seen, certificate === undefined ? [...unknown, 'certificate'] : unknown)
    if ((exchange.response?.status ?? 0) >= 400) doubts.hideRefusal(seen)
    const own = { ...exchange, about: { check: 'watch', seen } }
    const view = viewOf({ exchange: { ...own, about: {} }, lacks }, doubts.note, names)
    view.about = own.about
    return watch.take(own, refusalIn(exchange), view)
  }

  /**
   * Judges the next exchange, and learns from it what later ones need.
   *
   * @returns undefined for what is not a request of the TPP: a page of the bank in a customer's browser, or what
   *   another file has recorded already
   */
  const take = (judgeable: Judgeable, told: Told): WatchedLine | undefined => {
    const { exchange } = judgeable
    const isJudged = isOfTpp(exchange) && !isToldTwice(exchange, told.file)
    const line = isJudged ? judge(judgeable, told) : undefined
    known.learn(exchange)
    return line
  }

  return {
    take,
    /**
     * Judges the next exchange of a file, unless Assay itself sent it. Requests that are not operations are only judged
     * below the addresses of the API: a recording may contain much else.
     */
    takeRecorded(judgeable: Judgeable, { own, where, connection, url }: Recorded): void {
      const { exchange } = judgeable
      if (own || (exchange.endpoint === 'elsewhere' && !isOfApi(url))) {
        known.learn(exchange)
        return
      }
      const [file] = where.split(/ (?:entry|line) /, 1)
      // A server that logged a certificate has accepted it.
      const certificate = connection?.identity === undefined ? undefined : 'valid'
      take(judgeable, { certificate, file })
    },
    /** Writes report.json and closes exchanges.jsonl. */
    finish: watch.finish,
  }
}

/** Browser pages of a customer are not requests of the TPP, whose other requests all carry a credential. */
function isOfTpp({ endpoint, request }: Exchange): boolean {
  if (endpoint !== 'elsewhere') return true
  return request.headers.some(([name]) => name.toLowerCase() === 'authorization')
}

/** True if another file recorded the request as well. Within one file the client has sent it twice. */
function createToldTwice() {
  const files = new Map<string, string>()
  return ({ request }: Exchange, file: string | undefined): boolean => {
    if (file === undefined) return false
    const { method, url, headers, body } = request
    const own = headers.filter(([name]) => /^(?:authorization|x-fapi-.+)$/i.test(name))
    const text = JSON.stringify([method, url, own.sort(), body])
    const digest = createHash('sha256').update(text).digest('base64url')
    const before = files.get(digest)
    if (before !== undefined && before !== file) return true
    kept(files, digest, file)
    return false
  }
}

/** Why the bank refused, in its own words: OAuth 2.0 (RFC 6749 5.2), or the errors of open banking. */
function refusalIn({ response }: Exchange): string | undefined {
  if (!response || response.status < 400) return undefined
  const { json } = response
  const errors = member(json, 'Errors')
  const said = [
    member(json, 'error_description'),
    Array.isArray(errors) ? member(errors[0], 'Message') : undefined,
    ...[member(json, 'Message'), member(json, 'error')],
  ].find((each) => typeof each === 'string' && each !== '')
  return said === undefined ? undefined : String(said).slice(0, 300)
}
