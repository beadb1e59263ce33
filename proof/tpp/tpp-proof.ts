import type { Conduct } from './conduct.ts'

/** A TPP that replaces some decisions of the reference TPP. */
export interface ProvenTpp {
  id: string
  /** How this happens to a real TPP. */
  story: string
  conduct: Partial<Conduct>
  /** Goals that its file declares; default: all. */
  goals?: string[]
  /** Ids that fail, exactly. */
  fails?: string[]
  /** Ids that warn, exactly. */
  warns?: string[]
  /** Why more than three ids are named. */
  because?: string
  /** It does not even read from the correct bank, so it shares a client with no other TPP. */
  stops?: true
}

/** One mistake of a wrong TPP, and what must be reported: at least one id fails or warns. */
export type WrongTpp = ProvenTpp

/** A lawful freedom of a TPP: nothing fails, and nothing warns. */
export type LawfulTpp = Omit<ProvenTpp, 'fails' | 'warns' | 'stops'>
