import type { CDPSession } from 'playwright-core'
import { createSecretIndex } from '../wire/secret-index.ts'
import { IN_THE_ADDRESS } from './credentials.ts'
import { landsAt, type VisitRequest } from './driver.ts'

/** What ended the browser's part of a visit. */
type PagesEnd =
  | { kind: 'landed'; url: string; status?: number }
  /** The next page is at a server that this browser does not accept yet. */
  | { kind: 'elsewhere'; url: string }
  /** The bank leads to an address that a run does not fetch. */
  | { kind: 'astray'; why: string }
  | { kind: 'failed'; why: string }

/** Rules of a visit about addresses. */
export interface AddressRules {
  /** Why a page does not get credentials; undefined if it may. */
  credentialProblem(url: string): string | undefined
  /** Why an address that the bank gives is not fetched; undefined if it is. */
  addressProblem(url: string): Promise<string | undefined>
}

interface Paused {
  requestId: string
  resourceType: string
  /** Present if a response has arrived and the browser has not yet processed it. */
  responseStatusCode?: number
  responseHeaders?: { name: string; value: string }[]
  request: {
    url: string
    urlFragment?: string
    method: string
    /** Absent if there is no body, or if it is long or contains a file. */
    postData?: string
    hasPostData?: boolean
  }
}

/** Decides which requests of one visit are sent. */
export type RequestGate = ReturnType<typeof createRequestGate>

/**
 * Lets the requests of a visit's pages continue, until one reaches the end of the visit or must not be sent.
 *
 * @param trusted verifies the server of an address; false: this browser would not accept it.
 * @param onEnd called once or more often when the pages have ended.
 */
export function createRequestGate(
  request: VisitRequest,
  trusted: (url: string) => Promise<boolean>,
  onEnd: () => void,
  { credentialProblem, addressProblem }: AddressRules,
) {
  const given = createSecretIndex()
  let gave = false
  let end: PagesEnd | undefined
  /** Status of the redirects seen, by their target address. */
  const redirects = new Map<string, number>()
  const endWith = (reached: PagesEnd) => {
    end ??= reached
    onEnd()
  }
  const fail = (why: string) => endWith({ kind: 'failed', why })

  /** Why a request would reveal credentials; undefined if it does not. */
  const strays = ({ url, postData, hasPostData }: Paused['request']): string | undefined => {
    if (!gave) return undefined
    if (given.holds(url)) return IN_THE_ADDRESS
    const holds = postData === undefined ? hasPostData : given.holds(postData)
    return holds ? credentialProblem(url) : undefined
  }

  const outside = new Map<string, Promise<string | undefined>>()
  const notFetched = (url: string): Promise<string | undefined> | undefined => {
    if (!/^https?:/.test(url)) return undefined
    const { origin } = new URL(url)
    const known = outside.get(origin) ?? addressProblem(url)
    outside.set(origin, known)
    return known
  }

  const refuse = (reached: PagesEnd): false => {
    endWith(reached)
    return false
  }

  /** True if a request may be sent. */
  const decide = async ({ resourceType, request: asked }: Paused): Promise<boolean> => {
    const url = asked.url + (asked.urlFragment ?? '')
    const isPage = resourceType === 'Document'
    if (landsAt(url, request)) {
      return isPage && refuse({ kind: 'landed', url, status: redirects.get(url) })
    }
    if (end) return false
    const astray = strays(asked)
    if (astray !== undefined) return refuse({ kind: 'failed', why: astray })
    // The target gives the first address; the bank gives all others, so these are checked.
    const problem = url === request.url ? undefined : await notFetched(url)
    if (problem !== undefined) {
      const why = `the bank leads on to ${url.slice(0, 200)}, which is not fetched: ${problem}`
      return isPage && refuse({ kind: 'astray', why })
    }
    if (!isPage || (await trusted(url))) return true
    if (asked.method === 'GET') return refuse({ kind: 'elsewhere', url })
    const why = `a form is sent to ${new URL(url).origin}, a server that no page came from before`
    return refuse({ kind: 'failed', why })
  }

  return {
    /** Called with every request before it is sent, and with every page before it is shown. */
    async answer(session: CDPSession, paused: Paused) {
      const { requestId, responseStatusCode: code, responseHeaders = [] } = paused
      if (code !== undefined) {
        const to = responseHeaders.find(({ name }) => name.toLowerCase() === 'location')?.value
        const { url } = paused.request
        if (isRedirect(code) && to !== undefined && URL.canParse(to, url)) {
          redirects.set(new URL(to, url).href, code)
        }
        await session.send('Fetch.continueResponse', { requestId }).catch(() => {})
        return
      }
      let goesOn = false
      try {
        goesOn = await decide(paused)
      } catch (error) {
        fail((error as Error).message)
      }
      const sent = goesOn
        ? session.send('Fetch.continueRequest', { requestId })
        : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      // The tab may be closed already.
      await sent.catch(() => {})
    },
    /** What ended the visit; undefined while it continues. */
    get end() {
      return end
    },
    endWith,
    /** Ends the visit for a reason of ours. */
    fail,
    /** Called with the values that a page is about to get: from now on they may go nowhere else. */
    give(values: string[]) {
      gave = true
      for (const value of values) given.add(value, '')
    },
  }
}

/** True if a response with this status redirects. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}
