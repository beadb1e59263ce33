import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { noBrowser } from '../authorisation-drivers/opened.ts'

/** One thing that a broken or malicious server, file or operator does to a run, and what must come of it. */
export interface Situation {
  /** Class and case: listener/api/silent. */
  id: string
  /** What happens, as a sentence. */
  what: string
  /** What must come of it, as a sentence. */
  expected: string
  /** Most seconds that it may take. */
  seconds: number
  /** Most megabytes by which it may raise the memory of the process that judges. */
  megabytes: number
  /** It takes a browser: skipped where there is none. */
  browser?: true
  /** Brings it about, and fails unless what is expected comes of it. */
  run(): Promise<Told | undefined>
}

/** What was measured elsewhere, where another process judged. */
export interface Told {
  megabytes?: number
}

const measured: Record<string, { seconds: number; megabytes: number }> = {}

/** Makes a test of each situation; with ASSAY_HOSTILE its measures are written there, for the table. */
export function tryOut(title: string, situations: readonly Situation[]): void {
  describe(title, () => {
    for (const { id, browser, run, seconds, megabytes } of situations) {
      const judged = async () => {
        const started = performance.now()
        const before = peak()
        const told = await run()
        const took = (performance.now() - started) / 1000
        const grown = told?.megabytes ?? peak() - before
        measured[id] = { seconds: round(took), megabytes: Math.ceil(grown) }
        expect(took, 'seconds').toBeLessThan(seconds)
        expect(grown, 'megabytes').toBeLessThan(megabytes)
      }
      // What bounds a situation is its own limit; the machine may be busy.
      test.skipIf(browser && noBrowser)(id, judged, 600_000)
    }
  })
  const folder = process.env.ASSAY_HOSTILE
  if (folder === undefined) return
  afterAll(() => {
    writeFileSync(join(folder, `${title}.json`), JSON.stringify({ situations, measured }))
  })
}

/** Megabytes: the most that this process ever had. */
function peak(): number {
  return process.resourceUsage().maxRSS / 1024
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}

/** Of everything random: the same every time, or another with ASSAY_SEED. */
export const SEED = Number(process.env.ASSAY_SEED ?? 20_260)
