import type { Browser, BrowserContext } from 'playwright-core'
import type { StepDocument } from '../configuration/target.ts'
import { type BrowserOptions, firstLine, launch, serverPin } from './chromium.ts'
import { type Driver, ourStop, type VisitEnd, type VisitRequest } from './driver.ts'
import { takeSteps } from './page-steps.ts'
import { type AddressRules, createRequestGate } from './request-gate.ts'
import { watchPages } from './watched-pages.ts'

type VerifyingOptions = BrowserOptions & {
  /** Milliseconds for a connection to a server. */
  timeout: number
  /** Redirect URIs that are known beforehand. */
  redirectUris: string[]
}

type Storage = Awaited<ReturnType<BrowserContext['storageState']>>

/** Cookies and storage of the sessions that visits share, by name. */
type Sessions = Map<string, Storage>

/**
 * Takes a customer through the bank's pages in the machine's Chromium, Chrome or Edge, by the steps that the target
 * describes. Every visit has a new context without earlier cookies, unless it names a session. Each server that serves
 * a page is first verified against the target's trust. The final redirect is intercepted before anything is fetched.
 */
export function browserDriver(
  options: VerifyingOptions & {
    steps: StepDocument[]
    /** Directory that commands for one-time codes are relative to. */
    base: string
    /** Maximum milliseconds for one visit. */
    patience: number
    rules: AddressRules
  },
): Driver {
  const { patience } = options
  const verifying = createVerifyingBrowser(options)
  /** Functions that end the open visits. */
  const open = new Set<() => void>()
  let over = false
  const sessions: Sessions = new Map()

  /** One part of a visit; `elsewhere` if it continues in a browser that accepts another server. */
  const stretch = async (
    request: VisitRequest,
    from: { url: string; storage?: Storage },
    deadline: AbortSignal,
    taken: Set<StepDocument>,
  ): Promise<VisitEnd | { elsewhere: string; storage: Storage }> => {
    await verifying.trusted(from.url)
    const browser = await verifying.current()
    const context = await browser.newContext({ storageState: from.storage, locale: 'en-GB' })
    try {
      const controller = new AbortController()
      const { signal: ended } = controller
      const onEnd = () => controller.abort()
      deadline.addEventListener('abort', onEnd)
      if (deadline.aborted) onEnd()
      const gate = createRequestGate(request, verifying.trusted, onEnd, options.rules)
      const watched = await watchPages(context, request, gate)
      void watched.open(from.url)
      const { credentialProblem } = options.rules
      const steps = { steps: options.steps, base: options.base, taken, credentialProblem }
      // Playwright may wait for a page that never comes; the end of the visit must not wait for it.
      const stuck = await Promise.race([
        takeSteps(watched, request, steps, ended),
        new Promise<undefined>((resolve) => {
          ended.addEventListener('abort', () => resolve(undefined))
          if (ended.aborted) resolve(undefined)
        }),
      ])
      const { pages } = watched
      const end = watched.end()
      if (end?.kind === 'landed') {
        await keepSession(sessions, request, context)
        return { kind: 'redirected', url: end.url, status: end.status, pages }
      }
      if (end?.kind === 'elsewhere') {
        return { elsewhere: end.url, storage: await context.storageState() }
      }
      if (over) return ourStop('the run was interrupted', pages)
      if (end?.kind === 'failed') return ourStop(end.why, pages)
      if (deadline.aborted) {
        return ourStop(`the visit did not end within ${patience / 1000} s`, pages)
      }
      if (end?.kind === 'astray') return { kind: 'stopped', why: end.why, pages }
      const why = stuck ?? 'the visit did not end'
      const unfit = (watched.status() ?? 0) < 400 && 'the steps that the target describes end there'
      return { kind: 'stopped', why, ...(unfit && { unfit }), pages }
    } finally {
      await context.close().catch(() => {})
    }
  }

  return {
    async visit(request) {
      if (over) return ourStop('the run was interrupted')
      // Plain controllers: a combined signal may be garbage collected while it is awaited.
      const controller = new AbortController()
      const { signal: deadline } = controller
      const timer = setTimeout(() => controller.abort(), patience)
      const end = () => controller.abort()
      open.add(end)
      const taken = new Set<StepDocument>()
      const { url, browser = '' } = request
      let from: { url: string; storage?: Storage } = { url, storage: sessions.get(browser) }
      try {
        for (;;) {
          const end = await stretch(request, from, deadline, taken)
          if ('kind' in end) return end
          from = { url: end.elsewhere, storage: end.storage }
        }
      } catch (error) {
        return ourStop(firstLine(error))
      } finally {
        clearTimeout(timer)
        open.delete(end)
      }
    },
    interrupt() {
      over = true
      for (const end of open) end()
    },
    close: verifying.close,
  }
}

async function keepSession(
  sessions: Sessions,
  { browser }: VisitRequest,
  context: BrowserContext,
): Promise<void> {
  if (browser === undefined) return
  const storage = await context.storageState().catch(() => undefined)
  if (storage) sessions.set(browser, storage)
}

/** A browser that accepts the servers it trusts itself and those that were verified before. */
function createVerifyingBrowser(options: VerifyingOptions) {
  const { trust, proxy, timeout } = options
  const pins = new Map<string, string>()
  let opened: { browser: Browser; accepts: Set<string> } | undefined

  return {
    /** Verifies the server of an address once per run; resolves to true if the open browser accepts it. */
    async trusted(address: string): Promise<boolean> {
      const { protocol, origin } = new URL(address)
      if (protocol !== 'https:') return true
      const pin = pins.get(origin) ?? (await serverPin(origin, { trust, proxy, timeout }))
      pins.set(origin, pin)
      return trust === undefined || opened?.accepts.has(pin) === true
    },
    /** A browser that accepts every server that was verified so far. */
    async current(): Promise<Browser> {
      const wanted = trust === undefined ? [] : [...new Set(pins.values())]
      const fits = wanted.every((pin) => opened?.accepts.has(pin))
      if (opened?.browser.isConnected() && fits) return opened.browser
      await opened?.browser.close()
      const browser = await launch(options, wanted, options.redirectUris)
      opened = { browser, accepts: new Set(wanted) }
      return browser
    },
    async close() {
      await opened?.browser.close()
    },
  }
}
