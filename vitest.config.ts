import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/**
 * `tests`: what holds of Assay itself. `suites`: the checks themselves, one by one from an editor,
 * against the target file named in ASSAY_TARGET, or else the reference bank.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'tests',
          include: ['tests/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          pool: 'forks',
          // Many of them wait for another process, a browser or a clock.
          maxWorkers: Math.max(3, availableParallelism()),
        },
      },
      {
        test: {
          name: 'suites',
          include: ['suites/**/*.check.ts'],
          globalSetup: ['cli/editor-target.ts'],
          setupFiles: ['engine/run/editor.ts'],
          pool: 'forks',
          isolate: false,
          fileParallelism: false,
          testTimeout: 0,
          hookTimeout: 0,
        },
      },
    ],
  },
})
