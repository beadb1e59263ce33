import type { Alteration } from '../../bank/operator/alteration.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'

/** One mistake of a wrong bank, and what the suite must report. */
export interface Fault extends Alteration {
  /** Ids that fail, exactly; the first belongs to the sentence that is broken. More than three need `because`. */
  fails: string[]
  /** Ids that warn, exactly. */
  warns?: string[]
  because?: string
  /** It blocks many other checks, so it gets a bank of its own. */
  stops?: true
  /** Changes of the target file for such a bank, when that of the embedded bank does not fit. */
  target?: (document: TargetDocument) => void
}

/** A lawful freedom that a correct bank may take: nothing fails. */
export interface Variant extends Alteration {
  /** Ids that warn, exactly, with the reason in `because`. */
  warns?: string[]
  /** Ids of musts that cannot be judged at such a bank, exactly, with the reason in `because`. */
  blocks?: string[]
  because?: string
  /** It is not visible in a single exchange, for example missing data: it need not take effect in one. */
  silent?: boolean
  /** Changes of the target file for such a bank, when that of the embedded bank does not fit. */
  target?: (document: TargetDocument) => void
}

/** How a bank with one alteration was judged. */
export interface Judged {
  id: string
  /** Ids by outcome. */
  fails: string[]
  warns: string[]
  blocks: string[]
  errors: string[]
  fired: number
  exitCode: number
  requests: number
  milliseconds: number
  /** Messages of failures and errors, by id. */
  messages: Record<string, string>
  leftBehind: number
}

/** What is wrong with a proof; empty when it holds. */
export function complaints(expected: Fault | Variant, judged: Judged): string[] {
  const { fails } = expectedOf(expected)
  const silent = 'silent' in expected && expected.silent
  return [
    ...missing(expected, judged),
    ...surplus(expected, judged),
    ...(judged.fired === 0 && !silent ? ['it was never seen to fire'] : []),
    ...(fails.length > 3 && !expected.because ? ['more than three ids need a reason'] : []),
  ]
}

/** What was expected but did not occur. */
function missing(expected: Fault | Variant, judged: Judged): string[] {
  return compared(expected, (word, ids) =>
    ids.filter((id) => !judged[word].includes(id)).map((id) => `${word}: ${id} was expected`),
  )
}

/** What occurred but was not expected, including our own errors. */
export function surplus(expected: Fault | Variant, judged: Judged): string[] {
  const said = (id: string) => judged.messages[id] ?? ''
  return [
    ...compared(expected, (word, ids) =>
      judged[word]
        .filter((id) => !ids.includes(id))
        .map((id) => `${word}: ${id} was not expected: ${said(id)}`),
    ),
    ...judged.errors.map((id) => `error in ${id}: ${said(id)}`),
  ]
}

type Word = 'fails' | 'warns' | 'blocks'

/** What a fault blocks is a consequence and is not compared. */
function compared(
  expected: Fault | Variant,
  compare: (word: Word, ids: string[]) => string[],
): string[] {
  const words: Word[] = 'fails' in expected ? ['fails', 'warns'] : ['fails', 'warns', 'blocks']
  const ids = expectedOf(expected)
  return words.flatMap((word) => compare(word, ids[word]))
}

function expectedOf(expected: Fault | Variant): Record<Word, string[]> {
  const { fails = [], warns = [], blocks = [] } = expected as Partial<Fault & Variant>
  return { fails, warns, blocks }
}
