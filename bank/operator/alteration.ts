import type { Middleware } from 'koa'
import type { Policies } from '../policies.ts'

/**
 * One way in which this bank differs from the correct default: the common type of faults (wrong) and variants (lawful).
 * Both are in proof/; the bank only knows how to apply them.
 *
 * Ways to alter the bank; prefer the first one that is sufficient:
 *
 * 1. Settings: what a bank may choose (bank/state/settings.ts).
 * 2. A policy: every decision of the bank's own routes is one small function (bank/policies/). A policy that does not
 *    get the request as a parameter calls `currentRequest()` (bank/listeners/request-context.ts).
 * 3. The policy `stored`: gets each record that is read from the store (model, id, record) and may return another one:
 *    a code that was never used, a client with one more redirect URI, a token without its certificate.
 * 4. Middleware before `next()`: may change `ctx.state.body` (the request body as text), `ctx.query`, `ctx.path`,
 *    `ctx.method` and `ctx.req.headers`; all code behind it uses the new values. To make the bank accept a wrong
 *    request object or client assertion, decode it, correct what is wrong, and sign it again with
 *    `ctx.state.bank.signAsClient(claims)`. A bank with alterations accepts that signature for every TPP.
 * 5. Middleware after `next()`: may change `ctx.status`, `ctx.body` (an object, not yet text, on every JSON endpoint,
 *    including those of the authorisation server) and the headers. An ID token is in the fragment of `location` or in
 *    `ctx.body.id_token`; sign another one with `ctx.state.bank.signAsBank(claims)`.
 *
 * `ctx.state` has the type BankState of bank/state/state.ts. `tokenInfoOf(ctx)` of
 * bank/authorisation-server/token-info.ts tells whose access token a request has, under which consent, and whether it
 * comes from a refresh.
 */
export interface Alteration {
  id: string
  /** How this happens to a real bank. */
  story: string
  /**
   * Koa middleware around the routes of every listener: changes the request before `next()` and the response after it.
   * `ctx.state.bank` is the Bank; `ctx.state.fired()` notes that the alteration took effect.
   */
  middleware?: Middleware
  /** Replaces policies by name. Each factory gets the correct ones, and `fired`. */
  policies?: (correct: Policies, tools: AlterationTools) => Partial<Policies>
  /** Settings of the bank that do not belong to a single route: see bank/state/settings.ts. */
  settings?: Record<string, unknown>
}

export interface AlterationTools {
  /** Notes that the alteration took effect in an exchange. */
  fired(): void
}
