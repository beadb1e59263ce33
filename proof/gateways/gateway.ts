import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Whose } from '../../engine/report/report.ts'

/** A real gateway in front of a correct bank: right in one of many ways, or wrong in one. */
export interface Gateway {
  id: string
  /** The gateway's configuration in a sentence. */
  story: string
  /** Executables that it needs; if one is missing, the gateway is skipped and that is reported. */
  needs: readonly string[]
  /** Writes its configuration into the folder; returns the programs to start, in order. */
  write(place: Place): Program[]
  /** What is judged, as with --only; absent: everything. */
  only?: readonly string[]
  /** Changes that the target file needs. */
  target?(document: TargetDocument, place: Place): void
  expects: Expected
}

export interface Expected {
  /** Exit codes of `assay run`. */
  exit: readonly number[]
  /** Who is responsible for the gravest cause; absent: there is no cause. */
  whose?: readonly Whose[]
  /** Checks or rules that fail or warn; others may too. */
  ids?: readonly string[]
  /** Words that the terminal must show. */
  words?: RegExp
}

/** CONFORMANT, with nobody to blame. */
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
  /** Folder for configuration, sockets and logs. */
  folder: string
  passages: readonly Passage[]
  /** Files: the certificate and key to serve with, both in one file, and the authorities of clients' certificates. */
  server: { certificate: string; key: string; both: string }
  clients: string
  /** A free port. */
  freePort(): number
}

/** A program that runs in the foreground until it is stopped. */
export interface Program {
  command: string
  words: readonly string[]
  /** Ports that it serves on 127.0.0.1; no request is sent before they are open. */
  ports: readonly number[]
}

/** The passage to the bank's API. */
export function apiOf({ passages }: Pick<Place, 'passages'>): Passage {
  const found = passages.find(({ name }) => name === 'api')
  if (!found) throw new Error('the bank has a listener for its API')
  return found
}
