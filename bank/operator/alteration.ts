import type { Middleware } from 'koa'
import type { Policies } from '../policies.ts'

/**
 * One way in which this bank differs from the correct default: the common shape of faults (wrong)
 * and variants (lawful). Both live in proof/; the bank only knows how to apply them.
 *
 * Ways to alter it, the first that suffices being the best:
 *
 * 1. Settings: what a bank may choose (bank/state/settings.ts).
 * 2. A policy: every decision of the bank's own routes is one small function (bank/policies/). A
 *    policy that is not given the request finds it by `currentRequest()` (bank/listeners/request-context.ts).
 * 3. The policy `stored`: sees each record of the authorisation server on its way out (model, id,
 *    record) and may return another one: a code that was never used, a client with one more
 *    redirect URI, a token without its certificate.
 * 4. Middleware before `next()`: `ctx.state.body` (text of the request's body), `ctx.query`,
 *    `ctx.path`, `ctx.method` and `ctx.req.headers` may be changed, and everything behind sees the
 *    new ones. To have a wrong request object or client assertion accepted, decode it, put right
 *    what is wrong, and sign it again with `ctx.state.bank.signAsClient(claims)`, which counts
 *    as any TPP's signature in a bank that has alterations.
 * 5. Middleware after `next()`: `ctx.status`, `ctx.body` (an object, not yet text, on every JSON
 *    endpoint, those of the authorisation server included) and the headers may be changed. An ID
 *    token is in the fragment of `location` or in `ctx.body.id_token`; sign another one with
 *    `ctx.state.bank.signAsBank(claims)`.
 *
 * `ctx.state` has the type BankState of bank/state/state.ts; `tokenInfoOf(ctx)` of bank/authorisation-server/token-info.ts tells whose
 * access token a request carries, under which consent, and whether it came from a refresh.
 */
export interface Alteration {
  id: string
  /** How a real bank gets there. */
  story: string
  /**
   * Koa middleware around every listener's routes: rewrite the request before `next()`, the
   * response after it. `ctx.state.bank` is the Bank, `ctx.state.fired()` notes that the alteration
   * showed itself.
   */
  middleware?: Middleware
  /** Replaces named policies: each factory gets the correct one and the bank's own `fired`. */
  policies?: (correct: Policies, tools: AlterationTools) => Partial<Policies>
  /** Settings of the bank that are not behaviour of a single route: see bank/state/settings.ts. */
  settings?: Record<string, unknown>
}

export interface AlterationTools {
  /** Notes that the alteration showed itself in an exchange. */
  fired(): void
}
