import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { openRecordedClient } from '../certification/recorded-client.ts'
import type { TppSuites } from '../certification/suite.ts'
import { brokenLines, type WatchedLine } from '../certification/watch.ts'
import { makeFolder } from '../record/make-folder.ts'
import { type JudgementParts, openJudgement } from '../recording/judgement.ts'
import type { Lack, Recorded } from '../recording/recorded.ts'
import { decoded } from '../wire/decode.ts'
import type { Exchange } from '../wire/exchange.ts'
import { createRedactor } from '../wire/redaction.ts'
import type { Passed } from './forward.ts'
import { openLater } from './later.ts'

/** Maximum bytes of a body after its content coding is decoded. */
const MOST_DECODED = 64 * 1024 * 1024

export interface PartiesParts {
  /** For judging the bank. */
  bank: Omit<JudgementParts, 'out' | 'version' | 'redactor'>
  /** For judging the TPP, and its name. */
  tpp: { suites: TppSuites; catalogue: Catalogue; name: string }
  /** Folder in which each party has its own folder. */
  out: string
  version: string
  /** Called with each request of the TPP, and each answer in which the bank breaks a rule. */
  onLine(line: WatchedLine): void
  /** Called if something could not be judged. */
  onTrouble(error: Error): void
}

/** Judges the bank and the TPP by what passes between them. */
export function openParties(parts: PartiesParts) {
  const { bank, tpp, version } = parts
  const folders = { bank: join(parts.out, 'bank'), tpp: join(parts.out, 'tpp') }
  for (const folder of Object.values(folders)) makeFolder(folder)
  const redactor = createRedactor(bank.target.secrets)
  const judgement = openJudgement({ ...bank, out: folders.bank, version, redactor })
  const client = openRecordedClient({
    ...{ ...tpp, target: bank.target, out: folders.tpp, version, redactor },
  })
  let latest = 0

  const lineOfOthers = (exchange: Exchange): WatchedLine => {
    // It is not in a log, so its secrets are learned here.
    redactor.redactExchange(exchange)
    const { id, startedAt: at, request, response, failure } = exchange
    const path = judgement.redact(new URL(request.url).pathname).slice(0, 300)
    const answer = String(response?.status ?? failure?.code ?? 'no answer')
    return { id, at, method: request.method, path, answer, broken: [] }
  }

  const judge = async (passed: Passed) => {
    const recorded = await recordedOf(passed, judgement.exchanges + 1)
    if (recorded.at < latest) recorded.lacks.add('the order of requests at the same time')
    latest = Math.max(latest, recorded.at)
    const judged = await judgement.take(recorded, `x${judgement.exchanges + 1}`)
    const { exchange, broken } = judged
    const { certificate } = passed.identity
    const ofTpp = client.take(judged, { certificate })
    const line = ofTpp ?? lineOfOthers(exchange)
    if (!ofTpp && broken.length === 0) return
    const bankBreaks = brokenLines(judgement.states(), broken, exchange.id, {
      catalogue: bank.catalogue,
      redact: judgement.redact,
    })
    parts.onLine({
      ...line,
      broken: [
        ...bankBreaks.map((each) => ({ ...each, by: 'bank' as const })),
        ...line.broken.map((each) => ({ ...each, by: 'TPP' as const })),
      ],
    })
  }

  const later = openLater(judge, parts.onTrouble)
  return {
    folders,
    redact: judgement.redact,
    /** Takes what passed; it is judged soon. */
    take: later.add,
    /** Judges what waits, and writes both reports. */
    async finish(notes: string[]) {
      await later.finish()
      try {
        return { bank: judgement.finish({ notes }), tpp: client.finish() }
      } finally {
        judgement.close()
      }
    },
  }
}

/** What passed, in the form of a recording. */
async function recordedOf(passed: Passed, count: number): Promise<Recorded> {
  const { at, durationMs, method, url, requestHeaders, requestBody, identity, connection } = passed
  const lacks = new Set<Lack>()
  const sent = requestBody.body()
  if (!sent) lacks.add('the whole body of the request')
  const received = passed.response && (await receivedIn(passed.response, lacks))
  const failure = passed.hungUp ? HUNG_UP : passed.failure
  requestBody.drop()
  passed.response?.body.drop()
  return {
    ...{ where: `request ${count}`, at, durationMs, vague: 0, method, url, requestHeaders, lacks },
    ...(sent && sent.length > 0 && { requestBody: sent.toString('utf8') }),
    ...(received && { response: received }),
    ...(failure && { failure }),
    connection: { ...connection, identity: identity.name },
  }
}

const HUNG_UP = {
  kind: 'closed',
  code: 'CLIENT_GONE',
  message: 'the client hung up before the answer was whole',
} as const

async function receivedIn(
  { status, headers, body }: NonNullable<Passed['response']>,
  lacks: Set<Lack>,
): Promise<NonNullable<Recorded['response']>> {
  const raw = body.body()
  const whole = raw && (await decoded(raw, headers, MOST_DECODED).catch(() => undefined))
  if (!whole) lacks.add('the whole body of the response')
  const kept = whole ?? Buffer.alloc(0)
  return { status, headers, body: kept, bytes: kept.length, declared: kept.length }
}
