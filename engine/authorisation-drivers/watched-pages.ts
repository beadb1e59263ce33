import type { BrowserContext, CDPSession, Page as Tab } from 'playwright-core'
import { createSecretIndex } from '../wire/secret-index.ts'
import { firstLine } from './chromium.ts'
import { IN_THE_ADDRESS } from './credentials.ts'
import { landsAt, type Page, type VisitRequest } from './driver.ts'
import { UNREAD } from './forms.ts'

/** What ended the browser's part of a visit. */
type PagesEnd =
  | { kind: 'landed'; url: string; status?: number }
  /** The next page is at a server that this browser was not told of. */
  | { kind: 'elsewhere'; url: string }
  /** By the bank, to where a run does not go. */
  | { kind: 'astray'; why: string }
  | { kind: 'failed'; why: string }

/** What a visit asks about addresses. */
export interface AddressRules {
  /** Why a page does not get what the customer knows; undefined: it may. */
  credentialProblem(url: string): string | undefined
  /** Why an address that the bank named is not fetched; undefined: it is. */
  addressProblem(url: string): Promise<string | undefined>
}

const CLOSED = 'the window was closed'

/** The tabs of one visit and where they lead. */
export type WatchedPages = Awaited<ReturnType<typeof watchPages>>

interface Paused {
  requestId: string
  resourceType: string
  /** Present where a response has arrived and is not yet acted upon. */
  responseStatusCode?: number
  responseHeaders?: { name: string; value: string }[]
  request: {
    url: string
    urlFragment?: string
    method: string
    /** Absent where there is none, and where it is long or holds a file. */
    postData?: string
    hasPostData?: boolean
  }
}

/**
 * Watches every request of a context before it is sent. Redirects are among them, which
 * `page.route` would not show: it is asked only for the first request of a chain.
 *
 * @param onEnd called once or more often when the pages have come to an end.
 * @param trusted verifies the server of an address; false: this browser would not accept it.
 */
export async function watchPages(
  context: BrowserContext,
  request: VisitRequest,
  trusted: (url: string) => Promise<boolean>,
  onEnd: () => void,
  { credentialProblem, addressProblem }: AddressRules,
) {
  const pages: Page[] = []
  const given = createSecretIndex()
  let gave = false
  let end: PagesEnd | undefined
  let status: number | undefined
  /** Status of the redirects seen, by where they lead. */
  const redirects = new Map<string, number>()
  const endWith = (reached: PagesEnd) => {
    end ??= reached
    onEnd()
  }
  const fail = (why: string) => endWith({ kind: 'failed', why })

  /** Why a request would give away what the customer knows; undefined where it does not. */
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

  /** Does a request go on? */
  const decide = async ({ resourceType, request: asked }: Paused): Promise<boolean> => {
    const url = asked.url + (asked.urlFragment ?? '')
    const isPage = resourceType === 'Document'
    if (landsAt(url, request)) {
      return isPage && refuse({ kind: 'landed', url, status: redirects.get(url) })
    }
    if (end) return false
    const astray = strays(asked)
    if (astray !== undefined) return refuse({ kind: 'failed', why: astray })
    // Where the visit begins the target says; where it leads, the bank.
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

  const answer = async (session: CDPSession, paused: Paused) => {
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
    // The tab may have gone meanwhile.
    await sent.catch(() => {})
  }

  const watch = async (tab: Tab) => {
    tab.on('close', () => {
      if (context.pages().length === 0) fail(CLOSED)
    })
    tab.on('crash', () => fail('the page crashed in the browser'))
    tab.on('dialog', (dialog) => void dialog.accept().catch(() => {}))
    tab.on('response', (response) => {
      const asked = response.request()
      const isPage = asked.isNavigationRequest() && asked.frame() === tab.mainFrame()
      if (isPage && !isRedirect(response.status())) status = response.status()
    })
    tab.on('domcontentloaded', async () => {
      if (end) return
      const read = await tab.evaluate(SHOWN).catch(() => '')
      const text = String(read ?? '')
        .replace(/\s+/g, ' ')
        .trim()
      if (status !== undefined && !end) pages.push({ status, text })
    })
    const session = await context.newCDPSession(tab)
    session.on('Fetch.requestPaused', (paused) => void answer(session, paused))
    await session.send('Fetch.enable', {
      patterns: [
        { urlPattern: '*' },
        { urlPattern: '*', resourceType: 'Document', requestStage: 'Response' },
      ],
    })
    return session
  }

  /** A window of the bank's may be on its way before it is watched: TPP hosts do not resolve. */
  const watchWindow = async (tab: Tab) => {
    const session = await watch(tab)
    const { entries, currentIndex } = await session.send('Page.getNavigationHistory')
    const url = entries[currentIndex]?.url ?? ''
    if (landsAt(url, request)) endWith({ kind: 'landed', url })
  }

  context.on('close', () => fail(CLOSED))
  const first = await context.newPage()
  await watch(first)
  context.on('page', (tab) => void watchWindow(tab).catch(() => {}))

  return {
    async open(url: string) {
      try {
        await first.goto(url, { waitUntil: 'commit', timeout: 0 })
      } catch (error) {
        const line = firstLine(error)
        // A page that is left, or closed, while it loads is no failure of its own.
        if (!/ERR_ABORTED|ERR_BLOCKED_BY_CLIENT|interrupted|has been closed/.test(line)) {
          fail(`the bank's page was not loaded: ${line}`)
        }
      }
    },
    /** The tab that the customer looks at. */
    tab: () => context.pages().at(-1) ?? first,
    end: () => end,
    pages,
    /** Status of the page that is shown; undefined while there is none. */
    status: () => status,
    /** Told what a page is about to be given: it goes nowhere else from now on. */
    give(values: string[]) {
      gave = true
      for (const value of values) given.add(value, '')
    },
    /** Ends the visit for a reason of ours. */
    fail,
  }
}

/** What a page shows: its text, what its pictures are described by, what stands in its fields. */
const SHOWN = `[
  document.body?.innerText,
  ...Array.from(document.querySelectorAll('img, input[type=image]'), ({ alt }) => alt),
  ...Array.from(document.querySelectorAll('input'), ({ type, value }) =>
    ${JSON.stringify([...UNREAD])}.includes(type) ? '' : value),
].join(' ')`

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}
