import type { AuthorisationDocument, CustomerDocument } from '../configuration/target.ts'
import type { About, Exchange } from '../wire/exchange.ts'

export type Decision = 'approve' | 'deny'

/** One customer sent to the authorisation page. */
export interface VisitRequest {
  /** Address of the authorisation endpoint with its query. */
  url: string
  /** Every address at which the visit ends: the one asked for and those registered. */
  redirectUris: string[]
  decision: Decision
  customer: CustomerDocument
  /** Which customer of the target that is: first, second. */
  customerName: string
  /** What the visit is for, in words for a person. */
  purpose: string
  /** What is filled in is wrong: it is sent once, as a bank may lock out whoever is wrong three times. */
  wrongCredentials?: boolean
  /** The customer ticks one of the accounts that the bank offers, instead of all. */
  oneAccount?: boolean
  /** What the exchanges of the visit are told of themselves. */
  about: About
  /** Awaited once, before the customer decides: what happens while this customer waits on that page. */
  meanwhile?: () => Promise<void>
}

/** Where the visit ended. */
export type VisitEnd = {
  /** The exchange whose answer redirects, or where it stopped; absent where a browser was used. */
  exchange?: Exchange
  first?: Exchange
  pages: Page[]
} & (
  | {
      kind: 'redirected'
      /** The address with its query and fragment, as the bank wrote it. */
      url: string
      /** Status of the answer that redirects there, where there is no exchange and it is known. */
      status?: number
    }
  | {
      kind: 'stopped'
      why: string
      /**
       * Nothing of it is the bank's doing: a program that failed, a window that was closed, a
       * person who did not come. It says nothing of the bank, not even that it refuses.
       */
      ours?: true
      /**
       * A page came that nothing in the target's description leads on from; what it shows. Until
       * some visit has come through, the description is as likely to be wrong as the bank.
       */
      unfit?: string
      /** That page has a form, which a customer would fill in. */
      asks?: true
      /** The page that asks for what the customer knows came back: what it says. The same doubt. */
      refusedCredentials?: string
    }
)

/** A page that the customer saw. */
export interface Page {
  status: number
  /** Text of the page without markup. */
  text: string
  /** How many accounts it offered to tick, where the driver knows. */
  offered?: number
  /** It let the customer deny, where the driver knows. */
  denies?: true
  /** The button that was pressed for a customer who denies, since the target describes no other one. */
  approvedInstead?: string
}

/** Takes a customer through the bank's pages. */
export interface Driver {
  visit(request: VisitRequest): Promise<VisitEnd>
  /** Visits that took place before the run was interrupted, by the words before the colon. */
  done?(names: string[]): void
  /** Asks somebody to do something at the bank; why it was not done, undefined when it was. */
  question?(name: string, text: string): Promise<string | undefined>
  /** Ends the visit that is open, and every later one at once: the run was interrupted. */
  interrupt?(): void
  /** @param ended how the run ended, in a sentence, for whoever still looks at a page of ours */
  close(ended?: string): Promise<void>
}

/** Drivers that heed `meanwhile`: one visit can wait while another goes on. */
export const HOLDING: readonly AuthorisationDocument['driver'][] = ['http', 'browser']

/** One approval that a run is going to need, for a person who wants to know what will come. */
export interface Announced {
  /** The words before the colon of a visit's purpose. */
  name: string
  purpose: string
  /** first, second. */
  customer: string
  client: string
  decision: Decision
  /** How many checks it serves. */
  serves: number
}

/** The end of a visit for which the bank is not to blame. */
export function ourStop(why: string, pages: Page[] = []): VisitEnd {
  return { kind: 'stopped', why, ours: true, pages }
}

/**
 * Is this where the TPP takes over? Any address of the TPP's host is: nothing but the bank's pages
 * is ever fetched, also when a wrong bank redirects to another path.
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
