/** Who can fix what was found. */
export type Whose = 'configuration' | 'bank' | 'gateway' | 'network'

/** What one examination found; its text is one line. */
export type DoctorFinding =
  /** A note is worth knowing, and nothing that has to be fixed. */
  | { level: 'ok' | 'note' | 'skipped'; text: string }
  /** `hopeless`: no bank that is right can take it, so that a run need not begin. */
  | { level: 'wrong'; text: string; whose: Whose; mend: string; hopeless?: true }

export const ok = (text: string): DoctorFinding => ({ level: 'ok', text })

export const note = (text: string): DoctorFinding => ({ level: 'note', text })

/** Not looked at by its own choice; what rests on it is skipped as well. */
export const skipped = (text: string): DoctorFinding => ({ level: 'skipped', text })

export function wrong(whose: Whose, text: string, mend = 'Ask the bank.'): DoctorFinding {
  return { level: 'wrong', text, whose, mend }
}

/** Of the target file, and such that every bank that is right refuses it. */
export function hopeless(text: string, mend: string): DoctorFinding {
  return { level: 'wrong', text, whose: 'configuration', mend, hopeless: true }
}

/** One question that the doctor asks. */
export interface Examination {
  /** What a line of the answer begins with; unique. */
  name: string
  /** Names of examinations without which this one says nothing. */
  needs?: string[]
  run(): DoctorFindings | Promise<DoctorFindings>
}

type DoctorFindings = DoctorFinding | DoctorFinding[]

/** A finding and the examination that it comes from. */
export type Line = DoctorFinding & { name: string }

/** What was found, with the client that it is about: `certificate of clients.first: expired on 2026-01-31`. */
export function inFull({ name, text }: Pick<Line, 'name' | 'text'>): string {
  const [, client, what] = /^(first|second): (.*)$/s.exec(name) ?? []
  return client === undefined ? text : `${what} of clients.${client}: ${text}`
}

/**
 * Runs examinations in their order and gives each finding at once. What needs one that went wrong
 * or was skipped is skipped, and names the first cause.
 */
export async function* examine(examinations: Examination[]): AsyncGenerator<Line> {
  const causes = new Map<string, string>()
  for (const { name, needs = [], run } of examinations) {
    const cause = needs.map((need) => causes.get(need)).find((known) => known !== undefined)
    const findings = [cause === undefined ? await run() : skipped(`because of ${cause}`)].flat()
    const failed = findings.some(({ level }) => level === 'wrong' || level === 'skipped')
    if (failed) causes.set(name, cause ?? name)
    for (const finding of findings) yield { name, ...finding }
  }
}

/** 0: nothing is wrong; 2: your configuration; 3: the network, or the bank refuses. */
export function exitCodeOf(lines: Line[]): 0 | 2 | 3 {
  const whose = lines.flatMap((line) => (line.level === 'wrong' ? [line.whose] : []))
  if (whose.includes('configuration')) return 2
  return whose.length > 0 ? 3 : 0
}
