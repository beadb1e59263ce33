import type { TestProject } from 'vitest/node'
import { DEFAULT_TARGET, openTarget } from './open-target.ts'

/** Gives checks that run from an editor their target; called once by vitest. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const opened = await openTarget(process.env.ASSAY_TARGET ?? DEFAULT_TARGET)
  project.provide('target', JSON.stringify({ document: opened.document, base: opened.base }))
  return () => opened.close()
}
