import { situations as addresses } from './addresses.ts'
import { situations as credentials } from './credentials.ts'
import { situations as endpoints } from './endpoints.ts'
import { situations as files } from './files.ts'
import { situations as flaky } from './flaky.ts'
import { situations as garbage } from './garbage.ts'
import { situations as listeners } from './listeners.ts'
import { situations as protocol } from './protocol.ts'
import { situations as redaction } from './redaction.ts'
import type { Situation } from './situation.ts'

/** Every situation, as docs/hostile.md lists them. */
export const chapters: readonly (readonly [title: string, situations: readonly Situation[]])[] = [
  ['Listeners', listeners],
  ['Endpoints', endpoints],
  ['Lines that fail now and then', flaky],
  ['Garbage in answers', garbage],
  ['HTTP, TLS and pages', protocol],
  ['What customers know', credentials],
  ['Addresses from the bank', addresses],
  ['Secrets in reports', redaction],
  ['Files, signals and clocks', files],
]
