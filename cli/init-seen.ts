import type { Answers } from './init-questions.ts'

/** What was read because of an answer. */
export interface Seen {
  /** Answers that are offered for other questions. */
  hints?: Answers
  /** Answers that are offered where somebody is asked, and not taken elsewhere. */
  offers?: Answers
  /** Answers of questions that need not be asked any more. */
  settled?: Answers
  /** What was read, or why nothing was; a line each. */
  says?: string[]
  /** The answers of `settled` are used only where whoever is asked agrees to this. */
  confirm?: string
  /** The question is asked once more: nothing can be read with this answer. */
  again?: true
}
