import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TargetDocument } from '../engine/configuration/target.ts'
import { judgeRecording } from '../engine/recording/judge-recording.ts'
import { exchangesIn, openRecording } from '../engine/recording/read-files.ts'
import { recordingTarget } from '../engine/recording/recording-target.ts'
import { createBodies } from '../engine/wire/bodies.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import type { ProofContext } from '../proof/run/judge-bank.ts'
import { asHar } from './as-har.ts'

/** Milliseconds per exchange: to read a HAR file and the JSON of its bodies, and to judge it including reading. */
export interface RecordingCost {
  reading: number
  judging: number
}

/** What `assay judge` costs for the exchanges of a run, recorded as a HAR file. */
export async function judgeRecorded(
  { catalogue, suites }: Omit<ProofContext, 'directory'>,
  document: TargetDocument,
  sent: readonly Exchange[],
): Promise<RecordingCost> {
  const out = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  try {
    const file = join(out, 'recording.har')
    writeFileSync(file, asHar(sent))
    const read = await timed(async () => {
      const bodies = createBodies()
      let count = 0
      for await (const { response } of exchangesIn(openRecording(file), () => undefined)) {
        count += 1
        if (response) bodies.keep(Buffer.from(response.body))
      }
      return count
    })
    const judged = await timed(() =>
      judgeRecording({
        ...{ files: [openRecording(file)], catalogue, suites, out, version: '0' },
        target: recordingTarget(document),
        described: { name: document.name, configurationDigest: '' },
      }),
    )
    return { reading: read.took / read.result, judging: judged.took / read.result }
  } finally {
    rmSync(out, { recursive: true })
  }
}

async function timed<Result>(work: () => Promise<Result>) {
  const began = performance.now()
  const result = await work()
  return { result, took: performance.now() - began }
}
