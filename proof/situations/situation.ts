import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Whose } from '../../engine/report/report.ts'
import type { ListenerName, Trouble } from './trouble.ts'

/** Something that is wrong around a correct bank: a mistake in the target file, the network, a gateway, an interruption. */
export interface Situation {
  id: string
  kind: 'file' | 'network' | 'gateway' | 'interruption' | 'defect'
  /** What is wrong, and how somebody gets there. */
  story: string
  /** Writes it into the target file, which is right otherwise. */
  target?(document: TargetDocument, about: Surroundings): void
  /** The text of the target file, changed once it is written. */
  text?(yaml: string): string
  /** What one of the bank's listeners does, or all of them. */
  trouble?: { at: ListenerName | 'every'; does: Trouble }
  /** The fault of the bank, of proof/faults. */
  fault?: string
  /** Ctrl-C, so many milliseconds after the run began. */
  interruptedAfter?: number
  expects: Expected
}

/** What a correct mistake needs: another bank's things, and what no longer serves. */
export interface Surroundings {
  /** The target of another bank, whose authority and directory are others. */
  other: TargetDocument
  expired: { certificate: string; key: string }
  /** A key that belongs to nothing. */
  strayKey: string
}

export interface Expected {
  /** Exit codes of `assay run`; several where it depends on the moment. */
  exit: readonly number[]
  /** Whose the gravest cause is; absent where the run says it in one line and writes no report. */
  whose?: readonly Whose[]
  /** Words that a reader of the terminal must find. */
  words: RegExp
  /** Exit codes of `assay doctor`: the same question, asked beforehand; absent where it cannot know. */
  doctor?: readonly number[]
}

/** The file is wrong, or what it names: nothing is sent, and both say the line. */
export const inTheFile = (words: RegExp): Expected => ({ exit: [2], words, doctor: [2] })
