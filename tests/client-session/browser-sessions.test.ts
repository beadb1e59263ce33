import { describe, expect, test } from 'vitest'
import { createBrowserSessions } from '../../engine/client-session/browser-sessions.ts'
import type { Visit, VisitOptions } from '../../engine/client-session/visit.ts'
import type { Target } from '../../engine/configuration/resolve.ts'
import { Blocked } from '../../engine/judge/outcome.ts'

const granted = { kind: 'granted' } as Visit
const stopped = { kind: 'stopped' } as Visit
const blocked = new Blocked({ kind: 'environment', what: 'a page' }, 'a page is not described')

const sessionsWith = (driver: string) =>
  createBrowserSessions({ document: { authorisation: { driver } } } as Target)

/** Visits that end like this, one after the other; the sessions in which they were made. */
async function visited(ends: (Visit | Error)[], driver = 'http', visits = 2) {
  const sessions = sessionsWith(driver)
  const sent: (string | undefined)[] = []
  const send = async ({ browser }: VisitOptions) => {
    sent.push(browser)
    const end = ends.shift()
    if (end instanceof Error) throw end
    return end ?? granted
  }
  const made: Visit[] = []
  for (let each = 0; each < visits; each += 1) {
    made.push(await sessions.visit({ purpose: 'p', browser: 'b' }, send))
  }
  return { sent, followed: made.map(({ sameBrowser }) => sameBrowser === true) }
}

describe('a visit that names a browser session', () => {
  test('goes on in the session of the one before', async () => {
    expect(await visited([])).toEqual({ sent: ['b', 'b'], followed: [false, true] })
  })

  test.each([
    ['gives no code', stopped],
    ['shows a page that is not described', blocked],
  ])('is repeated in a new session where it %s, and so are those after it', async (_how, end) => {
    expect(await visited([granted, end], 'http', 3)).toEqual({
      sent: ['b', 'b', undefined, undefined],
      followed: [false, false, false],
    })
  })

  test('opens another tab only where it goes on in a session', async () => {
    const sessions = sessionsWith('http')
    const otherTab = { consentId: 'c', purpose: 'another' }
    const tabs: unknown[] = []
    const send = async (options: VisitOptions) => {
      tabs.push(options.otherTab)
      return tabs.length === 2 ? stopped : granted
    }
    const visit = () => sessions.visit({ purpose: 'p', browser: 'b', otherTab }, send)
    await visit()
    await visit()
    expect(tabs).toEqual([undefined, otherTab, undefined])
  })

  test('follows none that gave no code', async () => {
    expect(await visited([stopped])).toEqual({ sent: ['b', 'b'], followed: [false, false] })
  })

  test('has a session of its own where a person or a program makes it', async () => {
    expect(await visited([], 'ask')).toEqual({
      sent: [undefined, undefined],
      followed: [false, false],
    })
  })
})
