import { CookieJar } from 'tough-cookie'
import { now } from '../record/clock.ts'

export type Cookies = ReturnType<typeof createCookies>

/** The cookies of one browser session. They expire by the clock of the run, not by the wall clock. */
export function createCookies() {
  const jar = new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true })
  return {
    /** Stores what a Set-Cookie header of this address says; ignores invalid cookies. */
    async keep(header: string, url: string): Promise<void> {
      await jar.setCookie(header, url, { ignoreError: true, now: new Date(now()) })
    },
    /** The Cookie header for an address; empty if there are no cookies for it. */
    async headerFor(url: string): Promise<string> {
      const time = now()
      const kept = await jar.getCookies(url, { expire: false, sort: true })
      return kept
        .filter((cookie) => (cookie.expiryTime(new Date(time)) ?? Number.POSITIVE_INFINITY) > time)
        .map((cookie) => cookie.cookieString())
        .join('; ')
    },
  }
}
