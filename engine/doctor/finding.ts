/** Who can fix the finding. */
export type Whose = 'configuration' | 'bank' | 'gateway' | 'network'

/** Result of one examination; the text is one line. */
export type DoctorFinding =
  /** A note is useful information, but nothing that must be fixed. */
  | { level: 'ok' | 'note' | 'skipped'; text: string }
  /** `hopeless`: no correct bank can accept it, so a run need not begin. */
  | { level: 'wrong'; text: string; whose: Whose; mend: string; hopeless?: true }

export const ok = (text: string): DoctorFinding => ({ level: 'ok', text })

export const note = (text: string): DoctorFinding => ({ level: 'note', text })

/** Deliberately not examined; what depends on it is skipped as well. */
export const skipped = (text: string): DoctorFinding => ({ level: 'skipped', text })

export function wrong(whose: Whose, text: string, mend = 'Ask the bank.'): DoctorFinding {
  return { level: 'wrong', text, whose, mend }
}

/** A fault in the target file that every correct bank refuses. */
export function hopeless(text: string, mend: string): DoctorFinding {
  return { level: 'wrong', text, whose: 'configuration', mend, hopeless: true }
}

/** One question that the doctor asks. */
export interface Examination {
  /** First words of each line of the result; unique. */
  name: string
  /** Names of examinations that this one depends on. */
  needs?: string[]
  run(): DoctorFindings | Promise<DoctorFindings>
}

type DoctorFindings = DoctorFinding | DoctorFinding[]

/** A finding, with the name of its examination. */
export type Line = DoctorFinding & { name: string }

/** The finding with the client that it concerns: `certificate of clients.first: expired on 2026-01-31`. */
export function inFull({ name, text }: Pick<Line, 'name' | 'text'>): string {
  const [, client, what] = /^(first|second): (.*)$/s.exec(name) ?? []
  return client === undefined ? text : `${what} of clients.${client}: ${text}`
}

/**
 * Runs examinations in order and yields each finding at once. Skips an examination if one that it needs failed or was
 * skipped, and names the first cause.
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

/** A finding that is wrong. */
export type WrongLine = Line & { level: 'wrong' }

/** What no correct bank can accept, of these examinations. */
export async function hopelessIn(examinations: Examination[]): Promise<WrongLine[]> {
  const found: WrongLine[] = []
  for await (const line of examine(examinations)) {
    if (line.level !== 'wrong') continue
    const { hopeless, ...seen } = line
    if (hopeless) found.push(seen)
  }
  return found
}

/** 0: nothing is wrong; 2: fault in your configuration; 3: fault of the network, or the bank refuses. */
export function exitCodeOf(lines: Line[]): 0 | 2 | 3 {
  const whose = lines.flatMap((line) => (line.level === 'wrong' ? [line.whose] : []))
  if (whose.includes('configuration')) return 2
  return whose.length > 0 ? 3 : 0
}
