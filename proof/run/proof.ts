import type { Alteration } from '../../bank/operator/alteration.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'

/** One thing that a wrong bank does, and what the suite must say of it. */
export interface Fault extends Alteration {
  /** Ids that fail, exactly; the first names the sentence that is broken. More than three need `because`. */
  fails: string[]
  /** Ids that warn, exactly. */
  warns?: string[]
  because?: string
  /** It keeps much else from being judged, and has a bank of its own. */
  stops?: true
  /** What the operator's target file says of such a bank, where the embedded one's does not fit. */
  target?: (document: TargetDocument) => void
}

/** A lawful freedom that a correct bank may take: nothing fails. */
export interface Variant extends Alteration {
  /** Ids that warn, exactly, with the reason in `because`. */
  warns?: string[]
  /** Ids of musts that cannot be judged at such a bank, exactly, with the reason in `because`. */
  blocks?: string[]
  because?: string
  /** Not seen in an exchange of its own, as with data that lacks: it need not fire. */
  silent?: boolean
  /** What the operator's target file says of such a bank, where the embedded one's does not fit. */
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
  /** Messages of what failed or erred, by id. */
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

/** What was expected and did not come. */
function missing(expected: Fault | Variant, judged: Judged): string[] {
  return compared(expected, (word, ids) =>
    ids.filter((id) => !judged[word].includes(id)).map((id) => `${word}: ${id} was expected`),
  )
}

/** What came and was not expected, our own errors among it. */
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

/** What a fault blocks is its consequence, and compared with nothing. */
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
