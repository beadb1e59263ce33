import { denialMend, denialProblem } from '../authorisation-drivers/denial.ts'
import { type Driver, HOLDING } from '../authorisation-drivers/driver.ts'
import { httpDriver } from '../authorisation-drivers/http.ts'
import type { AuthorisationDeviation, AuthorisationRequest } from '../client/messages.ts'
import type { Tpp } from '../client/tpp.ts'
import type { Target } from '../configuration/resolve.ts'
import type { AuthorisationDocument, ClientName, CustomerName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { environmentOf, requireReachable } from '../judge/expect.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { now } from '../record/clock.ts'
import type { About, Exchange } from '../wire/exchange.ts'
import { originOf } from '../wire/origin.ts'
import type { ClientSteps } from './client-steps.ts'
import { consentFacts, DATA_PERMISSIONS } from './consent.ts'
import type { ResumableRun } from './resume-run.ts'
import { requireValue, type SharedBySteps } from './step-owners.ts'
import { type Visit, type VisitOptions, type VisitRecord, visitOf } from './visit.ts'

/** No visit has come through yet: the target's description is as likely to be wrong as the bank. */
function unfit(why: string, shown: string): Blocked {
  const what = `the target’s description of the bank’s pages does not fit: ${why}; ${shown}`
  const mend = 'Correct authorisation.forms; assay doctor looks at the first page.'
  return new Blocked({ kind: 'environment', what }, `the visit ended: ${why}; ${shown}. ${mend}`)
}

/** The same, of what a customer logs in with. */
function refusedLogin(name: CustomerName, says: string): Blocked {
  const what = `the bank did not take the credentials of customers.${name}: ${says}`
  const mend = `Correct customers.${name}.credentials, or which field they go into.`
  return new Blocked({ kind: 'environment', what }, `${what}. ${mend}`)
}

/** @throws Blocked where a customer must deny and the target doesn't say how: the visit would approve instead. */
function requireDenial(authorisation: AuthorisationDocument): void {
  const why = denialProblem(authorisation)
  if (why === undefined) return
  const what = `the target describes no denial: ${why}`
  throw new Blocked({ kind: 'environment', what }, `${what}. ${denialMend(authorisation)}`)
}

/** @throws Blocked where a visit came to nobody: at an address of the target, or at one that the bank's pages name. */
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

/** How customers are sent to the bank, one at a time. */
export function createVisits(
  parts: SharedBySteps & {
    driver: Driver
    clients: ClientSteps
    /** What an interrupted run left, and where this one writes down as it goes. */
    resumable?: ResumableRun
    /** Has the rules judge an answer that no wire of ours saw. */
    heed(exchange: Exchange): Promise<void>
  },
) {
  const { target, owners, driver, wire, clients, heed } = parts
  const visits: VisitRecord[] = [...(parts.resumable?.earlier.visits ?? [])]
  const spares = new Map<ClientName, string>()
  let door: Promise<unknown> = Promise.resolve()
  /** Has a visit come through, so that the target's description of the pages is known to fit? */
  let fits = visits.some(({ outcome }) => outcome !== 'stopped')

  /** Not applicable unless the target has this customer. */
  const customer = (name: CustomerName = 'first'): CustomerName => {
    if (target.document.customers[name]) return name
    throw new NotApplicable(`the target has no ${name} customer`)
  }

  const noted = (seen: Omit<VisitRecord, 'at'>): VisitRecord => {
    const record = { ...seen, at: new Date(now()).toISOString() }
    visits.push(record)
    return record
  }

  /** A visit that is ready to begin. `meanwhile` takes place while its customer waits on the last page. */
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
    const consentId = options.consentId ?? (await spareConsent(client))
    const { redirectUri, state, nonce } = options
    const message = { consentId, redirectUri, state, nonce }
    // The keys with which the rules verify the ID token that comes of it.
    await clients.jwks().catch(() => {})
    return async () => {
      const request = await who.authorisation(message, deviation)
      const asked = deviation?.query?.redirect_uri ?? request.redirectUri
      const registered = who.registered?.redirect_uris ?? []
      const chosen = decision === 'none' ? httpDriver(wire, target, []) : driver
      const about: About = {
        client,
        subject: consentId,
        visit: {
          clientId: who.registered?.client_id ?? '',
          redirectUri: asked,
          // A request that contradicts itself names none.
          ...(!deviates(deviation, 'redirect_uri') && { registered }),
          nonce: request.nonce,
          ...(!('state' in (deviation?.query ?? {})) && { state: request.state }),
        },
        ...(deviation && !options.correct && { deviation: purpose }),
      }
      const end = await chosen.visit({
        url: request.url,
        about,
        redirectUris: [asked, request.redirectUri, ...registered, ...who.client.redirectUris],
        decision: decision === 'deny' ? 'deny' : 'approve',
        customer: {
          ...(target.document.customers[name] ?? { credentials: {} }),
          ...(options.credentials && { credentials: options.credentials }),
        },
        customerName: name,
        purpose,
        ...(options.credentials && { wrongCredentials: true }),
        ...(options.oneAccount && { oneAccount: true }),
        ...(meanwhile && { meanwhile }),
      })
      if (end.exchange) requireArrival(end.exchange, target)
      else if (end.kind === 'redirected') {
        await heed(arrival(`v${visits.length + 1}`, about, request, end))
      }
      const made = visitOf(request, end)
      if (made.kind === 'granted') {
        const { code } = made
        const clientId = who.registered?.client_id
        parts.ledger.add({ kind: 'approved', code, customer: name, clientId, consentId })
      }
      // Once a page was shown, the bank may have noted something about the consent.
      const touched = made.kind === 'granted' || made.pages.length > 0
      if (touched && options.consentId === undefined) spares.delete(client)
      const record = noted({ name: purpose, client, customer: name, outcome: made.kind })
      const ours = end.kind === 'stopped' && end.ours
      parts.resumable?.visited(record, ours ? undefined : made)
      if (ours) {
        throw new Blocked({ kind: 'environment', what: end.why }, `the visit ended: ${end.why}`)
      }
      if (made.kind === 'granted' || made.kind === 'refused') fits = true
      const tried = decision !== 'none' && !options.credentials && !deviation
      if (end.kind === 'stopped' && end.refusedCredentials !== undefined && tried && !fits) {
        throw refusedLogin(name, end.refusedCredentials)
      }
      if (end.kind === 'stopped' && end.unfit && tried && !fits) {
        fits = decision === 'approve' && (await seenToFit(who, client, name))
        if (!fits) throw unfit(end.why, end.unfit)
      }
      return made
    }
  }

  const inTurn = (take: () => Promise<Visit>): Promise<Visit> => {
    const turn = door.then(take)
    door = turn.catch(() => {})
    return turn
  }

  const visit = async (options: VisitOptions): Promise<Visit> => {
    const { meanwhile } = options
    if (!meanwhile) return inTurn(await prepared(options))
    requireHolding()
    let waited = false
    const end = await inTurn(
      await prepared(options, async () => {
        waited = true
        await meanwhile()
      }),
    )
    if (!waited) throw new NotApplicable(NO_LAST_PAGE)
    return end
  }

  const requireHolding = () => {
    if (HOLDING.includes(target.document.authorisation.driver)) return
    throw new NotApplicable('the driver takes one customer after the other')
  }

  /**
   * Two visits at once: the second takes place, as a whole, while the customer of the first waits on the last
   * page. Not applicable where the driver takes one customer after the other.
   */
  const atOnce = async (one: VisitOptions, other: VisitOptions): Promise<[Visit, Visit]> => {
    requireHolding()
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

  /** A denial is redirected: then the target's description leads through the pages, and the bank stops. */
  const seenToFit = async (who: Tpp, client: ClientName, customerName: CustomerName) => {
    const customer = target.document.customers[customerName]
    if (!customer || denialProblem(target.document.authorisation) !== undefined) return false
    const { url, redirectUri } = await who.authorisation({ consentId: await spareConsent(client) })
    spares.delete(client)
    const purpose = 'denied: whether the description of the pages fits'
    const end = await driver.visit({
      ...{ url, customer, customerName, purpose, decision: 'deny' },
      about: { client, deviation: purpose },
      redirectUris: [redirectUri, ...who.client.redirectUris],
    })
    const denied = end.kind === 'redirected'
    const outcome = denied ? 'refused' : 'stopped'
    noted({ name: purpose, client, customer: customerName, outcome })
    return denied
  }

  /** A consent for visits that must fail: it waits for an approval that never comes. */
  const spareConsent = async (name: ClientName): Promise<string> => {
    const known = spares.get(name)
    if (known) return known
    const data = { Permissions: DATA_PERMISSIONS }
    const exchange = await (await clients.caller(name)).post('/account-access-consents', {
      Data: data,
      Risk: {},
    })
    requireReachable(exchange)
    const facts = consentFacts(exchange, data)
    const why = `no consent was created: ${answerOf(exchange)}`
    const { id } = requireValue({ owner: owners.steps.consent, exchange, value: facts, why })
    spares.set(name, id)
    return id
  }

  /** `records` grows by each visit. */
  return { visit, atOnce, records: visits, customer }
}

/** Is this parameter another one in the query or in the request object? */
function deviates({ query, requestObject }: AuthorisationDeviation = {}, name: string): boolean {
  return name in (query ?? {}) || name in (requestObject?.claims ?? {})
}

/** A redirect whose end a browser or a person saw; 0 where its status is not known. */
function arrival(
  id: string,
  about: About,
  { url }: AuthorisationRequest,
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
