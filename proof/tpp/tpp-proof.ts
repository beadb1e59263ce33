import type { Conduct } from './conduct.ts'

/** A TPP that takes some decisions otherwise than the reference TPP. */
export interface ProvenTpp {
  id: string
  /** How a real TPP gets there. */
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
  /** It does not even read from the correct bank: it shares a client with nobody. */
  stops?: true
}

/** One thing that a wrong TPP does, and what must be said of it: at least one id fails or warns. */
export type WrongTpp = ProvenTpp

/** A lawful freedom of a TPP: nothing fails, and nothing warns. */
export type LawfulTpp = Omit<ProvenTpp, 'fails' | 'warns' | 'stops'>
