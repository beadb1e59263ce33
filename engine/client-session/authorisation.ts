import { denialMend, denialProblem } from '../authorisation-drivers/denial.ts'
import { type Driver, HOLDING, type VisitRequest } from '../authorisation-drivers/driver.ts'
import { httpDriver } from '../authorisation-drivers/http.ts'
import type { AuthorisationDeviation, AuthorisationRequest } from '../client/messages.ts'
import type { Tpp } from '../client/tpp.ts'
import type { Target } from '../configuration/resolve.ts'
import type { AuthorisationDocument, CustomerName } from '../configuration/target.ts'
import { environmentOf } from '../judge/expect.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { now } from '../record/clock.ts'
import type { Exchange } from '../wire/exchange.ts'
import { originOf } from '../wire/origin.ts'
import { createBrowserSessions } from './browser-sessions.ts'
import type { ClientSteps } from './client-steps.ts'
import { createDescribedPages } from './described-pages.ts'
import { createNewConsents } from './new-consents.ts'
import type { ResumableRun } from './resume-run.ts'
import { createSpareConsents } from './spare-consents.ts'
import { requireValue, type SharedBySteps } from './step-owners.ts'
import { type Visit, type VisitOptions, type VisitRecord, visitOf } from './visit.ts'

/** @throws Blocked if a customer must deny but the target does not describe how: the visit would approve instead. */
function requireDenial(authorisation: AuthorisationDocument): void {
  const why = denialProblem(authorisation)
  if (why === undefined) return
  const what = `the target describes no denial: ${why}`
  throw new Blocked({ kind: 'environment', what }, `${what}. ${denialMend(authorisation)}`)
}

/** @throws Blocked if a visit reached no server, at an address of the target or of the bank's pages. */
function requireArrival(exchange: Exchange, { endpoints }: Pick<Target, 'endpoints'>): void {
  const blocked = environmentOf(exchange)
  if (!blocked) return
  const origin = originOf(exchange.request.url)
  if (origin === undefined || origin === originOf(endpoints.authorisation)) throw blocked
  const what = `the pages of the bank lead to ${origin}: ${exchange.failure?.message ?? blocked.message}`
  throw new Blocked({ kind: 'environment', what }, what, exchange)
}

const NO_LAST_PAGE = 'no page came on which a customer could wait'

export type Visits = ReturnType<typeof createVisits>

/** Runs visits one after the other. */
function takingTurns() {
  let door: Promise<unknown> = Promise.resolve()
  return (take: () => Promise<Visit>): Promise<Visit> => {
    const turn = door.then(take)
    door = turn.catch(() => {})
    return turn
  }
}

/** @throws NotApplicable if the driver cannot let a customer wait on a page. */
function requireHolding({ document }: Target): void {
  if (HOLDING.includes(document.authorisation.driver)) return
  throw new NotApplicable('the driver takes one customer after the other')
}

/** @throws NotApplicable if the target does not have this customer. */
function requireCustomer({ document }: Target, name: CustomerName = 'first'): CustomerName {
  if (document.customers[name]) return name
  throw new NotApplicable(`the target has no ${name} customer`)
}

interface VisitParts extends SharedBySteps {
  driver: Driver
  clients: ClientSteps
  /** What an interrupted run left, and where this run saves its progress. */
  resumable?: ResumableRun
  /** Passes an answer that Assay's own wire did not see to the rules. */
  heed(exchange: Exchange): Promise<void>
}

/** Sends customers to the bank, one at a time. */
export function createVisits(parts: VisitParts) {
  const { target, driver, wire, clients, heed } = parts
  const visits: VisitRecord[] = [...(parts.resumable?.earlier.visits ?? [])]
  const [spares, newConsents] = [createSpareConsents(parts, clients), createNewConsents(parts)]
  const inTurn = takingTurns()
  const browsers = createBrowserSessions(target)

  const customer = (name?: CustomerName) => requireCustomer(target, name)

  const noted = (seen: Omit<VisitRecord, 'at'>): VisitRecord => {
    const record = { ...seen, at: new Date(now()).toISOString() }
    visits.push(record)
    return record
  }

  const pages = createDescribedPages({ target, driver, spares, noted }, visits)

  /** Prepares a visit; the result starts it. `meanwhile` runs while its customer waits on the last page. */
  const prepared = async (
    options: VisitOptions,
    meanwhile?: () => Promise<void>,
  ): Promise<() => Promise<Visit>> => {
    const { client = 'first', decision = 'approve', purpose, deviation } = options
    const name = customer(options.customer)
    if (decision === 'deny') requireDenial(target.document.authorisation)
    const before = parts.resumable?.earlier.refusals.get(purpose)?.shift()
    if (before) return async () => before
    const who = options.tpp ?? requireValue(await clients.registration(client))
    const named = options.consentId ?? (await spares.of(client))
    const consentId = await newConsents.known(named, options.correct)
    const message = { ...options, consentId }
    // The keys with which the rules verify the resulting ID token.
    await clients.jwks().catch(() => {})
    return async () => {
      const request = await who.authorisation(message, deviation)
      const chosen = decision === 'none' ? httpDriver(wire, target, []) : driver
      const asked = visitRequest(target, who, { ...options, customer: name }, request)
      const tab = options.otherTab && (await otherTab(parts, options.otherTab, name))
      const end = await chosen.visit({ ...asked, ...tab, ...(meanwhile && { meanwhile }) })
      if (end.exchange) requireArrival(end.exchange, target)
      else if (end.kind === 'redirected') {
        await heed(arrival(`v${visits.length + 1}`, asked, end))
      }
      const made = visitOf(request, end)
      if (made.kind === 'granted') {
        const clientId = who.registered?.client_id
        parts.ledger.add({ kind: 'approved', code: made.code, clientId, customer: name, consentId })
      }
      // Once a page was shown, the bank may have stored something about the consent.
      const touched = made.kind === 'granted' || made.pages.length > 0
      if (touched && options.consentId === undefined) spares.spend(client)
      const record = noted({ name: purpose, client, customer: name, outcome: made.kind })
      const ours = end.kind === 'stopped' && end.ours
      parts.resumable?.visited(record, ours || browsers.followsOn(options) ? undefined : made)
      if (ours) throw endedByUs(end.why)
      await pages.requireFit(end, made, who, { ...options, customer: name })
      return made
    }
  }

  const visit = async (options: VisitOptions): Promise<Visit> => {
    const send = async (each: VisitOptions) => inTurn(await prepared(each))
    if (!options.meanwhile) return newConsents.visited(options, () => browsers.visit(options, send))
    requireHolding(target)
    let waited = false
    const act = async () => {
      waited = true
      await options.meanwhile?.()
    }
    const end = await inTurn(await prepared(options, act))
    if (!waited) throw new NotApplicable(NO_LAST_PAGE)
    return end
  }

  /**
   * Two visits at once: the whole second visit takes place while the customer of the first waits on the last page. Not
   * applicable where the driver serves one customer after the other.
   */
  const atOnce = async (one: VisitOptions, other: VisitOptions): Promise<[Visit, Visit]> => {
    requireHolding(target)
    const second = await prepared(other)
    let end: Visit | undefined
    const first = await inTurn(
      await prepared(one, async () => {
        end = await second()
      }),
    )
    if (!end) throw new NotApplicable(NO_LAST_PAGE)
    return [first, end]
  }

  /** `records` grows with each visit. */
  return { visit, atOnce, records: visits, customer }
}

/** The outcome of a visit that ended on Assay's side, such as a browser that is not found. */
function endedByUs(why: string): Blocked {
  return new Blocked({ kind: 'environment', what: why }, `the visit ended: ${why}`)
}

/** A request that the customer opens in another tab of the browser, and leaves. */
async function otherTab(
  { target, clients }: VisitParts,
  options: NonNullable<VisitOptions['otherTab']>,
  customer: CustomerName,
): Promise<Pick<VisitRequest, 'otherTab'>> {
  const who = requireValue(await clients.registration(options.client ?? 'first'))
  const request = await who.authorisation({ consentId: options.consentId })
  return { otherTab: visitRequest(target, who, { ...options, customer }, request) }
}

/** The request to the driver. */
function visitRequest(
  { document }: Target,
  who: Tpp,
  options: VisitOptions & { customer: CustomerName },
  request: AuthorisationRequest,
): VisitRequest {
  const { client = 'first', customer, credentials, purpose, deviation } = options
  const { client_id: clientId = '', redirect_uris: registered = [] } = who.registered ?? {}
  const asked = deviation?.query?.redirect_uri ?? request.redirectUri
  return {
    url: request.url,
    about: {
      client,
      subject: request.consentId,
      visit: {
        clientId,
        redirectUri: asked,
        // A request that contradicts itself names no redirect URI.
        ...(!deviates(deviation, 'redirect_uri') && { registered }),
        nonce: request.nonce,
        ...(!('state' in (deviation?.query ?? {})) && { state: request.state }),
      },
      ...(deviation && !options.correct && { deviation: purpose }),
    },
    redirectUris: [asked, request.redirectUri, ...registered, ...who.client.redirectUris],
    decision: options.decision === 'deny' ? 'deny' : 'approve',
    customer: {
      ...(document.customers[customer] ?? { credentials: {} }),
      ...(credentials && { credentials }),
    },
    customerName: customer,
    purpose,
    ...(credentials && { wrongCredentials: true }),
    ...(options.oneAccount && { oneAccount: true }),
    ...(options.browser !== undefined && { browser: options.browser }),
  }
}

/** True if the query or the request object changes this parameter. */
function deviates({ query, requestObject }: AuthorisationDeviation = {}, name: string): boolean {
  return name in (query ?? {}) || name in (requestObject?.claims ?? {})
}

/** An exchange for a redirect that a browser or a person saw; its status is 0 if it is not known. */
function arrival(
  id: string,
  { about, url }: VisitRequest,
  end: { url: string; status?: number },
): Exchange {
  return {
    id,
    endpoint: 'authorisation',
    about,
    startedAt: new Date(now()).toISOString(),
    durationMs: 0,
    request: { method: 'GET', url, headers: [] },
    response: { status: end.status ?? 0, headers: [['location', end.url]], body: '', bytes: 0 },
    connection: { identity: 'none' },
  }
}
