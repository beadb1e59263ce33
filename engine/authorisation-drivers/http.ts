import type { Target } from '../configuration/resolve.ts'
import type { FormDocument } from '../configuration/target.ts'
import { now } from '../record/clock.ts'
import { type About, header } from '../wire/exchange.ts'
import { addressProblem } from '../wire/outside-address.ts'
import type { Wire } from '../wire/wire.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { credentialProblem } from './credentials.ts'
import { type Driver, landsAt, ourStop, type VisitEnd, type VisitRequest } from './driver.ts'
import {
  type Answered,
  absolute,
  afterPage,
  type KnownOfPages,
  redirected,
  type Step,
  shown,
  stopped,
  type UnderWay,
} from './http-pages.ts'
import { comingFrom } from './referrer.ts'

/** Maximum seconds of a visit that pages may wait before they redirect. */
const PATIENCE = 30

/** Maximum number of pages and redirects; a bank that exceeds it has a loop. */
const MOST_STEPS = 30

/**
 * A customer without a screen: follows redirects and refreshes, keeps cookies, fills in the forms and follows the links
 * that the target describes. Each visit has a new browser session, unless it names one.
 */
export function httpDriver(wire: Wire, target: Target, forms: FormDocument[]): Driver {
  const described: KnownOfPages = { target, forms, patience: PATIENCE }
  const sessions = new Map<string, Cookies>()

  const walk = async (
    request: VisitRequest,
    cookies: Cookies,
    known = described,
  ): Promise<VisitEnd> => {
    const { meanwhile } = request
    const visit: UnderWay = { request, pages: [], seen: new Map(), meanwhile, waited: 0 }
    let next: Step = { method: 'GET', url: request.url }
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const answered = await send(visit, next, { wire, target, cookies })
      if ('kind' in answered) return answered
      const reached =
        afterRedirect(visit, next, answered) ?? (await afterPage(visit, next, answered, known))
      if ('kind' in reached) return reached
      next = reached
    }
    if (visit.waited > 0) known.patience = 0
    const why = `no end after ${MOST_STEPS} pages`
    return { kind: 'stopped', why, first: visit.first, pages: visit.pages }
  }

  return {
    async visit(request): Promise<VisitEnd> {
      const { browser, otherTab } = request
      const kept = browser === undefined ? undefined : sessions.get(browser)
      const cookies = kept ?? createCookies()
      const meanwhile = async () => {
        if (otherTab) await walk(otherTab, cookies, { ...described, forms: [] })
        await request.meanwhile?.()
      }
      const about = kept ? request.about : inNewBrowser(request.about)
      const end = await walk({ ...request, about, meanwhile }, cookies)
      if (browser !== undefined && end.kind === 'redirected') sessions.set(browser, cookies)
      return end
    },
    async close() {},
  }
}

/** The bank cannot know the customer of this visit by a cookie. */
function inNewBrowser({ visit, ...about }: About): About {
  return { ...about, ...(visit && { visit: { ...visit, since: now() } }) }
}

/** Sends a request of the customer's browser, with its cookies. */
async function send(
  visit: UnderWay,
  next: Step,
  { wire, target, cookies }: { wire: Wire; target: Target; cookies: Cookies },
): Promise<Answered | VisitEnd> {
  const isFirst = visit.first === undefined
  // The target gives the first address; the bank gives all others, so these are checked.
  const problem = isFirst ? undefined : await addressProblem(next.url, target)
  if (problem !== undefined) {
    const why = `the bank leads on to ${shown(next.url)}, which is not fetched: ${problem}`
    return stopped(visit, why)
  }
  const refusal = next.secret && credentialProblem(next.url, target)
  if (refusal) return ourStop(refusal, visit.pages)
  const cookie = await cookies.headerFor(next.url)
  const exchange = await wire.send({
    endpoint: isFirst ? 'authorisation' : 'elsewhere',
    about: { ...visit.request.about },
    identity: 'none',
    method: next.method,
    url: next.url,
    headers: [
      ['accept', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'],
      ...(cookie ? [['cookie', cookie] as [string, string]] : []),
      ...(next.type === undefined ? [] : [['content-type', next.type] as [string, string]]),
      ...comingFrom(visit.from, next.method, next.url),
    ],
    body: next.body,
    retry: true,
  })
  visit.first ??= exchange
  visit.latest = exchange
  visit.cut ||= exchange.afterCut === true
  const { response } = exchange
  if (!response) return stopped(visit, `no response: ${exchange.failure?.message ?? 'unknown'}`)
  for (const [name, value] of response.headers) {
    if (name.toLowerCase() !== 'set-cookie') continue
    await cookies.keep(value, next.url)
  }
  return { exchange, response }
}

/** The target of a redirect; undefined if the answer is a page. */
function afterRedirect(
  visit: UnderWay,
  from: Step,
  { exchange, response: { status } }: Answered,
): Step | VisitEnd | undefined {
  const location = header(exchange, 'location')
  if (status < 300 || status >= 400 || !location) return undefined
  const url = absolute(visit, 'redirect', location, from.url)
  if (typeof url !== 'string') return url
  if (landsAt(url, visit.request)) return redirected(visit, url)
  return status === 307 || status === 308 ? { ...from, url } : { method: 'GET', url }
}
