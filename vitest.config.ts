import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SUITES } from './engine/run/vitest-sequencer.ts'
import LongestFirst from './tests/longest-first.ts'

/**
 * `tests`: what holds of Assay itself; files `*.slow.test.ts` judge a whole bank or TPP, start another process or open
 * a browser, and ASSAY_TESTS=fast leaves them out. Nothing is retried here: `npm test` does, and says so.
 * `hostile`: broken and malicious servers, files and endings.
 * `large`: banks with much data; `npm run test:large`, which takes minutes. `package`: the package, the container and the GitHub action, installed elsewhere.
 * `suites`: the checks themselves, each a test of its file, against the target file named in
 * ASSAY_TARGET, or else the reference bank; see docs/vitest.md.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'tests',
          include: ['tests/**/*.test.ts'],
          globalSetup: ['tests/built.ts'],
          exclude: [
            ...['tests/hostile/**', 'tests/large/**', 'tests/package/**'],
            ...(process.env.ASSAY_TESTS === 'fast' ? ['tests/**/*.slow.test.ts'] : []),
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          pool: 'forks',
          // A failure shows the values whole, also where its message alone is printed.
          chaiConfig: { truncateThreshold: 0 },
          // Files share what they import: each process loads suites, schemas and libraries once.
          isolate: false,
          // Now and then one waits for another process, a browser or a clock.
          maxWorkers: availableParallelism() + 1,
        },
      },
      {
        test: {
          name: 'hostile',
          include: ['tests/hostile/*.test.ts'],
          globalSetup: ['tests/built.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
          pool: 'forks',
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'large',
          include: ['tests/large/*.test.ts'],
          globalSetup: ['tests/built.ts'],
          testTimeout: 1_800_000,
          hookTimeout: 60_000,
          pool: 'forks',
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'package',
          include: ['tests/package/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 600_000,
          pool: 'forks',
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: SUITES,
          include: ['suites/**/*.check.ts', 'suites/**/*.rule.ts', 'engine/run/end-of-run.ts'],
          globalSetup: ['cli/editor-target.ts'],
          setupFiles: ['engine/run/vitest-setup.ts'],
          pool: 'forks',
          // One session with the bank for all files.
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          includeTaskLocation: true,
          // Its setup belongs to every file, not to the first alone.
          server: { deps: { inline: [/allure-vitest/] } },
          testTimeout: 0,
          hookTimeout: 0,
        },
      },
    ],
  },
})
