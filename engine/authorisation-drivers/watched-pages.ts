import type { BrowserContext, Page as Tab } from 'playwright-core'
import { firstLine } from './chromium.ts'
import { landsAt, type Page, type VisitRequest } from './driver.ts'
import { UNREAD } from './forms.ts'
import { isRedirect, type RequestGate } from './request-gate.ts'

const CLOSED = 'the window was closed'

/** The tabs of one visit and where they lead. */
export type WatchedPages = Awaited<ReturnType<typeof watchPages>>

/**
 * Watches every request of a context before it is sent, including redirects. `page.route` would show only the first
 * request of a redirect chain.
 */
export async function watchPages(
  context: BrowserContext,
  request: VisitRequest,
  gate: RequestGate,
) {
  const pages: Page[] = []
  let status: number | undefined

  const watch = async (tab: Tab) => {
    tab.on('close', () => {
      if (context.pages().length === 0) gate.fail(CLOSED)
    })
    tab.on('crash', () => gate.fail('the page crashed in the browser'))
    tab.on('dialog', (dialog) => void dialog.accept().catch(() => {}))
    tab.on('response', (response) => {
      const asked = response.request()
      const isPage = asked.isNavigationRequest() && asked.frame() === tab.mainFrame()
      if (isPage && !isRedirect(response.status())) status = response.status()
    })
    tab.on('domcontentloaded', async () => {
      if (gate.end) return
      const read = await tab.evaluate(SHOWN).catch(() => '')
      const text = String(read ?? '')
        .replace(/\s+/g, ' ')
        .trim()
      if (status !== undefined && !gate.end) pages.push({ status, text })
    })
    const session = await context.newCDPSession(tab)
    session.on('Fetch.requestPaused', (paused) => void gate.answer(session, paused))
    await session.send('Fetch.enable', {
      patterns: [
        { urlPattern: '*' },
        { urlPattern: '*', resourceType: 'Document', requestStage: 'Response' },
      ],
    })
    return session
  }

  /** A new window may load before it is watched. The TPP's page is not fetched: TPP hosts do not resolve. */
  const watchWindow = async (tab: Tab) => {
    const session = await watch(tab)
    const { entries, currentIndex } = await session.send('Page.getNavigationHistory')
    const url = entries[currentIndex]?.url ?? ''
    if (landsAt(url, request)) gate.endWith({ kind: 'landed', url })
  }

  context.on('close', () => gate.fail(CLOSED))
  const first = await context.newPage()
  await watch(first)
  context.on('page', (tab) => void watchWindow(tab).catch(() => {}))

  return {
    async open(url: string) {
      try {
        await first.goto(url, { waitUntil: 'commit', timeout: 0 })
      } catch (error) {
        const line = firstLine(error)
        // A page that is left or closed while it loads is not a failure.
        if (!/ERR_ABORTED|ERR_BLOCKED_BY_CLIENT|interrupted|has been closed/.test(line)) {
          gate.fail(`the bank's page was not loaded: ${line}`)
        }
      }
    },
    /** The tab that the customer looks at. */
    tab: () => context.pages().at(-1) ?? first,
    end: () => gate.end,
    pages,
    /** Status of the page that is shown; undefined if there is none. */
    status: () => status,
    give: gate.give,
    fail: gate.fail,
  }
}

/** What a page shows: its text, the descriptions of its pictures and the values of its fields. */
const SHOWN = `[
  document.body?.innerText,
  ...Array.from(document.querySelectorAll('img, input[type=image]'), ({ alt }) => alt),
  ...Array.from(document.querySelectorAll('input'), ({ type, value }) =>
    ${JSON.stringify([...UNREAD])}.includes(type) ? '' : value),
].join(' ')`
