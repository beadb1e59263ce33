import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeFolder } from '../engine/record/make-folder.ts'
import type { Assignment } from '../engine/run/judging-process.ts'
import { DEFAULT_TARGET, SUITES, version } from './folders.ts'
import { openTarget } from './open-target.ts'

/**
 * Provides checks that run as vitest tests with their target: ASSAY_TARGET, or else the reference bank. ASSAY_OUT, if
 * set, is the folder for what `assay run` writes into its folder. Called once by vitest.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const opened = await openTarget(process.env.ASSAY_TARGET ?? DEFAULT_TARGET)
  const wanted = process.env.ASSAY_OUT
  const out = wanted ? resolve(wanted) : mkdtempSync(join(tmpdir(), 'assay-vitest-'))
  makeFolder(out)
  const assignment: Assignment = {
    target: opened.document,
    targetFile: opened.file,
    configurationDigest: opened.configurationDigest,
    base: opened.base,
    memory: opened.memory,
    scope: { profile: 'full', only: [] },
    suites: SUITES,
    out,
    version,
    fresh: true,
  }
  project.provide('assignment', JSON.stringify(assignment))
  return async () => {
    if (!wanted) rmSync(out, { recursive: true, force: true })
    await opened.close()
  }
}
