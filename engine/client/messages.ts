import type { About } from '../wire/exchange.ts'
import type { Retry } from '../wire/retry-after.ts'
import type { JwtDeviation } from './jwt.ts'
import type { Authentication } from './token-form.ts'

/** What every message may say of itself; rules read it, the bank never sees it. */
export interface Told {
  about?: About
  /** Milliseconds, instead of the target's. */
  timeout?: number
  /**
   * false: 429, 502, 503 and 504 are judged as they come, and the request is not repeated; `not-429`:
   * so is 429 alone. Default: repeated.
   */
  retry?: Retry
  /** What is wrong with this message, in words. */
  deviation?: string
}

interface PostDeviation extends Told {
  /** null sends none. */
  contentType?: string | null
  headers?: Record<string, string | undefined>
  /** Sent instead of the registration JWT, or of the form. */
  body?: string
  identity?: string
}

export interface RegistrationDeviation extends PostDeviation {
  jwt?: JwtDeviation
  /** null leaves it out. */
  softwareStatement?: string | null | ((statement: string) => string)
  method?: string
}

export interface TokenDeviation extends PostDeviation {
  assertion?: JwtDeviation
  /** Form fields; undefined removes one. */
  form?: Record<string, string | undefined>
  authentication?: Authentication
}

export interface AuthorisationDeviation {
  requestObject?: JwtDeviation
  /** Query parameters; undefined removes one. */
  query?: Record<string, string | undefined>
}

/** One request to the authorisation endpoint, and what its answer must be compared with. */
export interface AuthorisationRequest {
  url: string
  state: string
  nonce: string
  redirectUri: string
  consentId: string
  requestObject: string
}
