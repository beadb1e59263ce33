import { setTimeout as wait } from 'node:timers/promises'
import type { Target } from '../configuration/resolve.ts'
import type { FormDocument } from '../configuration/target.ts'
import { wordsAdded, wordsOf } from '../record/page-words.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { credentialProblem, fillsIn, IN_THE_ADDRESS, usesCredentials } from './credentials.ts'
import { landsAt, ourStop, type Page, type VisitEnd, type VisitRequest } from './driver.ts'
import { encoded, inQuery } from './form-encoding.ts'
import {
  boxesOf,
  decides,
  type Form,
  filled,
  fitting,
  lackedButton,
  letsDeny,
  lookedFor,
  offered,
  type ReadPage,
  readPage,
  sending,
  untickedIn,
} from './forms.ts'
import type { From } from './referrer.ts'
import { refreshOf } from './refresh.ts'

/** A visit that has not ended. */
export interface UnderWay {
  request: VisitRequest
  pages: Page[]
  /** For each description: the first text of its page, and how often it was filled in or followed; see timesSeen. */
  seen: Map<FormDocument, { text: string; times: Map<string, number> }>
  /** The page that the customer is on. */
  from?: From
  first?: Exchange
  latest?: Exchange
  /** Action that must happen before the customer decides. */
  meanwhile?: () => Promise<void>
  /** Seconds that its pages made it wait. */
  waited: number
  /** A connection was cut. Pages of a visit work once, so the bank may have received the request and show an error. */
  cut?: boolean
}

/** A request of the customer's browser. */
export interface Step {
  method: string
  url: string
  body?: string
  /** Media type of the body. */
  type?: string
  /** True if it carries credentials of the customer. */
  secret?: boolean
}

/** The result of a step. */
export interface Answered {
  exchange: Exchange
  response: NonNullable<Exchange['response']>
}

/** What all visits of a run know about the bank's pages. */
export interface KnownOfPages {
  target: Target
  forms: FormDocument[]
  /** Maximum seconds of a visit that pages may wait before they redirect. */
  patience: number
}

const LEADS_BACK = 'a page that leads to the redirect URI by itself, where a redirect belongs'

/** The visit ends on the bank's side. */
export function stopped({ latest, first, pages }: UnderWay, why: string) {
  return { kind: 'stopped' as const, why, exchange: latest, first, pages }
}

/** The visit ends at the TPP. */
export function redirected({ latest, first, pages }: UnderWay, url: string) {
  return { kind: 'redirected' as const, url, exchange: latest, first, pages }
}

/** An address that the bank gives, described by `what`; the end of the visit if it is not a valid address. */
export function absolute(visit: UnderWay, what: string, address: string, from: string) {
  if (URL.canParse(address, from)) return new URL(address, from).href
  return stopped(visit, `${what} to ${shown(address)}, no address`)
}

/** An address of the bank's, short enough for a sentence. */
export function shown(address: string): string {
  return address.length > 200 ? `${address.slice(0, 200)}…` : address
}

/** Where the customer goes from a page. */
export async function afterPage(
  visit: UnderWay,
  { url }: Step,
  { exchange, response }: Answered,
  known: KnownOfPages,
): Promise<Step | VisitEnd> {
  const { request, pages } = visit
  const page = readPage(response.body, response.charset)
  pages.push({ status: response.status, text: page.text })
  visit.from = { url, policy: header(exchange, 'referrer-policy') }
  // A browser shows a login page with any status. The status ends the visit only if no description fits.
  const match = fitting(page, known.forms, request.decision)
  if (response.status >= 400 && !match) {
    const why = `the bank shows a page with status ${response.status}`
    return visit.cut ? ourStop(`${why}, after a line that was cut`, pages) : stopped(visit, why)
  }
  // If a page has a form, or a link that is described, its refresh is ignored.
  const asks = match || page.forms.length > 0
  const refresh = asks ? undefined : refreshOf(page.refresh ?? header(exchange, 'refresh'))
  if (!match && !refresh && leadsBack(page, request)) return stopped(visit, LEADS_BACK)
  const base = baseOf(page, url)
  // If one visit waited without success, no other visit waits.
  if (refresh && visit.waited + refresh.seconds > known.patience) known.patience = 0
  else if (refresh) return afterRefresh(visit, refresh, refresh.url === '' ? url : base)
  if (!match) {
    const lacked = lackedButton(page, known.forms, request.decision)
    const why = lacked ?? 'a page without any form that the target describes'
    const asking = page.forms.length > 0 && { asks: true as const }
    const unfit = `the page has ${offered(page)}; ${lookedFor(known.forms)}`
    return { ...stopped(visit, why), unfit, ...asking }
  }
  const end = endOfRepeats(visit, match, response.body)
  if (end) return end
  if ('form' in match) return afterForm(visit, match, { url, base }, known)
  const to = absolute(visit, 'a link', match.link.href, base)
  if (typeof to !== 'string') return to
  return landsAt(to, request) ? redirected(visit, to) : { method: 'GET', url: to }
}

/**
 * True if a page leads to the redirect URI in a script, form or link, which no bank's page should do. A redirect URI in
 * the text does not count.
 */
function leadsBack({ scripts, forms, links }: ReadPage, { redirectUris }: VisitRequest): boolean {
  const addresses = [...forms.map(({ action }) => action), ...links.map(({ href }) => href)]
  const places = [scripts.replaceAll('\\/', '/'), ...addresses]
  return redirectUris.some((uri) => places.some((place) => place.includes(uri)))
}

/** The base of relative addresses on a page. */
function baseOf({ base }: ReadPage, url: string): string {
  if (base === undefined || !URL.canParse(base, url)) return url
  const { href, protocol } = new URL(base, url)
  return /^https?:$/.test(protocol) ? href : url
}

async function afterRefresh(
  visit: UnderWay,
  { url, seconds }: { url: string; seconds: number },
  from: string,
): Promise<Step | VisitEnd> {
  visit.waited += seconds
  const to = absolute(visit, 'a refresh', url, from)
  if (typeof to !== 'string') return to
  if (landsAt(to, visit.request)) return stopped(visit, LEADS_BACK)
  await wait(seconds * 1000)
  return { method: 'GET', url: to }
}

/** The end of a visit in which the same page comes back repeatedly; undefined if the visit continues. */
function endOfRepeats(
  visit: UnderWay,
  match: { description: FormDocument; form?: Form },
  body: string,
): VisitEnd | undefined {
  const { description } = match
  const { text = '' } = visit.pages.at(-1) ?? {}
  const before = visit.seen.get(description)?.text ?? ''
  const times = timesSeen(visit, description, text)
  const once = visit.request.wrongCredentials === true && usesCredentials(description)
  if (times <= (once ? 1 : 2)) return undefined
  const what = description.has?.join(', ') ?? description.follow
  const end = stopped(visit, `the page with ${what} comes back again and again`)
  const words = wordsAdded(before, text) || wordsOf(body)
  const says = words === '' ? 'its page says nothing' : `its page says “${words}”`
  if (usesCredentials(description)) return { ...end, refusedCredentials: says }
  const left = match.form ? untickedIn(match.form, description) : []
  const boxes = left.length > 0 ? `, its boxes ${left.join(', ')} are not ticked` : ''
  const unfit = `what is filled in leads nowhere${boxes}, and ${says}`
  return { ...end, unfit, ...(boxes !== '' && { unticked: true }) }
}

/**
 * How often a visit reached a page. A login page counts whatever it says: if it comes back, the credentials are
 * refused. Other pages are distinguished by their text, because several in a row may have the same button.
 */
function timesSeen({ seen }: UnderWay, description: FormDocument, text: string): number {
  const words = usesCredentials(description) ? '' : text
  const known = seen.get(description) ?? { text, times: new Map<string, number>() }
  const times = (known.times.get(words) ?? 0) + 1
  known.times.set(words, times)
  seen.set(description, known)
  return times
}

/** Fills in a form and sends it, after any `meanwhile` action. */
async function afterForm(
  visit: UnderWay,
  { form, description }: { form: Form; description: FormDocument },
  { url, base }: { url: string; base: string },
  { target, forms }: KnownOfPages,
): Promise<Step | VisitEnd> {
  const { request, pages } = visit
  const { decision, customer, oneAccount } = request
  const page = pages.at(-1) ?? {}
  const instead = decision === 'deny' ? approvedInstead(description) : undefined
  if (instead !== undefined) Object.assign(page, { approvedInstead: instead })
  const { method, action: to, enctype } = sending(form, description, decision)
  const action = to === '' ? new URL(url).href : absolute(visit, 'a form that is sent', to, base)
  if (typeof action !== 'string') return action
  const secret = fillsIn(description)
  const strange = secret && credentialProblem(url, target)
  if (strange) return ourStop(strange, pages)
  const body = filled(form, description, decision, customer.credentials, oneAccount)
  const offers = boxesOf(form, description)
  if (offers !== undefined) Object.assign(page, { offered: offers })
  if (letsDeny(form, description)) Object.assign(page, { denies: true })
  if (visit.meanwhile && decides(form, description, forms)) {
    await visit.meanwhile()
    visit.meanwhile = undefined
  }
  if (method === 'post') {
    return { method: 'POST', url: action, ...(await encoded(body, enctype, form.charset)), secret }
  }
  if (usesCredentials(description)) return ourStop(IN_THE_ADDRESS, pages)
  const elsewhere = secret && credentialProblem(action, target)
  if (elsewhere) return ourStop(elsewhere, pages)
  const asked = new URL(action)
  asked.search = inQuery(body, form.charset)
  return { method: 'GET', url: asked.href }
}

/** The button pressed for a denial if the description has only approve; a login page needs no decision. */
function approvedInstead(description: FormDocument): string | undefined {
  const { has, approve, deny, only } = description
  if (!approve || deny || only !== undefined || usesCredentials(description)) return undefined
  return `${approve.name}=${approve.value} on the page with ${has?.join(', ')}`
}
