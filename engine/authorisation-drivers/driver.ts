import type { AuthorisationDocument, CustomerDocument } from '../configuration/target.ts'
import type { About, Exchange } from '../wire/exchange.ts'

export type Decision = 'approve' | 'deny'

/** One customer who is sent to the authorisation page. */
export interface VisitRequest {
  /** Address of the authorisation endpoint with its query. */
  url: string
  /** Every address at which the visit ends: the requested one and the registered ones. */
  redirectUris: string[]
  decision: Decision
  customer: CustomerDocument
  /** Which customer of the target this is: first, second. */
  customerName: string
  /** Purpose of the visit, in words for a person. */
  purpose: string
  /** The credentials are wrong and sent only once: a bank may lock out a customer after three failures. */
  wrongCredentials?: boolean
  /** The customer ticks one of the accounts that the bank offers, not all. */
  oneAccount?: boolean
  /** Name of a browser session that visits share, with its cookies; default: a new session. */
  browser?: string
  /** The customer opens this request in another tab of the browser before deciding, and leaves it (driver http only). */
  otherTab?: VisitRequest
  /** Added to the exchanges of the visit. */
  about: About
  /** Awaited once, before the customer decides: actions that happen while this customer waits on that page. */
  meanwhile?: () => Promise<void>
}

/** How the visit ended. */
export type VisitEnd = {
  /** The exchange whose answer redirects, or where the visit stopped; absent if a browser was used. */
  exchange?: Exchange
  first?: Exchange
  pages: Page[]
} & (
  | {
      kind: 'redirected'
      /** The address with its query and fragment, as the bank wrote it. */
      url: string
      /** Status of the answer that redirects there, if it is known and there is no exchange. */
      status?: number
    }
  | {
      kind: 'stopped'
      why: string
      /**
       * Not caused by the bank: a program failed, a window was closed, a person did not come. It says nothing about the
       * bank, not even that it refuses.
       */
      ours?: true
      /**
       * What a page shows that no description in the target handles. Until some visit succeeds, the description is as
       * likely to be wrong as the bank.
       */
      unfit?: string
      /** That page came back because of boxes that the description leaves unticked, whatever else succeeds. */
      unticked?: true
      /** That page has a form, which a customer would fill in. */
      asks?: true
      /** What the login page says when it comes back. The same doubt applies. */
      refusedCredentials?: string
    }
)

/** A page that the customer saw. */
export interface Page {
  status: number
  /** Text of the page without markup. */
  text: string
  /** Number of accounts that it offered to tick, if the driver knows. */
  offered?: number
  /** It let the customer deny, if the driver knows. */
  denies?: true
  /** The button that was pressed for a customer who denies, because the target describes no other one. */
  approvedInstead?: string
}

/** Takes a customer through the bank's pages. */
export interface Driver {
  visit(request: VisitRequest): Promise<VisitEnd>
  /** Visits that took place before the run was interrupted, by the words before the colon. */
  done?(names: string[]): void
  /** Asks somebody to do something at the bank; resolves to why it was not done, or undefined if it was. */
  question?(name: string, text: string): Promise<string | undefined>
  /** Ends the open visit, and every later one at once, because the run was interrupted. */
  interrupt?(): void
  /** @param ended one sentence on how the run ended, for pages of ours that are still open */
  close(ended?: string): Promise<void>
}

/** Drivers that support `meanwhile` and `browser`: one visit can wait while another continues, or follow it. */
export const HOLDING: readonly AuthorisationDocument['driver'][] = ['http', 'browser']

/** One approval that a run will need, shown to a person in advance. */
export interface Announced {
  /** The words before the colon of a visit's purpose. */
  name: string
  purpose: string
  /** first, second. */
  customer: string
  client: string
  decision: Decision
  /** Number of checks that need it. */
  serves: number
}

/** The end of a visit that the bank did not cause. */
export function ourStop(why: string, pages: Page[] = []): VisitEnd {
  return { kind: 'stopped', why, ours: true, pages }
}

/**
 * True if the TPP takes over at this address. Any address on the TPP's host counts: only the bank's pages are ever
 * fetched, even if a wrong bank redirects to another path.
 */
export function landsAt(
  address: string,
  { redirectUris, url }: Pick<VisitRequest, 'redirectUris' | 'url'>,
): boolean {
  if (!URL.canParse(address)) return false
  const { origin, pathname } = new URL(address)
  return redirectUris.some((uri) => {
    if (!URL.canParse(uri)) return false
    const wanted = new URL(uri)
    if (wanted.origin !== origin) return false
    return wanted.pathname === pathname || origin !== new URL(url).origin
  })
}
