import type { Problem, Source } from '../yaml/source.ts'

/** All faults of a target file; its message has one line for each. It never contains a value. */
export class TargetError extends Error {
  readonly file: string
  readonly problems: Problem[]

  constructor(file: string, problems: Problem[]) {
    const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column)
    const lines = sorted.map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`)
    super([...new Set(lines)].join('\n'))
    this.name = 'TargetError'
    this.file = file
    this.problems = sorted
  }
}

/** @throws TargetError when any problem was reported. */
export function throwProblems({ file, problems }: Source): void {
  if (problems.length > 0) throw new TargetError(file, problems)
}
