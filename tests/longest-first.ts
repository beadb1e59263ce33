import { readFileSync } from 'node:fs'
import type { TestSpecification } from 'vitest/node'
import SuiteSequencer from '../engine/run/vitest-sequencer.ts'

/**
 * Test files that grant one of their tests the most time begin first, so that none of them is waited
 * for alone at the end. The suites keep the order that they need.
 */
export default class LongestFirst extends SuiteSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    const granted = new Map(sorted.map((one) => [one, mostTime(one)]))
    return sorted.sort((one, other) => (granted.get(other) ?? 0) - (granted.get(one) ?? 0))
  }
}

/** The largest time-out that the file names, in milliseconds; 0 for files of other projects. */
function mostTime({ moduleId, project }: TestSpecification): number {
  if (project.name !== 'tests') return 0
  const named = readFileSync(moduleId, 'utf8').match(/\b\d+_000\b/g) ?? []
  return Math.max(0, ...named.map((text) => Number(text.replace('_', ''))))
}
