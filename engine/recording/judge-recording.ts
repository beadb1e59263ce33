import type { Report } from '../report/report.ts'
import { type JudgementParts, openJudgement } from './judgement.ts'
import { merged } from './merge.ts'
import { inOrder } from './order.ts'
import { exchangesIn, type RecordingFile } from './read-files.ts'
import type { Recorded } from './recorded.ts'
import type { Judged } from './recorded-judging.ts'

export interface RecordingParts extends JudgementParts {
  files: RecordingFile[]
  /** Ends the reading; what was read until then is judged. */
  signal?: AbortSignal
  onProgress?(exchanges: number): void
  /** Called with each exchange after the bank was judged by it. */
  onJudged?(judged: Judged, recorded: Recorded): void
}

/**
 * Judges exchanges that others recorded by every rule while they stream in, and writes report.json and exchanges.jsonl;
 * the latter contains only exchanges that are evidence.
 *
 * @throws InputError if a file contains nothing of a known format
 */
export async function judgeRecording(parts: RecordingParts): Promise<Report> {
  const { files, signal } = parts
  const judgement = openJudgement(parts)
  try {
    for await (const recorded of sourceOf(files, judgement.resolve)) {
      if (signal?.aborted) break
      const count = judgement.exchanges + 1
      const judged = await judgement.take(recorded, idOf(recorded, count, files))
      parts.onJudged?.(judged, recorded)
      if (count % 1000 === 0) parts.onProgress?.(count)
    }
    return judgement.finish({ files, interrupted: signal?.aborted === true })
  } finally {
    judgement.close()
  }
}

/** Assay's own runs come in their order, in which they were judged; other recordings in the order of sending. */
async function* sourceOf(
  files: RecordingFile[],
  resolve: (path: string) => string | undefined,
): AsyncGenerator<Recorded> {
  const others: AsyncGenerator<Recorded>[] = []
  for (const file of files) {
    const all = exchangesIn(file, resolve)
    const { value, done } = await all.next()
    if (done) continue
    const rest = startingWith(value, all)
    if (value.own) yield* rest
    else others.push(inOrder(rest))
  }
  yield* merged(others)
}

async function* startingWith(
  first: Recorded,
  rest: AsyncGenerator<Recorded>,
): AsyncGenerator<Recorded> {
  yield first
  yield* rest
}

/** The id of an exchange: its own for one run of Assay, as others refer to it; with a suffix for several files. */
function idOf({ own, where }: Recorded, count: number, files: RecordingFile[]): string {
  if (!own) return `x${count}`
  const [name] = where.split(' ', 1)
  const index = files.findIndex(({ path }) => path.endsWith(name ?? ''))
  return files.length === 1 ? own.id : `${own.id}.${index + 1}`
}
