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
  offered,
  type ReadPage,
  readPage,
  sending,
} from './forms.ts'
import { refreshOf } from './refresh.ts'

/** A visit that has not ended. */
export interface UnderWay {
  request: VisitRequest
  pages: Page[]
  /** How often what a description fits was filled in or followed, and what its page said at first. */
  seen: Map<FormDocument, { times: number; text: string }>
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
  // A browser shows a login page whatever its status: only what leads nowhere ends the visit.
  const match = fitting(page, known.forms, request.decision)
  if (response.status >= 400 && !match) {
    const why = `the bank shows a page with status ${response.status}`
    return visit.cut ? ourStop(`${why}, after a line that was cut`, pages) : stopped(visit, why)
  }
  if (!match && leadsBack(response.body, request)) return stopped(visit, LEADS_BACK)
  // One that asks for something is waited for, not left.
  const asks = match || page.forms.length > 0
  const refresh = asks ? undefined : refreshOf(page.refresh ?? header(exchange, 'refresh'))
  const base = baseOf(page, url)
  // Where a visit waited in vain, no other one waits.
  if (refresh && visit.waited + refresh.seconds > known.patience) known.patience = 0
  else if (refresh) return afterRefresh(visit, refresh, refresh.url === '' ? url : base)
  if (!match) {
    const lacked = lackedButton(page, known.forms, request.decision)
    const why = lacked ?? 'a page without any form that the target describes'
    return { ...stopped(visit, why), unfit: `the page has ${offered(page)}` }
  }
  const end = endOfRepeats(visit, match.description, response.body)
  if (end) return end
  if ('form' in match) return afterForm(visit, match, { url, base }, known)
  const to = absolute(visit, 'a link', match.link.href, base)
  if (typeof to !== 'string') return to
  return landsAt(to, request) ? redirected(visit, to) : { method: 'GET', url: to }
}

/** Does a page name the redirect URI, in a refresh, a script or a link, as no page of a bank's does? */
function leadsBack(body: string, { redirectUris }: VisitRequest): boolean {
  const text = body.replaceAll('&amp;', '&').replaceAll('\\/', '/')
  return redirectUris.some((uri) => text.includes(uri))
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
  const known = visit.seen.get(description)
  const times = (known?.times ?? 0) + 1
  visit.seen.set(description, { times, text: known?.text ?? text })
  const once = visit.request.wrongCredentials === true && usesCredentials(description)
  if (times <= (once ? 1 : 2)) return undefined
  const what = description.has?.join(', ') ?? description.follow
  const end = stopped(visit, `the page with ${what} comes back again and again`)
  const words = wordsAdded(known?.text ?? '', text) || wordsOf(body)
  const says = words === '' ? 'its page says nothing' : `its page says “${words}”`
  return usesCredentials(description)
    ? { ...end, refusedCredentials: says }
    : { ...end, unfit: `what is filled in leads nowhere, and ${says}` }
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
