import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openClientStore } from '../client-session/client-store.ts'
import type { Target } from '../configuration/resolve.ts'
import { member } from '../judge/data-rows.ts'
import { headerOf } from '../report/queries.ts'
import { addressMend, GATEWAY_MEND } from '../report/whose.ts'
import type { Exchange } from '../wire/exchange.ts'
import { SPEAKS_NO_TLS } from '../wire/failure.ts'
import { lacksTls, spokeTls } from './address.ts'
import { ask, type Case, clientsOf, openCase } from './case.ts'
import { requestToken, statedExaminations, tokenRefused } from './clients.ts'
import { type DoctorFinding, examine, hopelessIn, inFull, type Line, wrong } from './finding.ts'
import { addressExaminations, transportExamination } from './network.ts'
import type { Place } from './places.ts'
import { answerWords, oneLine } from './words.ts'

/** Milliseconds for one request: a person waits for the run to start. What is slower is asked again, without haste. */
const PATIENCE = 5_000

/** Parts that a run needs to judge anything. */
const NEEDED = ['discovery', 'token', 'consents and data']

/** What prevents a run, and whether it was found without a request to the bank. */
export type Obstacle = Line & { onPaper?: true }

/**
 * The doctor's first steps, before a run. Compares the data in the target file with each other and with the keys of the
 * directory; then checks addresses, TLS, whether there is a bank at all, and whether it knows our client. Reports only
 * what prevents a run from judging anything; other faults of a bank that answers are judged by the run.
 *
 * @param memory folder in which clients of earlier runs are kept.
 * @returns lines that say what prevents the run, without secrets; empty if the run can begin
 */
export async function preflight(target: Target, memory?: string): Promise<Obstacle[]> {
  const { lines, wasSlow } = await obstaclesWithin(PATIENCE, target, memory)
  return wasSlow ? (await obstaclesWithin(target.timeout, target, memory)).lines : lines
}

/** Finds what prevents a run, and whether something gave no answer in this time, which is less than the target allows. */
async function obstaclesWithin(
  patience: number,
  target: Target,
  memory: string | undefined,
): Promise<{ lines: Obstacle[]; wasSlow: boolean }> {
  const opened = openCase(target, patience)
  const { wire, redactor } = opened
  let wasSlow = false
  wire.onExchange(({ failure }) => {
    wasSlow ||= failure?.kind === 'timeout' && opened.timeout < target.timeout
  })
  try {
    const paper = await wrongOnPaper(opened, registeredBefore(target, memory))
    const lines = merged(
      paper.length > 0 ? paper : await obstacles({ ...opened, places: needed(opened.places) }),
    ).map((line) => ({ ...line, text: redactor.redactText(inFull(line)) }))
    return { lines, wasSlow: wasSlow && lines.length > 0 }
  } finally {
    await wire.close()
  }
}

/** Names of the clients that a run does not register, because they have a client_id already. */
function registeredBefore(target: Target, memory: string | undefined): Set<string> {
  const file = memory && join(memory, `${target.name}.clients.json`)
  const kept = file && existsSync(file) ? openClientStore(file, target) : undefined
  const known = clientsOf(target).filter(
    ({ name, clientId }) => clientId !== undefined || kept?.find(name) !== undefined,
  )
  return new Set(known.map(({ name }) => name))
}

/**
 * Certificates, software statements, redirect URIs and keys that no bank can accept. For a client that is already
 * registered, only its certificate matters: its statement and the keys named there are no longer used.
 */
async function wrongOnPaper(known: Case, registered: ReadonlySet<string>): Promise<Obstacle[]> {
  const { target } = known
  if (target.absent.has('account-information')) return []
  const examinations = clientsOf(target).flatMap((client) => {
    const all = statedExaminations(known, client)
    return registered.has(client.name) ? all.slice(0, 1) : all
  })
  return (await hopelessIn(examinations)).map((line) => ({ ...line, onPaper: true }))
}

/** Members of a target file that one sentence names. */
const MEMBERS = /\b(?:addresses|overrides)\.\w+(?:, (?:addresses|overrides)\.\w+)*/

/** Merges equal findings about several addresses into one line. */
function merged(lines: Line[]): Line[] {
  const byWords = new Map<string, Line>()
  for (const line of lines) {
    const mend = line.level === 'wrong' ? line.mend : ''
    const host = hostOf(line)
    const key = [line.level, line.text.replace(host, ''), mend.replace(MEMBERS, '')].join('\n')
    const first = byWords.get(key)
    const [members] = MEMBERS.exec(mend) ?? []
    if (first?.level === 'wrong' && members) {
      const all = first.mend.replace(MEMBERS, (before) => `${before}, ${members}`)
      const own = hostOf(first)
      const text = own === '' ? first.text : first.text.replace(own, `${own}, ${host}`)
      byWords.set(key, { ...first, text, mend: all, name: `${first.name}, ${line.name}` })
    } else byWords.set(key, line)
  }
  return [...byWords.values()]
}

/** The host that a line about an address names; for merged lines, the last one. */
function hostOf({ name }: Line): string {
  const origin = name.split(', ').at(-1) ?? ''
  return URL.canParse(origin) ? new URL(origin).host : ''
}

/** Does not open the customers' login page, because banks count its visitors. */
function needed(places: Place[]): Place[] {
  const first = places.filter(({ serves }) => serves.some((part) => NEEDED.includes(part)))
  return first.length > 0 ? first : places
}

async function obstacles(known: Case): Promise<Line[]> {
  const wrongs: Line[] = []
  for await (const line of examine(addressExaminations(known))) {
    if (line.level === 'wrong') wrongs.push(line)
  }
  const away = new Set<string>()
  const answered: string[] = []
  for (const [{ origin, members }, answer] of known.answers) {
    const exchange = await answer
    if (notThere(exchange)) away.add(origin)
    else if (exchange.response) answered.push(...members)
  }
  const others = answered.length > 0 ? `; ${answered.join(', ')} answered` : ''
  const stop = wrongs.filter(({ name }) => away.has(name))
  if (stop.length > 0) return stop.map((line) => ({ ...line, text: `${line.text}${others}` }))
  // If no address answers at all, the bank is away, whatever the failure of each address is.
  if (answered.length === 0 && wrongs.length > 0 && wrongs.length === known.places.length)
    return wrongs
  if (known.target.absent.has('account-information')) return []
  const stranger = await noBank(known)
  if (stranger) return [{ name: new URL(known.target.endpoints.discovery).host, ...stranger }]
  const refused = await refusedCertificate(known)
  return refused.length > 0 ? refused : refusedClient(known)
}

/** True if nothing answers at this address, or not the server that our configuration expects, or not without TLS. */
function notThere(exchange: Exchange): boolean {
  const { failure } = exchange
  if (lacksTls(exchange)) return true
  if (failure?.kind === 'unreachable' || failure?.kind === 'untrusted') return true
  return (
    failure?.kind === 'garbage' &&
    (SPEAKS_NO_TLS.test(failure.code) || failure.code.startsWith('HPE_'))
  )
}

/**
 * A web server that is not a bank: neither discovery nor token nor accounts behaves like such an interface. If one of
 * them does, the run judges the others.
 */
async function noBank(known: Case): Promise<DoctorFinding | undefined> {
  const { discovery, token, aisp } = known.target.endpoints
  const why = 'asks whether a bank is there, without a token'
  const asked = [
    await ask(known, discovery, why),
    await ask(known, token, why, { method: 'POST', identity: 'first' }),
    await ask(known, `${aisp}/accounts`, why, { identity: 'first' }),
  ]
  if (asked.some(speaksLikeABank)) return undefined
  const members = known.places.flatMap((place) => place.members)
  const unserved = inItsPlace(asked, members)
  if (unserved) return unserved
  const words = asked.map(({ request, response }) => {
    return `${request.method} ${new URL(request.url).pathname} → ${response?.status ?? 'nothing'}`
  })
  return wrong(
    'configuration',
    `there is a web server, and no open banking interface: ${words.join(', ')}`,
    `Correct ${members.join(', ')}.`,
  )
}

/** Explains the case that nothing answered, or that only something in front of the bank answered. */
function inItsPlace(
  asked: readonly Exchange[],
  members: readonly string[],
): DoctorFinding | undefined {
  const [first] = asked
  const statuses = new Set(asked.map(({ response }) => response?.status))
  const [status] = statuses
  const host = new URL(first?.request.url ?? '').host
  if (statuses.size > 1 || !first) return undefined
  if (status === undefined) {
    const mend = addressMend(
      members.join(', '),
      'ask the bank whether it runs there, then whoever runs a proxy or firewall between whether that cuts connections.',
    )
    const { kind, code, message = 'no answer' } = first.failure ?? {}
    const does =
      kind === 'timeout'
        ? `takes connections and does not answer: ${message}`
        : `cuts every connection before an answer is complete (${code ?? message})`
    return wrong('network', `${host} ${does}`, mend)
  }
  if (status === 502 || status === 504) {
    const text = `a gateway of the bank at ${host} answers ${answerWords(first)} to everything: the server behind it gave no answer`
    return wrong('gateway', text, GATEWAY_MEND)
  }
  if (status !== 503) return undefined
  const after = headerOf(first.response?.headers ?? [], 'retry-after')
  return wrong(
    'bank',
    `the bank at ${host}, or a gateway of it, answers ${answerWords(first)} to everything, as in maintenance`,
    `Retry later${after === undefined ? '' : ` (Retry-After: ${oneLine(after)})`}; if it lasts, ask the bank when its interface serves requests again.`,
  )
}

function speaksLikeABank({ response, failure }: Exchange): boolean {
  if (!response) return failure?.kind === 'tls-alert'
  if ([400, 401, 403].includes(response.status)) return true
  return typeof response.json === 'object' && response.json !== null
}

/** The first client's certificate, if every listener that requires one refuses it. */
async function refusedCertificate(known: Case): Promise<Line[]> {
  const mutual = known.places.filter((place) => place.mutual)
  const answers = await Promise.all(mutual.map((place) => known.answers.get(place)))
  // A connection that is cut before the TLS session exists says nothing about a certificate.
  if (!answers.every((exchange) => exchange && spokeTls(exchange))) return []
  const { name, run } = transportExamination(known, known.target.clients.first)
  const found = [await run()].flat()
  const wrongs = found.filter((finding) => finding.level === 'wrong')
  const all = mutual.length > 0 && wrongs.length === mutual.length
  return all ? wrongs.map((finding) => ({ name, ...finding })) : []
}

/** A client of the target file that the bank does not know. */
async function refusedClient(known: Case): Promise<Line[]> {
  const { first } = known.target.clients
  if (first.clientId === undefined) return []
  const scope = first.scopes.accounts
  const exchange = await requestToken(known, first, scope)
  if (member(exchange.response?.json, 'error') !== 'invalid_client') return []
  return [{ name: `first: token for ${scope}`, ...tokenRefused(exchange, first, scope) }]
}
