import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Whose } from '../../engine/report/report.ts'
import type { ListenerName, Trouble } from './trouble.ts'

/** A mistake around a correct bank: in the target file, the network or a gateway, or an interruption; or a defect. */
export interface Situation {
  id: string
  kind: 'file' | 'network' | 'gateway' | 'interruption' | 'defect'
  /** What is wrong, and how it comes about. */
  story: string
  /** A run with the right file came before: its client is kept and used again. */
  isLater?: true
  /** Puts the mistake into the target file, which is otherwise right. */
  target?(document: TargetDocument, about: Surroundings): void
  /** Changes the text of the target file after it is written. */
  text?(yaml: string): string
  /** How the connections to one of the bank's listeners, or to all, fail. */
  trouble?: { at: ListenerName | 'every'; does: Trouble }
  /** The id of the bank's fault in proof/faults. */
  fault?: string
  /** Ctrl-C, this many milliseconds after the start of the run. */
  interruptedAfter?: number
  expects: Expected
}

/** Material for realistic mistakes: that of another bank, and expired material. */
export interface Surroundings {
  /** The target of another bank with another authority and directory. */
  other: TargetDocument
  expired: { certificate: string; key: string }
  /** A key that does not belong to anything. */
  strayKey: string
}

export interface Expected {
  /** Exit codes of `assay run`; several when timing decides. */
  exit: readonly number[]
  /** Who is responsible for the gravest cause; absent when the run prints one line and writes no report. */
  whose?: readonly Whose[]
  /** Words that the terminal must show. */
  words: RegExp
  /** Exit codes of `assay doctor` for the same mistake; absent when it cannot find it. */
  doctor?: readonly number[]
}

/** The file, or what it refers to, is wrong: nothing is sent, and both commands name the line. */
export const inTheFile = (words: RegExp): Expected => ({ exit: [2], words, doctor: [2] })
