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
} from './forms.ts'
import type { From } from './referrer.ts'
import { refreshOf } from './refresh.ts'

/** A visit that has not ended. */
export interface UnderWay {
  request: VisitRequest
  pages: Page[]
  /** What the page that a description fits said at first, and how often it was filled in or followed: see timesSeen. */
  seen: Map<FormDocument, { text: string; times: Map<string, number> }>
  /** The page that the customer is on. */
  from?: From
  first?: Exchange
  latest?: Exchange
  /** What is still to take place before the customer decides. */
  meanwhile?: () => Promise<void>
  /** Seconds that its pages had it wait. */
  waited: number
  /** Pages of a visit are used once: after a cut the bank may have taken one, and show an error. */
  cut?: boolean
}

/** A request of the customer's browser. */
export interface Step {
  method: string
  url: string
  body?: string
  /** Media type of the body. */
  type?: string
  /** It carries what the customer knows. */
  secret?: boolean
}

/** What came of a step. */
export interface Answered {
  exchange: Exchange
  response: NonNullable<Exchange['response']>
}

/** What all visits of a run know of the bank's pages. */
interface KnownOfPages {
  target: Target
  forms: FormDocument[]
  /** Seconds of a visit that pages may wait before they lead on by themselves. */
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

/** An address that the bank names, as `what`; how the visit ends where it is none. */
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
  // A browser shows a login page whatever its status: only what leads nowhere ends the visit.
  const match = fitting(page, known.forms, request.decision)
  if (response.status >= 400 && !match) {
    const why = `the bank shows a page with status ${response.status}`
    return visit.cut ? ourStop(`${why}, after a line that was cut`, pages) : stopped(visit, why)
  }
  // One that asks for something is waited for, not left.
  const asks = match || page.forms.length > 0
  const refresh = asks ? undefined : refreshOf(page.refresh ?? header(exchange, 'refresh'))
  if (!match && !refresh && leadsBack(page, request)) return stopped(visit, LEADS_BACK)
  const base = baseOf(page, url)
  // Where a visit waited without success, no other one waits.
  if (refresh && visit.waited + refresh.seconds > known.patience) known.patience = 0
  else if (refresh) return afterRefresh(visit, refresh, refresh.url === '' ? url : base)
  if (!match) {
    const lacked = lackedButton(page, known.forms, request.decision)
    const why = lacked ?? 'a page without any form that the target describes'
    const asking = page.forms.length > 0 && { asks: true as const }
    const unfit = `the page has ${offered(page)}; ${lookedFor(known.forms)}`
    return { ...stopped(visit, why), unfit, ...asking }
  }
  const end = endOfRepeats(visit, match.description, response.body)
  if (end) return end
  if ('form' in match) return afterForm(visit, match, { url, base }, known)
  const to = absolute(visit, 'a link', match.link.href, base)
  if (typeof to !== 'string') return to
  return landsAt(to, request) ? redirected(visit, to) : { method: 'GET', url: to }
}

/**
 * Does a page lead to the redirect URI in a script, a form or a link, as no page of a bank's does? That its words say
 * where the customer goes leads nowhere.
 */
function leadsBack({ scripts, forms, links }: ReadPage, { redirectUris }: VisitRequest): boolean {
  const addresses = [...forms.map(({ action }) => action), ...links.map(({ href }) => href)]
  const places = [scripts.replaceAll('\\/', '/'), ...addresses]
  return redirectUris.some((uri) => places.some((place) => place.includes(uri)))
}

/** What addresses of a page are relative to. */
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

/** The end of a visit to which the same page comes again and again; undefined where it goes on. */
function endOfRepeats(
  visit: UnderWay,
  description: FormDocument,
  body: string,
): VisitEnd | undefined {
  const { text = '' } = visit.pages.at(-1) ?? {}
  const before = visit.seen.get(description)?.text ?? ''
  const times = timesSeen(visit, description, text)
  const once = visit.request.wrongCredentials === true && usesCredentials(description)
  if (times <= (once ? 1 : 2)) return undefined
  const what = description.has?.join(', ') ?? description.follow
  const end = stopped(visit, `the page with ${what} comes back again and again`)
  const words = wordsAdded(before, text) || wordsOf(body)
  const says = words === '' ? 'its page says nothing' : `its page says “${words}”`
  return usesCredentials(description)
    ? { ...end, refusedCredentials: says }
    : { ...end, unfit: `what is filled in leads nowhere, and ${says}` }
}

/**
 * How often a visit came to a page. Where what a customer knows is filled in again and again, it is refused, whatever the
 * pages say; others are told apart by their words: several in a row may have the same button.
 */
function timesSeen({ seen }: UnderWay, description: FormDocument, text: string): number {
  const words = usesCredentials(description) ? '' : text
  const known = seen.get(description) ?? { text, times: new Map<string, number>() }
  const times = (known.times.get(words) ?? 0) + 1
  known.times.set(words, times)
  seen.set(description, known)
  return times
}

/** Fills a form and sends it, once what takes place meanwhile has. */
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

/** What is pressed for a customer who denies, where the description knows approve alone; a login asks for no decision. */
function approvedInstead(description: FormDocument): string | undefined {
  const { has, approve, deny, only } = description
  if (!approve || deny || only !== undefined || usesCredentials(description)) return undefined
  return `${approve.name}=${approve.value} on the page with ${has?.join(', ')}`
}
