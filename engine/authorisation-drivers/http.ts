import { setTimeout as wait } from 'node:timers/promises'
import type { Target } from '../configuration/resolve.ts'
import type { FormDocument } from '../configuration/target.ts'
import { wordsAdded, wordsOf } from '../record/page-words.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { addressProblem } from '../wire/outside-address.ts'
import type { Wire } from '../wire/wire.ts'
import { createCookies } from './cookies.ts'
import { credentialProblem, fillsIn, IN_THE_ADDRESS, usesCredentials } from './credentials.ts'
import {
  type Driver,
  landsAt,
  ourStop,
  type Page,
  type VisitEnd,
  type VisitRequest,
} from './driver.ts'
import { encoded, inQuery } from './form-encoding.ts'
import {
  boxesOf,
  decides,
  filled,
  fitting,
  lackedButton,
  letsDeny,
  offered,
  type ReadPage,
  readPage,
  sending,
} from './forms.ts'
import { comingFrom, type From } from './referrer.ts'
import { refreshOf } from './refresh.ts'

/** Seconds of a visit that pages may wait before they lead on by themselves. */
const PATIENCE = 30

/** More pages and redirects than any bank needs: a bank that goes in circles. */
const MOST_STEPS = 30

/**
 * A customer without a screen: follows redirects and refreshes, keeps cookies, fills the forms and follows the
 * links that the target describes. One fresh browser session for each visit.
 */
export function httpDriver(wire: Wire, target: Target, forms: FormDocument[]): Driver {
  let patience = PATIENCE
  return {
    async visit(request): Promise<VisitEnd> {
      const cookies = createCookies()
      const pages: Page[] = []
      const seen = createSeen()
      let first: Exchange | undefined
      let next: Step = { method: 'GET', url: request.url }
      let latest: Exchange | undefined
      let from: From | undefined
      let { meanwhile } = request
      let waited = 0
      /** Pages of a visit are used once: after a cut the bank may have taken one, and show an error. */
      let cut = false
      const seenSoFar = () => ({ exchange: latest, first, pages })
      const stopped = (why: string) => ({ kind: 'stopped' as const, why, ...seenSoFar() })
      const redirected = (url: string) => ({ kind: 'redirected' as const, url, ...seenSoFar() })

      for (let step = 0; step < MOST_STEPS; step += 1) {
        // Where the visit begins the target says; where it leads, the bank.
        const problem = step === 0 ? undefined : await addressProblem(next.url, target)
        if (problem !== undefined) {
          return stopped(
            `the bank leads on to ${shown(next.url)}, which is not fetched: ${problem}`,
          )
        }
        const refusal = next.secret && credentialProblem(next.url, target)
        if (refusal) return ourStop(refusal, pages)
        const cookie = await cookies.headerFor(next.url)
        const exchange = await wire.send({
          endpoint: step === 0 ? 'authorisation' : 'elsewhere',
          about: { ...request.about },
          identity: 'none',
          method: next.method,
          url: next.url,
          headers: [
            ['accept', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'],
            ...(cookie ? [['cookie', cookie] as [string, string]] : []),
            ...(next.type === undefined ? [] : [['content-type', next.type] as [string, string]]),
            ...comingFrom(from, next.method, next.url),
          ],
          body: next.body,
          retry: true,
        })
        first ??= exchange
        latest = exchange
        cut ||= exchange.afterCut === true
        const { response } = exchange
        if (!response) return stopped(`no response: ${exchange.failure?.message ?? 'unknown'}`)
        for (const [name, value] of response.headers) {
          if (name.toLowerCase() !== 'set-cookie') continue
          await cookies.keep(value, next.url)
        }

        const location = header(exchange, 'location')
        if (response.status >= 300 && response.status < 400 && location) {
          if (!URL.canParse(location, next.url))
            return stopped(`redirect to ${shown(location)}, no address`)
          const url = new URL(location, next.url).href
          if (landsAt(url, request)) return redirected(url)
          const keeps = response.status === 307 || response.status === 308
          next = keeps ? { ...next, url } : { method: 'GET', url }
          continue
        }

        const page = readPage(response.body, response.charset)
        pages.push({ status: response.status, text: page.text })
        from = { url: next.url, policy: header(exchange, 'referrer-policy') }
        // A browser shows a login page whatever its status: only what leads nowhere ends the visit.
        const match = fitting(page, forms, request.decision)
        if (response.status >= 400 && !match) {
          const why = `the bank shows a page with status ${response.status}`
          return cut ? ourStop(`${why}, after a line that was cut`, pages) : stopped(why)
        }
        // One that asks for something is waited for, not left.
        const asks = match || page.forms.length > 0
        const refresh = asks ? undefined : refreshOf(page.refresh ?? header(exchange, 'refresh'))
        if (!match && !refresh && leadsBack(page, request)) return stopped(LEADS_BACK)
        // Where a visit waited in vain, no other one waits.
        if (refresh && waited + refresh.seconds > patience) patience = 0
        else if (refresh) {
          const { url, seconds } = refresh
          waited += seconds
          const base = url === '' ? next.url : baseOf(page, next.url)
          if (!URL.canParse(url, base)) return stopped(`a refresh to ${shown(url)}, no address`)
          next = { method: 'GET', url: new URL(url, base).href }
          if (landsAt(next.url, request)) return stopped(LEADS_BACK)
          await wait(seconds * 1000)
          continue
        }
        if (!match) {
          const lacked = lackedButton(page, forms, request.decision)
          const why = lacked ?? 'a page without any form that the target describes'
          const asking = page.forms.length > 0 && { asks: true as const }
          return { ...stopped(why), unfit: `the page has ${offered(page)}`, ...asking }
        }
        const { description } = match
        const times = seen.again(description, page)
        const once = request.wrongCredentials === true && usesCredentials(description)
        if (times > (once ? 1 : 2)) {
          const what = description.has?.join(', ') ?? description.follow
          const why = `the page with ${what} comes back again and again`
          const words = wordsAdded(pages.at(-2)?.text ?? '', page.text) || wordsOf(response.body)
          const says = words === '' ? 'its page says nothing' : `its page says “${words}”`
          return usesCredentials(description)
            ? { ...stopped(why), refusedCredentials: says }
            : { ...stopped(why), unfit: `what is filled in leads nowhere, and ${says}` }
        }
        if ('link' in match) {
          const { href } = match.link
          const base = baseOf(page, next.url)
          if (!URL.canParse(href, base)) return stopped(`a link to ${shown(href)}, no address`)
          next = { method: 'GET', url: new URL(href, base).href }
          if (landsAt(next.url, request)) return redirected(next.url)
          continue
        }
        const { form } = match
        const { decision, customer, oneAccount } = request
        const instead = decision === 'deny' ? approvedInstead(description) : undefined
        if (instead !== undefined) Object.assign(pages.at(-1) ?? {}, { approvedInstead: instead })
        const { method, action: to, enctype } = sending(form, description, decision)
        if (to !== '' && !URL.canParse(to, baseOf(page, next.url))) {
          return stopped(`a form that is sent to ${shown(to)}, no address`)
        }
        const secret = fillsIn(description)
        const strange = secret && credentialProblem(next.url, target)
        if (strange) return ourStop(strange, pages)
        const body = filled(form, description, decision, customer.credentials, oneAccount)
        const offers = boxesOf(form, description)
        if (offers !== undefined) Object.assign(pages.at(-1) ?? {}, { offered: offers })
        if (letsDeny(form, description)) Object.assign(pages.at(-1) ?? {}, { denies: true })
        if (meanwhile && decides(form, description, forms)) {
          await meanwhile()
          meanwhile = undefined
        }
        const action = to === '' ? new URL(next.url) : new URL(to, baseOf(page, next.url))
        if (method === 'post') {
          const sent = await encoded(body, enctype, form.charset)
          next = { method: 'POST', url: action.href, ...sent, secret }
        } else {
          if (usesCredentials(description)) return ourStop(IN_THE_ADDRESS, pages)
          const elsewhere = secret && credentialProblem(action.href, target)
          if (elsewhere) return ourStop(elsewhere, pages)
          action.search = inQuery(body, form.charset)
          next = { method: 'GET', url: action.href }
        }
      }
      if (waited > 0) patience = 0
      return { kind: 'stopped', why: `no end after ${MOST_STEPS} pages`, first, pages }
    },
    async close() {},
  }
}

/** What is pressed for a customer who denies, where the description knows approve alone; a login asks for no decision. */
function approvedInstead(description: FormDocument): string | undefined {
  const { has, approve, deny, only } = description
  if (!approve || deny || only !== undefined || usesCredentials(description)) return undefined
  return `${approve.name}=${approve.value} on the page with ${has?.join(', ')}`
}

const LEADS_BACK = 'a page that leads to the redirect URI by itself, where a redirect belongs'

/** A request of the customer's browser. */
interface Step {
  method: string
  url: string
  body?: string
  /** Media type of the body. */
  type?: string
  /** It carries what the customer knows. */
  secret?: boolean
}

/**
 * How often a visit came to a page. Where what a customer knows is filled in again and again, it is refused, whatever the
 * pages say; others are told apart by their words: several in a row may have the same button.
 */
function createSeen() {
  const times = new Map<FormDocument, Map<string, number>>()
  return {
    again(description: FormDocument, { text }: ReadPage): number {
      const words = usesCredentials(description) ? '' : text
      const own = times.get(description) ?? new Map<string, number>()
      times.set(description, own.set(words, (own.get(words) ?? 0) + 1))
      return own.get(words) ?? 1
    },
  }
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

/** An address of the bank's, short enough for a sentence. */
function shown(address: string): string {
  return address.length > 200 ? `${address.slice(0, 200)}…` : address
}
