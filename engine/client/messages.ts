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

export interface RegistrationDeviation extends Told {
  jwt?: JwtDeviation
  /** application/jwt is right; null sends none. */
  contentType?: string | null
  /** null leaves it out. */
  softwareStatement?: string | null | ((statement: string) => string)
  identity?: string
  /** Sent instead of the registration JWT. */
  body?: string
  headers?: Record<string, string | undefined>
  method?: string
}

export interface TokenDeviation extends Told {
  assertion?: JwtDeviation
  /** Form fields; undefined removes one. */
  form?: Record<string, string | undefined>
  headers?: Record<string, string | undefined>
  /** application/x-www-form-urlencoded is right; null sends none. */
  contentType?: string | null
  /** Sent instead of the form. */
  body?: string
  identity?: string
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
