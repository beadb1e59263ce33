import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Catalogue, loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { openRecordedClient } from '../engine/certification/recorded-client.ts'
import { loadTppSuites, type TppSuites } from '../engine/certification/suite.ts'
import { readTppFile } from '../engine/certification/tpp-file.ts'
import { makeFolder } from '../engine/record/make-folder.ts'
import { onEnd } from '../engine/record/signals.ts'
import { judgeRecording } from '../engine/recording/judge-recording.ts'
import {
  openRecording,
  type RecordingFile,
  requireReadable,
} from '../engine/recording/read-files.ts'
import { recordingTarget } from '../engine/recording/recording-target.ts'
import { readReport } from '../engine/report/read-run.ts'
import { loadSuites } from '../engine/run/suites.ts'
import { createRedactor } from '../engine/wire/redaction.ts'
import { makeFoldersOfBoth, tellBoth } from './both-parties.ts'
import { defaultFolder, holdFolders, SUITES, TPP_SUITES, version } from './folders.ts'
import { readTarget } from './open-target.ts'
import { JUDGE_FAIL_ON, oneOf } from './option-values.ts'
import { forgetEarlier, type JudgingOptions, prepared } from './preparation.ts'
import { createProgress, screen } from './progress.ts'
import { report } from './run-target.ts'
import { UsageError } from './usage.ts'

export interface JudgeOptions
  extends Pick<
    JudgingOptions,
    'out' | 'deviations' | 'baseline' | 'failOn' | 'history' | 'sign' | 'force' | 'open' | 'notify'
  > {
  target: string
  tpp?: string
}

/** `assay judge FILE…`: judges recorded traffic by every rule. The exit code is 0 when no violation was seen. */
export async function judge(named: string[], options: JudgeOptions): Promise<void> {
  const failOn = oneOf('--fail-on', JUDGE_FAIL_ON, options.failOn ?? 'must')
  if (failOn === 'new' && !options.baseline) throw new UsageError('--fail-on new needs --baseline')
  const files = named.map(openRecording)
  requireDifferent(named, files)
  const catalogue = loadCatalogue()
  const { deviations } = await prepared({ ...options, failOn: undefined }, catalogue)
  const { document, file, ours, configurationDigest } = await readTarget(options.target)
  const target = recordingTarget(document)
  const name = (ours && (await nameOfRun(files))) || document.name
  for (const each of files) await requireReadable(each, !ours)
  const suites = await loadSuites(SUITES, catalogue)
  const client = options.tpp === undefined ? undefined : await clientOf(options.tpp)
  const out = resolve(options.out ?? defaultFolder(`${name}-recorded`))
  const release = holdFolders({ out, name })
  const progress = createProgress(screen())
  const stop = new AbortController()
  const stopListening = onEnd(() => stop.abort())
  try {
    const both = client && { client, folders: makeFoldersOfBoth(out) }
    makeFolder(out)
    forgetEarlier(out)
    progress.doing('Judging what was recorded', true)
    const redactor = createRedactor(target.secrets)
    const judging =
      both &&
      openRecordedClient({
        ...{ ...both.client, out: both.folders.tpp, target, version, redactor, isRecorded: true },
      })
    const reportOfBank = await judgeRecording({
      ...{ files, target, suites, catalogue, deviations, version, redactor },
      out: both?.folders.bank ?? out,
      described: {
        name,
        ...(!ours &&
          URL.canParse(target.endpoints.aisp) && { host: new URL(target.endpoints.aisp).host }),
        environment: target.layout,
        ...{ configurationDigest, file },
      },
      signal: stop.signal,
      onJudged: judging?.takeRecorded,
    })
    progress.end()
    const ofBank = { ...options, failOn: failOn === 'must' ? undefined : failOn }
    if (!both || !judging) return await report(out, 'bank', ofBank)
    const reports = { bank: reportOfBank, tpp: judging.finish() }
    await tellBoth(reports, both.folders, { failOn, tppName: both.client.name, ofBank })
  } finally {
    stopListening()
    progress.end()
    release()
  }
}

/** The bank's name in the report beside the only file; undefined where there is none that can be read. */
async function nameOfRun([file, ...more]: RecordingFile[]): Promise<string | undefined> {
  if (!file || more.length > 0 || basename(file.path) !== 'exchanges.jsonl') return undefined
  const folder = dirname(file.path)
  if (!existsSync(join(folder, 'report.json'))) return undefined
  const report = await readReport(folder).catch(() => undefined)
  const name = report?.target.name ?? ''
  return /^[\w.-]{1,100}$/.test(name) ? name : undefined
}

/** @throws UsageError if two names lead to one file: its exchanges would count twice */
function requireDifferent(named: string[], files: RecordingFile[]): void {
  const places = files.map(({ path }) => realpathSync(path))
  for (const [index, place] of places.entries()) {
    const first = places.indexOf(place)
    if (first === index) continue
    const [one, other] = [named[first], named[index]]
    const what = one === other ? 'is named twice' : `is the same file as ${one}`
    throw new UsageError(`${other} ${what}: name it once`)
  }
}

interface ClientParts {
  suites: TppSuites
  catalogue: Catalogue
  name: string
}

/** The suites that judge the client, and its name: from its file, or as given. */
async function clientOf(given: string): Promise<ClientParts> {
  const isFile = /[/\\]|\.(?:ya?ml|json)$/.test(given) || existsSync(given)
  const name = isFile ? readTppFile(given).document.name : given
  const catalogue = loadCatalogue(undefined, 'TPP')
  return { suites: await loadTppSuites(TPP_SUITES, catalogue), catalogue, name }
}
