import type { Answers } from './init-questions.ts'

/** What was read because of an answer. */
export interface Seen {
  /** Answers that are offered for other questions. */
  hints?: Answers
  /** Answers that are offered when a person is asked, and otherwise not used. */
  offers?: Answers
  /** Answers to questions that need not be asked any more. */
  settled?: Answers
  /** What was read, or why nothing was read: one line each. */
  says?: string[]
  /** A question; the answers of `settled` are used only when the person agrees to it. */
  confirm?: string
  /** Nothing can be read with this answer: the question is asked again. */
  again?: true
}
