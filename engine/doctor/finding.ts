/** Who can mend what was found. */
export type Whose = 'your configuration' | 'the bank' | 'the network'

/** What one examination found; its text is one line. */
export type Finding =
  | { level: 'ok'; text: string }
  /** Worth knowing, and nothing that has to be mended. */
  | { level: 'note'; text: string }
  | { level: 'wrong'; whose: Whose; text: string; mend: string }
  | { level: 'skipped'; text: string }

export function ok(text: string): Finding {
  return { level: 'ok', text }
}

export function note(text: string): Finding {
  return { level: 'note', text }
}

export function wrong(whose: Whose, text: string, mend: string): Finding {
  return { level: 'wrong', whose, text, mend }
}

/** Not looked at by its own choice; what rests on it is skipped as well. */
export function skipped(text: string): Finding {
  return { level: 'skipped', text }
}

/** One question that the doctor asks. */
export interface Examination {
  /** What a line of the answer begins with; unique. */
  name: string
  /** Names of examinations without which this one says nothing. */
  needs: string[]
  run(): Finding[] | Promise<Finding[]>
}

/** A finding and the examination that it comes from. */
export type Line = Finding & { name: string }

/**
 * Runs examinations in their order and tells each finding at once. What needs one that went wrong
 * or was skipped is skipped, and names the first cause.
 */
export async function examine(
  examinations: Examination[],
  tell: (line: Line) => void,
): Promise<Line[]> {
  const lines: Line[] = []
  const causes = new Map<string, string>()
  for (const { name, needs, run } of examinations) {
    const cause = needs.map((need) => causes.get(need)).find((known) => known !== undefined)
    const findings = cause === undefined ? await run() : [skipped(`because of ${cause}`)]
    const failed = findings.some(({ level }) => level === 'wrong' || level === 'skipped')
    if (failed) causes.set(name, cause ?? name)
    for (const finding of findings) {
      const line = { name, ...finding }
      lines.push(line)
      tell(line)
    }
  }
  return lines
}

/** 0: nothing is wrong; 2: your configuration; 3: the network, or the bank refuses. */
export function exitCodeOf(lines: Line[]): 0 | 2 | 3 {
  const whose = lines.flatMap((line) => (line.level === 'wrong' ? [line.whose] : []))
  if (whose.includes('your configuration')) return 2
  return whose.length > 0 ? 3 : 0
}
