import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Whose } from '../../engine/report/report.ts'

/** A real gateway before a correct bank: right in one of the many ways there are, or wrong in one. */
export interface Gateway {
  id: string
  /** What the gateway is set to do, in a sentence. */
  story: string
  /** The programs that it needs, by the names of their files: where one lacks, the gateway is skipped by name. */
  needs: readonly string[]
  /** Writes its configuration into the folder; the programs to start, in this order. */
  write(place: Place): Program[]
  /** What is judged, as with --only; absent: everything. */
  only?: readonly string[]
  /** What the target file must have otherwise. */
  target?(document: TargetDocument, place: Place): void
  expects: Expected
}

export interface Expected {
  /** Exit codes of `assay run`. */
  exit: readonly number[]
  /** Whose the gravest cause is; absent: there is no cause. */
  whose?: readonly Whose[]
  /** Checks or rules that fail or warn; others may as well. */
  ids?: readonly string[]
  /** Words that a reader of the terminal finds. */
  words?: RegExp
}

/** CONFORMANT, and nobody to blame. */
export const right: Expected = { exit: [0] }

/** One listener: where the gateway serves it, and where the bank listens. */
export interface Passage {
  name: string
  mutual: boolean
  /** Port of the gateway, on 127.0.0.1. */
  outside: number
  /** Port of the bank, on 127.0.0.1; plain HTTP. */
  inside: number
}

export interface Place {
  /** Where configuration, sockets and logs go. */
  folder: string
  passages: readonly Passage[]
  /** Files: the certificate and key to serve with, both in one, and the authorities of clients' certificates. */
  server: { certificate: string; key: string; both: string }
  clients: string
  /** A port that nothing listens at. */
  freePort(): number
}

/** A program that runs until it is ended, in the foreground. */
export interface Program {
  command: string
  words: readonly string[]
  /** Ports at which it serves, on 127.0.0.1: nobody asks it before. */
  ports: readonly number[]
}

/** The passage to the bank's API. */
export function apiOf({ passages }: Pick<Place, 'passages'>): Passage {
  const found = passages.find(({ name }) => name === 'api')
  if (!found) throw new Error('the bank has a listener for its API')
  return found
}
