import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { judgeRecording } from '../../engine/recording/judge-recording.ts'
import { openRecording } from '../../engine/recording/read-files.ts'
import { recordingTarget } from '../../engine/recording/recording-target.ts'
import type { Report } from '../../engine/report/report.ts'
import type { Scope } from '../../engine/run/scope.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { type BankRun, judgeBank, type ProofContext } from '../../proof/run/judge-bank.ts'

export interface RecordedBank {
  run: BankRun
  document: TargetDocument
  exchanges: Exchange[]
}

/** Judges a bank as the proof does, and keeps every exchange raw. */
export async function recordedBank(
  context: ProofContext,
  alterations: Alteration[],
  options: { scope?: Scope; target?: (document: TargetDocument) => void } = {},
): Promise<RecordedBank> {
  const exchanges: Exchange[] = []
  let document: TargetDocument | undefined
  const run = await judgeBank(context, alterations, {
    ...options,
    onExchange: (exchange) => exchanges.push(exchange),
    target(own) {
      options.target?.(own)
      document = structuredClone(own)
    },
  })
  return { run, document: document as TargetDocument, exchanges }
}

/** What `assay judge` says of the text of a recording. */
export async function judgedText(
  context: Pick<ProofContext, 'catalogue' | 'suites'>,
  document: TargetDocument,
  name: string,
  ...texts: (string | Buffer)[]
): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-recording-'))
  try {
    const files = texts.map((text, index) => {
      const file = join(folder, `${index === 0 ? '' : index}${name}`)
      writeFileSync(file, text)
      return file
    })
    return await judgedFiles(context, document, files)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What `assay judge` says of files, or of folders of runs. */
export async function judgedFiles(
  { catalogue, suites }: Pick<ProofContext, 'catalogue' | 'suites'>,
  document: TargetDocument,
  files: string[],
): Promise<Report> {
  const out = mkdtempSync(join(tmpdir(), 'assay-judged-'))
  try {
    return await judgeRecording({
      ...{ files: files.map(openRecording), catalogue, suites, out, version: '0' },
      target: recordingTarget(document),
      described: { name: document.name, configurationDigest: '' },
    })
  } finally {
    rmSync(out, { recursive: true })
  }
}

/** Ids of what a report found broken. */
export const brokenIn = ({ checks }: Report): string[] =>
  checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn').map(({ id }) => id)

/** Exchanges of a client that does nothing wrong on purpose. */
export const plainOnes = (exchanges: readonly Exchange[]): Exchange[] =>
  exchanges.filter(({ about }) => about.deviation === undefined && about.open !== true)
