import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { CHAPTERS, chapterOf } from '../catalogue/catalogue.ts'

/** The selection of suite files and names that vitest was asked to run. */
export interface Selection {
  /** Paths, in the order in which they run. */
  files: string[]
  last: string
  /** The pattern of `-t`. */
  name?: { source: string; flags: string }
}

declare module 'vitest' {
  interface ProvidedContext {
    selection: Selection
  }
}

/** Name of the vitest project whose tests are the checks. */
export const SUITES = 'suites'

/**
 * Orders the files of the suites: chapters as in the documents; then files that consume an approval, files that exhaust
 * a limit, rules, and finally what is only known at the end. Other projects keep vitest's order.
 */
export default class SuiteSequencer extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const ours = specifications.filter(({ project }) => project.name === SUITES)
    const others = specifications.filter(({ project }) => project.name !== SUITES)
    const sorted = ours
      .map((specification) => ({ specification, place: placeOf(specification) }))
      .sort((one, other) => one.place - other.place)
      .map(({ specification }) => specification)
    this.tell(sorted)
    return [...(others.length > 0 ? await super.sort(others) : []), ...sorted]
  }

  private tell(sorted: TestSpecification[]): void {
    const last = sorted.at(-1)
    if (!last) return
    const pattern = last.testNamePattern ?? this.ctx.getGlobalTestNamePattern()
    const name = pattern && { source: pattern.source, flags: pattern.flags }
    const files = sorted.map(({ moduleId }) => moduleId)
    last.project.provide('selection', { files, last: last.moduleId, ...(name && { name }) })
  }
}

const STEP = CHAPTERS.length + 1

function placeOf({ moduleId, project }: TestSpecification): number {
  const path = relative(project.config.root, moduleId).replaceAll('\\', '/')
  return groupOf(path, moduleId) * STEP + CHAPTERS.indexOf(chapterOf(path)) + 1
}

/** The order of files only helps the reader: what must come first is judged first anyway. */
function groupOf(path: string, moduleId: string): number {
  if (!path.startsWith('suites/')) return 4
  if (path.endsWith('.rule.ts')) return 3
  const source = readFileSync(moduleId, 'utf8')
  if (/\bbursts:/.test(source)) return 2
  return /\bspends:/.test(source) ? 1 : 0
}
