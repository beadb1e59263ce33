import type { AuthorisationDeviation, AuthorisationRequest, Tpp } from '../client/tpp.ts'
import { environment } from '../judge/expect.ts'
import { answerOf } from '../judge/matchers.ts'
import { Blocked } from '../judge/outcome.ts'
import type { Target } from '../target/resolve.ts'
import type { About, Exchange } from '../wire/exchange.ts'
import type { Wire } from '../wire/wire.ts'
import type { Caller } from './caller.ts'
import { type ClientName, type CustomerName, consentFacts, DATA_PERMISSIONS } from './consent.ts'
import type { Driver } from './drivers/driver.ts'
import { httpDriver } from './drivers/http.ts'
import type { Steps } from './happy-path.ts'
import type { KeptRun } from './kept-run.ts'
import { OWNERS, taken } from './steps.ts'
import { type Visit, visitOf } from './visit.ts'

/** Visits to the authorisation page, one at a time. */

export interface VisitOptions {
  client?: ClientName
  customer?: CustomerName
  /** A client of the check's own, registered by it, instead of the one that the run works with. */
  tpp?: Tpp
  /** The consent to authorise; a spare one that nobody approves when absent. */
  consentId?: string
  /** What the customer does; `none`: follows redirects, but fills no form. */
  decision?: 'approve' | 'deny' | 'none'
  purpose: string
  /** What is filled in instead of what the customer knows. */
  credentials?: Record<string, string>
  redirectUri?: string
  /** A random one when absent. */
  state?: string
  deviation?: AuthorisationDeviation
  /** The deviation is a freedom of the TPP: the rules judge the answers all the same. */
  correct?: boolean
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

/** What visits work with. */
export interface VisitParts {
  target: Target
  driver: Driver
  wire: Wire
  steps(): Steps
  customer(name?: CustomerName): CustomerName
  caller(name?: ClientName): Promise<Caller>
  /** Has the rules judge an answer that no wire of ours saw. */
  heed(exchange: Exchange): void
  /** Where visits are written down, and those of an interrupted run. */
  keptRun?: KeptRun
}

/** No visit has come through yet: the target's description is as likely to be wrong as the bank. */
function unfit(why: string, shown: string): Blocked {
  const what = `the target's description of the bank's pages (${why}; ${shown})`
  const mend = 'Correct authorisation; assay doctor looks at the first page.'
  return new Blocked({ kind: 'environment', what }, `the visit ended: ${why}; ${shown}. ${mend}`)
}

/** How customers are sent to the bank; `records` grows by each visit. */
export function createVisits(parts: VisitParts): {
  visit(options: VisitOptions): Promise<Visit>
  records: VisitRecord[]
} {
  const { target, driver, wire, customer, caller, heed } = parts
  const visits: VisitRecord[] = [...(parts.keptRun?.earlier.visits ?? [])]
  const spares = new Map<ClientName, string>()
  let door: Promise<unknown> = Promise.resolve()
  /** Has a visit come through, so that the target's description of the pages is known to fit? */
  let fits = visits.some(({ outcome }) => outcome !== 'stopped')

  const visit = async (options: VisitOptions): Promise<Visit> => {
    const { client = 'first', decision = 'approve', purpose, deviation } = options
    const name = customer(options.customer)
    const before = parts.keptRun?.earlier.refusals.get(purpose)?.shift()
    if (before) return before
    const who = options.tpp ?? taken(await parts.steps().registration(client))
    const consentId = options.consentId ?? (await spareConsent(client))
    const { redirectUri, state } = options
    const message = { consentId, redirectUri, state }
    // The keys with which the rules verify the ID token that comes of it.
    await parts
      .steps()
      .jwks()
      .catch(() => {})
    const turn = door.then(async () => {
      const request = await who.authorisation(message, deviation)
      const asked = deviation?.query?.redirect_uri ?? request.redirectUri
      const chosen = decision === 'none' ? httpDriver(wire, []) : driver
      const about: About = {
        client,
        visit: {
          clientId: who.registered?.client_id ?? '',
          redirectUri: asked,
          nonce: request.nonce,
          ...(!('state' in (deviation?.query ?? {})) && { state: request.state }),
        },
        ...(deviation && !options.correct && { deviation: purpose }),
      }
      const end = await chosen.visit({
        url: request.url,
        about,
        redirectUris: [
          asked,
          request.redirectUri,
          ...(who.registered?.redirect_uris ?? []),
          ...who.client.redirectUris,
        ],
        decision: decision === 'deny' ? 'deny' : 'approve',
        customer: {
          ...(target.document.customers[name] ?? { credentials: {} }),
          ...(options.credentials && { credentials: options.credentials }),
        },
        customerName: name,
        purpose,
      })
      if (end.exchange) environment(end.exchange)
      else if (end.kind === 'redirected')
        heed(arrival(`v${visits.length + 1}`, about, request, end))
      const made = visitOf(request, end)
      // Once a page was shown, the bank may have noted something about the consent.
      const touched = made.kind === 'granted' || made.pages.length > 0
      if (touched && options.consentId === undefined) spares.delete(client)
      const at = new Date().toISOString()
      const record = { name: purpose, client, customer: name, outcome: made.kind, at }
      visits.push(record)
      const ours = end.kind === 'stopped' && end.ours
      parts.keptRun?.visited(record, ours ? undefined : made)
      if (ours) {
        throw new Blocked({ kind: 'environment', what: end.why }, `the visit ended: ${end.why}`)
      }
      if (made.kind === 'granted' || made.kind === 'refused') fits = true
      const tried = decision !== 'none' && !options.credentials && !deviation
      if (end.kind === 'stopped' && end.unfit && tried && !fits) throw unfit(end.why, end.unfit)
      return made
    })
    door = turn.catch(() => {})
    return turn
  }

  /** A consent for visits that must fail: it waits for an approval that never comes. */
  const spareConsent = async (name: ClientName): Promise<string> => {
    const known = spares.get(name)
    if (known) return known
    const data = { Permissions: DATA_PERMISSIONS }
    const exchange = await (await caller(name)).post('/account-access-consents', {
      Data: data,
      Risk: {},
    })
    environment(exchange)
    const facts = consentFacts(exchange, data)
    const why = `no consent was created: ${answerOf(exchange)}`
    const { id } = taken({ owner: OWNERS.consent, exchange, value: facts, why })
    spares.set(name, id)
    return id
  }

  return { visit, records: visits }
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
    startedAt: new Date().toISOString(),
    durationMs: 0,
    request: { method: 'GET', url, headers: [] },
    response: { status: end.status ?? 0, headers: [['location', end.url]], body: '', bytes: 0 },
    connection: { identity: 'none' },
  }
}
