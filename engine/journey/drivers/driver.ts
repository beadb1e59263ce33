import type { CustomerDocument } from '../../target/target.ts'
import type { About, Exchange } from '../../wire/exchange.ts'

/** One customer sent to the authorisation page. */
export interface VisitRequest {
  /** Address of the authorisation endpoint with its query. */
  url: string
  /** Every address at which the visit ends: the one asked for and those registered. */
  redirectUris: string[]
  decision: 'approve' | 'deny'
  customer: CustomerDocument
  /** What the visit is for, in words for a person. */
  purpose: string
  /** What the exchanges of the visit are told of themselves. */
  about: About
}

/** Where the visit ended. */
export type VisitEnd =
  | {
      kind: 'redirected'
      /** The address with its query and fragment, as the bank wrote it. */
      url: string
      /** The exchange whose answer redirects there; absent where a browser was used. */
      exchange?: Exchange
      first?: Exchange
      pages: Page[]
    }
  | { kind: 'stopped'; why: string; exchange?: Exchange; first?: Exchange; pages: Page[] }

/** A page that the customer saw. */
export interface Page {
  status: number
  /** Text of the page without markup. */
  text: string
}

/** Takes a customer through the bank's pages. */
export interface Driver {
  visit(request: VisitRequest): Promise<VisitEnd>
  close(): Promise<void>
}
