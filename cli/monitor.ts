import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { driverProblem } from '../engine/authorisation-drivers/find-browser.ts'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { openClientStore } from '../engine/client-session/client-store.ts'
import { endpointsOf, layoutOf } from '../engine/configuration/addresses.ts'
import { type Target, targetFrom } from '../engine/configuration/resolve.ts'
import { Blocked, NotApplicable } from '../engine/judge/outcome.ts'
import { approveForMonitor } from '../engine/monitor/approve.ts'
import { type KeptApprovals, openKeptApprovals } from '../engine/monitor/kept-approvals.ts'
import {
  isAway,
  keepState,
  lasting,
  type MonitorState,
  readState,
} from '../engine/monitor/state.ts'
import { type Watched, type WatchParts, watchOnce } from '../engine/monitor/watch-once.ts'
import { now } from '../engine/record/clock.ts'
import { DAY } from '../engine/record/durations.ts'
import { makeFolder } from '../engine/record/make-folder.ts'
import { ASSAY } from '../engine/record/program.ts'
import { onEnd } from '../engine/record/signals.ts'
import { counted } from '../engine/report/escape.ts'
import { complain, say, shown } from '../engine/report/terminal.ts'
import { writeReports } from '../engine/report/write-reports.ts'
import { openSession } from '../engine/run/open.ts'
import { loadConsents, loadSuites, type Suites } from '../engine/run/suites.ts'
import { createRedactor } from '../engine/wire/redaction.ts'
import { certificateEnds } from '../engine/wire/transport-certificates.ts'
import { isOfFiles } from './file-errors.ts'
import { holdFolders, reportsFolder, SUITES, typed, version } from './folders.ts'
import { tellWebhook, webhookOf } from './notify.ts'
import { type OpenedTarget, openTarget } from './open-target.ts'
import { forgetEarlier, prepared, requireMemory } from './preparation.ts'
import { duration, instantAfter, UsageError } from './usage.ts'

export interface MonitorOptions {
  target: string
  every?: string
  until?: string
  /** Time between two readings of data. */
  dataEvery?: string
  approve?: boolean
  out?: string
  history?: string
  deviations?: string
  notify?: string[]
}

/** Minimum number of milliseconds between two rounds: a monitor is not a load test. */
const SHORTEST = 10_000

/** Maximum number of milliseconds between two rounds: a timer of Node beyond 24.8 days ends at once. */
const LONGEST = 7 * DAY

/**
 * `assay monitor --target bank.yaml`: one round, or repeated rounds with --every. Exit code 1 when a must was broken, 3
 * when something was not reachable, 5 when a round could not be written, else 0.
 */
export async function monitor(options: MonitorOptions): Promise<void> {
  const every = duration('--every', options.every)
  if (every !== undefined && every < SHORTEST) {
    throw new UsageError(`--every ${options.every} is too often: ${SHORTEST / 1000}s at least`)
  }
  if (every !== undefined && every > LONGEST) {
    throw new UsageError(`--every ${options.every} is too rare: 7d at most`)
  }
  if (options.until !== undefined && every === undefined) {
    throw new UsageError('--until goes with --every')
  }
  const until = instantAfter('--until', options.until, now())
  const dataEvery = duration('--data-every', options.dataEvery) ?? 0
  const catalogue = loadCatalogue()
  const { deviations: file, notify, out: folder, history } = options
  const { deviations } = await prepared(
    { deviations: file, notify, out: folder, history },
    catalogue,
  )
  const opened = await openTarget(options.target)
  const { memory, document } = opened
  if (memory === undefined) {
    await opened.close()
    const how = `start one with ${ASSAY} bank --info bank.yaml, and name that file`
    throw new UsageError(
      `${options.target} is the reference bank, which ends with this command: ${how}`,
    )
  }
  requireMemory(memory, document.name)
  const target = targetFrom(document, opened.base)
  const out = resolve(options.out ?? join(reportsFolder(`${document.name}-monitor`), 'last'))
  makeFolder(memory, 0o700)
  const release = holdFolders({ out, name: document.name })
  const kept = openKeptApprovals(join(memory, `${document.name}.monitor`), target)
  if (!kept) {
    release()
    throw new UsageError(`another assay monitor of ${document.name} is at work: wait for its end`)
  }
  try {
    const suites = await loadSuites(SUITES, catalogue)
    if (options.approve) return await approve(opened, target, suites, kept)
    const clients = openClientStore(join(memory, `${document.name}.clients.json`), target)
    forgetEarlier(out)
    const parts = {
      ...{ target, suites, catalogue, deviations, kept, clients, out, version, dataEvery },
      described: describedBy(opened),
    }
    process.exitCode = await watch(parts, {
      ...{ every, until, history: options.history, notify: options.notify ?? [] },
      stateFile: join(memory, `${document.name}.monitor.json`),
    })
  } finally {
    kept.close()
    release()
    await opened.close()
  }
}

function describedBy({
  document,
  configurationDigest,
  file,
}: OpenedTarget): WatchParts['described'] {
  const { aisp, products, discovery } = endpointsOf(document)
  const address = [aisp, products, discovery].find((url) => URL.canParse(url))
  return {
    name: document.name,
    ...(address !== undefined && { host: new URL(address).host }),
    environment: layoutOf(document.addresses),
    ...{ configurationDigest, file },
    certificates: certificateEnds(document.clients),
  }
}

/** `--approve`: a customer approves once, and the monitor keeps the tokens. */
async function approve(
  opened: OpenedTarget,
  target: Target,
  suites: Suites,
  kept: KeptApprovals,
): Promise<void> {
  const { document, memory } = opened
  const problem = driverProblem(document, opened.base)
  if (problem !== undefined) throw new UsageError(problem)
  // A run in progress deletes what it made, and would treat this consent as its own.
  const release = holdFolders({ memory, name: document.name })
  const [named] = (await loadConsents(SUITES)).filter(({ core }) => core)
  if (!named) throw new Error('no row of suites/consents.ts is of core')
  const { redactText } = createRedactor(target.secrets)
  const session = openSession({ target, suites, memory, redact: redactText })
  try {
    const { name, facts } = await approveForMonitor(session, named, kept)
    const until = facts.expiration === undefined ? 'without an end' : `until ${facts.expiration}`
    say(shown`“${name}” is approved, ${until}; assay monitor reads its data from now on.`)
  } catch (error) {
    if (!(error instanceof Blocked || error instanceof NotApplicable)) throw error
    complain(shown`No approval is kept: ${redactText(error.message)}`)
    process.exitCode = 4
  } finally {
    await session.close()
    release()
  }
}

interface Watching {
  every?: number
  until?: number
  history?: string
  notify: string[]
  stateFile: string
}

/** Rounds until the time is over or Ctrl-C. Returns the exit code of all rounds. */
async function watch(
  parts: Omit<WatchParts, 'signal'>,
  { every, until, history, notify, stateFile }: Watching,
): Promise<number> {
  const stop = new AbortController()
  const stopListening = onEnd(() => stop.abort())
  let state = readState(stateFile, now())
  const tally = { rounds: 0, broken: false, away: false, unwritten: false, changes: 0, requests: 0 }
  const began = now()
  // A disk that is full for an hour does not end a monitor.
  const tried = async <Done>(at: number, act: () => Promise<Done>): Promise<Done | undefined> => {
    try {
      return await act()
    } catch (error) {
      if (every === undefined || !isOfFiles(error)) throw error
      tally.unwritten = true
      complain(shown`${clockTime(at)}  not everything could be written: ${error.message}`)
      return undefined
    }
  }
  const note = async (at: number, watched: Watched) => {
    state = watched.state
    await tried(at, async () => {
      keepState(stateFile, watched.state)
      await writeReports(parts.out, { history })
    })
    tally.rounds += 1
    tally.requests += watched.report.requests
    tally.changes += watched.changes.length
    tally.broken ||= watched.report.exitCode === 1
    tally.away ||= isAway(state).length > 0
    tell(at, watched, tally.rounds === 1)
    if (watched.changes.length === 0) return
    for (const url of notify) await tellWebhook(webhookOf(url), watched)
  }
  try {
    for (;;) {
      const at = now()
      const watched = await tried(at, () => watchOnce({ ...parts, signal: stop.signal }, state))
      if (stop.signal.aborted && tally.rounds > 0) break
      if (watched) await note(at, watched)
      if (every === undefined || stop.signal.aborted) break
      const next = at + every * Math.max(1, Math.ceil((now() - at) / every))
      if (until !== undefined && next > until) break
      await wait(Math.max(0, next - now()), undefined, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) break
    }
  } finally {
    stopListening()
  }
  if (every !== undefined) summary(state, tally, now() - began)
  say(shown`report  ${typed(join(parts.out, 'report.html'))}`)
  if (tally.broken) return 1
  if (tally.away) return 3
  return tally.unwritten ? 5 : 0
}

const clockTime = (at: number) => `${new Date(at).toISOString().slice(11, 19)}Z`

/** Prints a line for a round, and one for each change. */
function tell(
  at: number,
  { report, state, changes, unwatched, data }: Watched,
  isFirst: boolean,
): void {
  const away = isAway(state)
  const { summary, requests, latency } = report
  const slowest = Math.max(0, ...latency.map(({ p95 }) => p95))
  const parts = [
    away.length === 0 ? 'up' : `away: ${away.join(', ')}`,
    counted(requests, 'request'),
    `slowest ${Math.round(slowest)} ms`,
    `${counted(summary.pass, 'rule')} kept, ${summary.fail + summary.warn} broken`,
    ...(data ? [] : ['no data']),
  ]
  say(shown`${clockTime(at)}  ${parts.join('  ')}`)
  for (const { text } of changes) say(shown`  ${text}`)
  if (isFirst) for (const why of unwatched) say(shown`  not watched: ${why}`)
}

function summary(
  state: MonitorState,
  { rounds, requests, changes }: { rounds: number; requests: number; changes: number },
  took: number,
): void {
  const what = `${counted(rounds, 'round')} in ${lasting(took)}, ${counted(requests, 'request')}`
  say(shown`${what}, ${counted(changes, 'change')}.`)
  for (const part of isAway(state)) {
    say(shown`  away since ${state.parts[part]?.since}: ${part}`)
  }
  for (const [id, since] of Object.entries(state.broken)) say(shown`  broken since ${since}: ${id}`)
}
