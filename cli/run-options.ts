import type { Profile } from '../engine/run/scope.ts'

/** What `assay run` is called with. */
export interface RunOptions {
  target?: string
  out?: string
  profile: Profile
  only?: string[]
  failed?: string
  list?: boolean
  json?: boolean
  baseline?: string
  failOn?: string
  history?: string
  sign?: string
  deviations?: string
  fresh?: boolean
  force?: boolean
  open?: boolean
  /** Minutes. */
  deadline?: string
}
