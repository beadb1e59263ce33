import { Cookie, CookieJar } from 'tough-cookie'
import type { FormDocument } from '../../target/target.ts'
import { type Exchange, header } from '../../wire/exchange.ts'
import type { Wire } from '../../wire/wire.ts'
import type { Driver, Page, VisitEnd, VisitRequest } from './driver.ts'
import { filled, fitting, offered, readPage } from './forms.ts'
import { landsAt } from './landing.ts'

/** More pages and redirects than any bank needs: a bank that goes in circles. */
const MOST_STEPS = 30

/**
 * A customer without a screen: follows redirects, keeps cookies, fills the forms and follows the
 * links that the target describes. One fresh browser session for each visit.
 */
export function httpDriver(wire: Wire, forms: FormDocument[]): Driver {
  return {
    visit: (request) => visit(wire, forms, request),
    async close() {},
  }
}

async function visit(wire: Wire, forms: FormDocument[], request: VisitRequest): Promise<VisitEnd> {
  const jar = new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true })
  const pages: Page[] = []
  const seen = new Map<FormDocument, number>()
  let first: Exchange | undefined
  let next = { method: 'GET', url: request.url, body: undefined as string | undefined }

  for (let step = 0; step < MOST_STEPS; step += 1) {
    const cookie = await jar.getCookieString(next.url)
    const exchange = await wire.send({
      endpoint: step === 0 ? 'authorisation' : 'elsewhere',
      about: { ...request.about },
      identity: 'none',
      method: next.method,
      url: next.url,
      headers: [
        ['accept', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'],
        ...(cookie ? [['cookie', cookie] as [string, string]] : []),
        ...(next.body === undefined
          ? []
          : [['content-type', 'application/x-www-form-urlencoded'] as [string, string]]),
      ],
      body: next.body,
    })
    first ??= exchange
    const stopped = (why: string) => ({ kind: 'stopped' as const, why, exchange, first, pages })
    const { response } = exchange
    if (!response) return stopped(`no response: ${exchange.failure?.message ?? 'unknown'}`)
    for (const [name, value] of response.headers) {
      if (name.toLowerCase() !== 'set-cookie') continue
      const parsed = Cookie.parse(value, { loose: true })
      if (parsed) await jar.setCookie(parsed, next.url, { ignoreError: true })
    }

    const location = header(exchange, 'location')
    if (response.status >= 300 && response.status < 400 && location) {
      if (!URL.canParse(location, next.url)) return stopped(`redirect to ${location}, no address`)
      const target = new URL(location, next.url).href
      if (landsAt(target, request)) {
        return { kind: 'redirected', url: target, exchange, first, pages }
      }
      const keeps = response.status === 307 || response.status === 308
      next = keeps ? { ...next, url: target } : { method: 'GET', url: target, body: undefined }
      continue
    }

    const page = readPage(response.body)
    pages.push({ status: response.status, text: page.text })
    if (response.status >= 400)
      return stopped(`the bank shows a page with status ${response.status}`)
    const match = fitting(page, forms)
    if (!match) {
      const why = 'a page without any form that the target describes'
      return { ...stopped(why), unfit: `the page has ${offered(page)}` }
    }
    const { description } = match
    const times = (seen.get(description) ?? 0) + 1
    seen.set(description, times)
    if (times > 2) {
      const what = description.has?.join(', ') ?? description.follow
      const why = `the page with ${what} comes back again and again`
      return { ...stopped(why), unfit: 'what is filled in leads nowhere' }
    }
    if ('link' in match) {
      const { href } = match.link
      if (!URL.canParse(href, next.url)) return stopped(`a link to ${href}, no address`)
      next = { method: 'GET', url: new URL(href, next.url).href, body: undefined }
      if (landsAt(next.url, request)) {
        return { kind: 'redirected', url: next.url, exchange, first, pages }
      }
      continue
    }
    const { form } = match
    const body = filled(form, description, request.decision, request.customer.credentials)
    const action = new URL(form.action || next.url, next.url)
    if (form.method === 'get') {
      action.search = body.toString()
      next = { method: 'GET', url: action.href, body: undefined }
    } else {
      next = { method: 'POST', url: action.href, body: body.toString() }
    }
  }
  return { kind: 'stopped', why: `no end after ${MOST_STEPS} pages`, first, pages }
}
