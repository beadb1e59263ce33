import type { Page, VisitEnd } from '../authorisation-drivers/driver.ts'
import type { AuthorisationDeviation, AuthorisationRequest } from '../client/messages.ts'
import { parseRedirect, type Redirect } from '../client/redirect.ts'
import type { Tpp } from '../client/tpp.ts'
import type { ClientName, CustomerName } from '../configuration/target.ts'
import type { Exchange } from '../wire/exchange.ts'

export interface VisitOptions {
  client?: ClientName
  customer?: CustomerName
  /** A client that the check itself registered, instead of the run's client. */
  tpp?: Tpp
  /** The consent to authorise; when absent, a spare one that nobody approves. */
  consentId?: string
  /** What the customer does; `none`: follows redirects but fills in no form. */
  decision?: 'approve' | 'deny' | 'none'
  purpose: string
  /** Wrong credentials, filled in once instead of the customer's own. */
  credentials?: Record<string, string>
  /** The customer selects one account. */
  oneAccount?: boolean
  /**
   * Name of a browser session. It goes on in the session of the last visit with this name that gave a code; where that
   * gives no code, the visit is repeated in a new session.
   */
  browser?: string
  /** A correct request that the customer opens in another tab of that session before deciding, and leaves. */
  otherTab?: { client?: ClientName; consentId: string; purpose: string }
  redirectUri?: string
  /** Random when absent, like the nonce. */
  state?: string
  nonce?: string
  deviation?: AuthorisationDeviation
  /** The deviation is a freedom of the TPP: the rules still judge the answers. */
  correct?: boolean
  /**
   * Runs while the customer waits on the last page. Not applicable if the driver takes one step after the other, or
   * where no such page came.
   */
  meanwhile?: () => Promise<void>
}

export interface VisitRecord {
  name: string
  client: ClientName
  customer: CustomerName
  outcome: Visit['kind']
  at: string
  /** The visit took place before an interruption. */
  resumed?: true
}
/** How a visit to the authorisation page ended. */
export type Visit = {
  request: AuthorisationRequest
  /** Answer of the authorisation endpoint itself. */
  first?: Exchange
  /** The answer that ended the visit: the redirect, or the page where it stopped. */
  last?: Exchange
  pages: Page[]
  /** It went on in the browser session of an earlier visit. */
  sameBrowser?: true
} & (
  | { kind: 'granted'; redirect: Redirect; code: string }
  | { kind: 'refused'; redirect: Redirect }
  | {
      kind: 'stopped'
      why: string
      /** The page where it stopped has a form. */
      asks?: true
    }
)

export type Granted = Visit & { kind: 'granted' }

/** `granted` when a usable code arrived, in whatever part of the redirect; `refused` for any other redirect. */
export function visitOf(request: AuthorisationRequest, end: VisitEnd): Visit {
  const facts = { request, first: end.first, last: end.exchange, pages: end.pages }
  if (end.kind === 'stopped') {
    return { kind: 'stopped', why: end.why, ...(end.asks && { asks: end.asks }), ...facts }
  }
  const redirect = parseRedirect(end.url)
  if (!redirect) return { kind: 'stopped', why: `redirect to ${end.url}, no address`, ...facts }
  const { code } = redirect
  if (code !== undefined) return { kind: 'granted', redirect, code, ...facts }
  return { kind: 'refused', redirect, ...facts }
}

/** The end of a visit in a few words. */
export function visitEnd(visit: Visit): string {
  if (visit.kind === 'granted') return 'a code'
  if (visit.kind === 'refused') return `a redirect with ${visit.redirect.error ?? 'no error'}`
  return visit.why
}
