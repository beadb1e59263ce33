import type { TestSpecification } from 'vitest/node'
import SuiteSequencer from '../engine/run/vitest-sequencer.ts'

/**
 * Slow test files begin first, so that none of them is waited for alone at the end; among them those that took
 * longest in an earlier run, as vitest has them. The suites keep the order that they need.
 */
export default class LongestFirst extends SuiteSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    const slow = sorted.filter(isSlow)
    return [...slow, ...sorted.filter((one) => !isSlow(one))]
  }
}

function isSlow({ moduleId }: TestSpecification): boolean {
  return moduleId.endsWith('.slow.test.ts')
}
