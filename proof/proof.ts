import type { Alteration } from '../bank/alteration.ts'
import type { TargetDocument } from '../engine/configuration/target.ts'

/** One thing that a wrong bank does, and what the suite must say of it. */
export interface Fault extends Alteration {
  /** Ids that fail, exactly; the first names the sentence that is broken. More than three need `because`. */
  fails: string[]
  /** Ids that warn, exactly. */
  warns?: string[]
  because?: string
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
  const found: string[] = []
  const fails = 'fails' in expected ? expected.fails : []
  found.push(...difference('fails', fails, judged.fails, judged.messages))
  found.push(...difference('warns', expected.warns ?? [], judged.warns, judged.messages))
  if (!('fails' in expected)) {
    const blocks = (expected as Variant).blocks ?? []
    found.push(...difference('blocks', blocks, judged.blocks, judged.messages))
  }
  for (const id of judged.errors) found.push(`error in ${id}: ${judged.messages[id]}`)
  const silent = 'silent' in expected && expected.silent
  if (judged.fired === 0 && !silent) found.push('it was never seen to fire')
  if (fails.length > 3 && !expected.because) found.push('more than three ids need a reason')
  return found
}

function difference(
  word: string,
  expected: string[],
  actual: string[],
  messages: Record<string, string>,
): string[] {
  const missing = expected.filter((id) => !actual.includes(id))
  const extra = actual.filter((id) => !expected.includes(id))
  return [
    ...missing.map((id) => `${word}: ${id} was expected`),
    ...extra.map((id) => `${word}: ${id} was not expected: ${messages[id] ?? ''}`),
  ]
}
