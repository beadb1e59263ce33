import { HOLDING } from '../authorisation-drivers/driver.ts'
import type { Target } from '../configuration/resolve.ts'
import { Blocked } from '../judge/outcome.ts'
import type { Visit, VisitOptions } from './visit.ts'

type Send = (options: VisitOptions) => Promise<Visit>

/** Visits that go on in the browser session of an earlier one, where the driver is ours and the bank can do it. */
export function createBrowserSessions({ document }: Target) {
  const keeps = HOLDING.includes(document.authorisation.driver)
  /** Sessions in which a visit gave a code, by name; false once another visit in it gave none. */
  const sessions = new Map<string, boolean>()
  const followsOn = ({ browser = '' }: VisitOptions) => sessions.get(browser) === true

  /** A visit that goes on in no session, with one tab. */
  const single = async (options: VisitOptions, send: Send): Promise<Visit> => {
    const { browser, otherTab: _none, ...others } = options
    if (browser === undefined || !keeps || sessions.has(browser)) return send(others)
    const made = await send({ ...others, browser })
    if (made.kind === 'granted') sessions.set(browser, true)
    return made
  }

  return {
    followsOn,
    /** Where a visit in the session of an earlier one gives no code, it is repeated in a new session. */
    async visit(options: VisitOptions, send: Send): Promise<Visit> {
      if (!followsOn(options)) return single(options, send)
      // A browser that the bank knows may see a page that the target does not describe.
      const made = await send(options).catch((error: unknown) => {
        if (error instanceof Blocked) return undefined
        throw error
      })
      if (made?.kind === 'granted') return { ...made, sameBrowser: true }
      sessions.set(options.browser ?? '', false)
      return single(options, send)
    },
  }
}
