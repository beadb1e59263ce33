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

/** Exchanges that the rules of a TPP look back at. */
const MOST = 5000

/** What is told of an exchange beside itself. */
export interface Told {
  /** What the TPP's rules call the transport certificate; undefined where nobody told. */
  certificate: string | undefined
  /** The file that it was read from. */
  file?: string
}

/** Judges a TPP by exchanges between it and a bank that is somebody else's: passed on, or recorded. */
export type RecordedClient = ReturnType<typeof openRecordedClient>

/** @param parts.target the bank that the exchanges went to */
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
   * Judges the next exchange, and learns what it tells of those that follow.
   *
   * @returns undefined for what is no request of the TPP: a page of the bank in a customer's browser, what another file
   *   has told before
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
     * Judges the next exchange of a file, unless Assay itself sent it. What is no operation is judged below the addresses of the
     * API alone: a recording may hold much else.
     */
    takeRecorded(judgeable: Judgeable, { own, where, connection, url }: Recorded): void {
      const { exchange } = judgeable
      if (own || (exchange.endpoint === 'elsewhere' && !isOfApi(url))) {
        known.learn(exchange)
        return
      }
      const [file] = where.split(/ (?:entry|line) /, 1)
      // Who logged a certificate has taken it.
      const certificate = connection?.identity === undefined ? undefined : 'valid'
      take(judgeable, { certificate, file })
    },
    /** Writes report.json and closes exchanges.jsonl. */
    finish: watch.finish,
  }
}

/** Pages that a customer sees in a browser are none of the TPP: it shows a credential wherever it asks for something else. */
function isOfTpp({ endpoint, request }: Exchange): boolean {
  if (endpoint !== 'elsewhere') return true
  return request.headers.some(([name]) => name.toLowerCase() === 'authorization')
}

/** Is it a request that another file told as well? In one file the client has sent it twice. */
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
