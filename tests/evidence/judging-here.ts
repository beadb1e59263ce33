import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { root } from '../../engine/record/root.ts'
import { consoleSummary } from '../../engine/report/console-summary.ts'
import { readRun } from '../../engine/report/read-run.ts'
import { writeReports } from '../../engine/report/write-reports.ts'
import { configurationDigest } from '../../engine/run/configuration-digest.ts'
import { type Assignment, openJudging } from '../../engine/run/judging-process.ts'
import { loadSuites } from '../../engine/run/suites.ts'

/**
 * Judges as `assay run` does and writes what it writes, in this process: a process of its own costs more
 * than most runs.
 *
 * @param out folder of the run, to be made.
 */
export async function judgingHere(out: string, document: TargetDocument, only: string[] = []) {
  mkdirSync(out)
  const base = dirname(out)
  const assignment: Assignment = {
    target: document,
    targetFile: join(base, 'target.yaml'),
    configurationDigest: configurationDigest(document),
    base,
    scope: { profile: 'full', only },
    suites: join(root, 'suites'),
    out,
    version: '0.1.0',
    memory: join(base, '.assay'),
  }
  const catalogue = loadCatalogue()
  const judging = await openJudging(
    assignment,
    catalogue,
    await loadSuites(assignment.suites, catalogue),
  )
  const left = [...judging.checks]
  return {
    /** Judges one check after the other as long as `holds`, or to the last. */
    async judgeWhile(holds: () => boolean = () => true): Promise<void> {
      while (left.length > 0 && holds()) await judging.judge(left.shift() as (typeof left)[number])
    },
    /** What the terminal says at the end. */
    async finish(): Promise<string> {
      await judging.finish()
      await writeReports(out)
      const { report, exchanges } = await readRun(out)
      return consoleSummary(report, exchanges, { path: join(out, 'report.html') })
    },
  }
}
