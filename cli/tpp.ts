import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { type Catalogue, loadCatalogue } from '../engine/catalogue/catalogue.ts'
import type { BankHost } from '../engine/certification/bank-host.ts'
import { certify } from '../engine/certification/certify.ts'
import { CRASHED } from '../engine/certification/command-client.ts'
import { recordCertification } from '../engine/certification/record-certification.ts'
import { GOALS, goalsOf } from '../engine/certification/scenario.ts'
import { loadTppSuites, type TppSuites } from '../engine/certification/suite.ts'
import { readTppFile, type Tpp } from '../engine/certification/tpp-file.ts'
import { targetFrom } from '../engine/configuration/resolve.ts'
import { TargetError } from '../engine/configuration/target-error.ts'
import { makeFolder } from '../engine/record/make-folder.ts'
import { ASSAY, word } from '../engine/record/program.ts'
import { onEnd } from '../engine/record/signals.ts'
import { counted } from '../engine/report/escape.ts'
import { say, shown } from '../engine/report/terminal.ts'
import { configurationDigest } from '../engine/run/configuration-digest.ts'
import type { Deviation } from '../engine/run/deviations.ts'
import { inScope } from '../engine/run/scope.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import { defaultFolder, TPP_SUITES, version } from './folders.ts'
import { forgetEarlier, type JudgingOptions, prepared } from './preparation.ts'
import { createProgress, screen } from './progress.ts'
import { report } from './run-target.ts'
import { assertSelects } from './selection.ts'
import { openParties } from './tpp-client.ts'
import { assertWatchable, watchClient } from './tpp-watch.ts'

type TppOptions = JudgingOptions & { tpp: string; watch?: string | true }

/** `assay tpp`: judges a TPP's client. The exit code is that of the verdict. */
export async function tpp(options: TppOptions): Promise<void> {
  if (options.watch !== undefined) assertWatchable(options)
  const catalogue = loadCatalogue(undefined, 'TPP')
  const { only, deviations } = await prepared(options, catalogue)
  assertSelects(only, catalogue)
  const suites = await loadTppSuites(TPP_SUITES, catalogue)
  if (options.list) return list(suites, catalogue, only)
  const out = resolve(options.out ?? defaultFolder(readTppFile(options.tpp).document.name))
  const interruption = new AbortController()
  const { signal } = interruption
  const stopListening = onEnd(() => interruption.abort())
  const { watch, tpp: file } = options
  const round = (ids?: string[]) =>
    certified(options, { suites, catalogue, only: ids ?? only, deviations, out, signal })
  try {
    if (watch !== undefined) return await watchClient({ file, watch, out, signal, round })
    await round()
    if (process.exitCode) say(shown`again   ${ASSAY} tpp --tpp ${word(file)} --failed ${word(out)}`)
  } finally {
    stopListening()
  }
}

/** Prints what would be judged, one line each. */
function list({ scenarios, rules }: TppSuites, catalogue: Catalogue, only: string[]): void {
  for (const { id, title } of [...scenarios, ...rules]) {
    if (!inScope(id, catalogue, { profile: 'full', only })) continue
    const { level = '', chapter = '' } = catalogue.owners.get(id) ?? {}
    const kind = rules.some((rule) => rule.id === id) ? 'rule' : 'scenario'
    say(shown`${[id, level, kind, chapter, title].join('  ')}`)
  }
}

interface Round {
  suites: TppSuites
  catalogue: Catalogue
  only: string[]
  deviations?: Deviation[]
  /** Folder of the reports. */
  out: string
  signal: AbortSignal
}

/** One certification, from the client's file to its reports. */
async function certified(options: TppOptions, round: Round): Promise<void> {
  const { suites, catalogue, only, deviations, out, signal } = round
  const selected = (id: string) => inScope(id, catalogue, { profile: 'full', only })
  const total = [...suites.scenarios, ...suites.rules].filter(({ id }) => selected(id)).length
  const read = readTppFile(options.tpp)
  const { document, goals } = read
  makeFolder(out)
  forgetEarlier(out)
  const progress = createProgress(screen())
  const { close, ...parties } = await openParties(read, signal)
  try {
    progress.doing(`Certifying ${document.name}`)
    let requests = 0
    progress.follows(() => ({ total, requests }))
    await recordCertification(
      {
        ...parties,
        ...{ suites, catalogue, selected, goals, signal },
        parallel: parallelOf(read),
        patience: settleOf(read),
        onExchange: () => {
          requests += 1
        },
      },
      {
        name: document.name,
        configurationDigest: configurationDigest(document),
        ...{ version, out, only, deviations },
        secrets: await secretsOf(parties.host),
        onResult: (chapter, result) => progress.judged(chapter, result),
      },
    )
    progress.end()
    await report(out, 'TPP', options)
  } finally {
    progress.end()
    await close()
  }
}

function parallelOf({ document: { client, parallel } }: Tpp): number {
  // One more than the number of processors: some scenarios wait, and others can run meanwhile.
  return parallel ?? (client.driver === 'command' ? availableParallelism() + 1 : 1)
}

/** Milliseconds during which a client that reports a refusal is still watched. */
function settleOf({ document: { client } }: Tpp): number {
  return client.driver === 'command' ? 0 : (client.settle ?? 1) * 1000
}

/** Credentials of the directory: they are in no exchange, and must never get into one. */
async function secretsOf(host: BankHost): Promise<string[]> {
  const bank = await host.open({ onSighting() {} })
  try {
    return targetFrom(bank.document).secrets
  } finally {
    await bank.close()
  }
}

/** `assay plan --tpp`: prints what a certification will ask of a client, before the client is started. */
export async function planTpp(options: { tpp: string; only?: string[] }): Promise<void> {
  const { only = [] } = options
  const catalogue = loadCatalogue(undefined, 'TPP')
  assertSelects(only, catalogue)
  const tpp = readTppFile(options.tpp)
  const { document, goals } = tpp
  const all = await loadTppSuites(TPP_SUITES, catalogue)
  const selected = ({ id }: { id: string }) => inScope(id, catalogue, { profile: 'full', only })
  const scenarios = all.scenarios.filter(selected)
  const able = scenarios.filter((each) => goalsOf(each).every((goal) => goals.includes(goal)))
  const asked = able.flatMap(goalsOf)
  const times = (goal: string) => asked.filter((each) => each === goal).length
  const left = scenarios.length - able.length
  const rules = all.rules.filter(selected).length
  say(
    shown`${document.name}: ${counted(able.length, 'scenario')}, ${counted(rules, 'rule')} over every request, ${parallelOf(tpp)} at a time.`,
  )
  if (left > 0) say(shown`${left} not applicable: the client declares that it lacks their goal.`)
  say(shown`The client is asked ${counted(asked.length, 'time')}:`)
  for (const goal of goals) {
    say(shown`  ${String(times(goal)).padStart(3)}  ${goal.padEnd(14)} ${GOALS[goal]}`)
  }
  const visits = times('connect') + times('reconfirm')
  say(
    shown`The customer is sent to the bank about ${counted(visits, 'time')}; we log in and approve.`,
  )
  say(shown`Everything stays on this machine, and nothing is left behind.`)
}

const line = (level: 'ok' | 'wrong', text: string) => say(shown`${level.padEnd(8)} ${text}`)

/** `assay doctor --tpp`: can the client read from the correct bank? Prints what the bank saw, line by line. */
export async function doctorTpp(path: string): Promise<void> {
  const tpp = opened(path)
  if (!tpp) return
  const { document, goals } = tpp
  const { driver } = document.client
  line('ok', `file  ${document.name}, driven by ${driver}; it can ${goals.join(', ')}`)
  const catalogue = loadCatalogue(undefined, 'TPP')
  const { scenarios, rules } = await loadTppSuites(TPP_SUITES, catalogue)
  const control = scenarios.filter(({ control: first }) => first).slice(0, 1)
  const { close, ...parties } = await openParties(tpp, new AbortController().signal)
  let requests = 0
  const wrong: string[] = []
  try {
    const { results } = await certify({
      ...parties,
      suites: { scenarios: control, rules },
      catalogue,
      selected: (id) => id === control[0]?.id,
      goals,
      parallel: 1,
      patience: 0,
      onExchange(exchange, broken) {
        requests += 1
        wrong.push(...told(exchange, broken))
      },
    })
    const result = results.get(control[0]?.id ?? '')
    if (result?.outcome === 'pass') {
      line('ok', `the client reads from the correct bank: ${ASSAY} tpp can judge it`)
      return
    }
    line('wrong', result?.message || 'nothing came of it')
    const isOurs = result?.because?.kind === 'environment'
    const mend = isOurs
      ? `correct client in ${path}, or the program that it names.`
      : mendOf(requests, wrong, result?.message.includes(CRASHED))
    say(shown`${' '.repeat(8)} to fix: ${mend}`)
    process.exitCode = isOurs ? 2 : 1
  } finally {
    await close()
  }
}

/** What to do about a client that does not read. */
function mendOf(requests: number, wrong: readonly string[], crashed = false): string {
  if (crashed && requests === 0) {
    return 'let the client run: it crashed before its first request. It finds its values in the file that ASSAY_BRIEFING names (docs/tpp.md).'
  }
  if (requests === 0) {
    return 'let the client begin at bank.discovery of the file that ASSAY_BRIEFING names (docs/tpp.md).'
  }
  const [id] = wrong
  if (id === undefined)
    return 'read what the client printed: no rule finds fault with its requests.'
  return `begin with the first line above that says wrong. ${ASSAY} explain ${id} shows what is right.`
}

/** Shows an exchange, and returns the rules that it breaks. */
function told(
  { endpoint, request, response, failure, about }: Exchange,
  broken: string[],
): string[] {
  if (endpoint === 'elsewhere' && request.method !== 'CONNECT') return []
  const { refusal } = about.seen ?? {}
  const place = URL.canParse(request.url) ? new URL(request.url).pathname : request.url
  const answer = response?.status ?? failure?.code ?? ''
  const why = refusal ? `: ${refusal.detail}` : ''
  const rules = broken.length > 0 ? `  breaks ${broken.join(', ')}` : ''
  line(why || rules ? 'wrong' : 'ok', `${request.method} ${place} ${answer}${why}${rules}`)
  return broken
}

function opened(path: string): Tpp | undefined {
  try {
    return readTppFile(path)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    for (const problem of error.message.split('\n')) line('wrong', `file  ${problem}`)
    process.exitCode = 2
    return undefined
  }
}
