import { randomInt } from 'node:crypto'
import { loadAlterations, pairsToMake } from '../proof/jobs.ts'
import { openProofContext } from '../proof/judge-bank.ts'
import { proveOne } from '../proof/prove.ts'
import { mark } from './prove-output.ts'
import { number } from './usage.ts'

/** `assay prove --pairs`: exit code 0 when no bank with two lawful freedoms is condemned. */
export async function provePairs(options: { pairs: string; seed?: string }): Promise<void> {
  const count = number('--pairs', options.pairs, 100_000) ?? 0
  const seed = number('--seed', options.seed, 2 ** 32 - 1) ?? randomInt(2 ** 32)
  const pairs = pairsToMake(await loadAlterations(), count, seed)
  console.log(`${pairs.length} pairs of variants, drawn with --seed ${seed}`)
  const context = await openProofContext()
  let held = 0
  try {
    for (const pair of pairs) {
      const { id, judged, complaints } = await proveOne(context, 'pair', pair)
      if (complaints.length === 0) held += 1
      console.log(`${mark({ complaints })} ${id} (${judged.milliseconds} ms)`)
      for (const complaint of complaints) console.log(`       ${complaint}`)
    }
  } finally {
    await context.directory.close()
  }
  console.log(`${held} of ${pairs.length} pairs hold`)
  process.exitCode = held === pairs.length ? 0 : 1
}
