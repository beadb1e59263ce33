import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { firstLine, launch, serverPin } from '../authorisation-drivers/chromium.ts'
import { type Briefing, type ClientDriver, ClientTrouble } from './client.ts'
import type { Goal } from './scenario.ts'
import type { BrowserPage } from './tpp-file.ts'

/** Milliseconds between two polls of a page. */
const LOOK = 100

/**
 * Uses a TPP's web application as a customer would: its own pages by the described steps, the bank's pages by built-in
 * steps. The application serves the page of the redirect URI, and the page's script runs.
 */
export function browserClient(options: {
  pages: Partial<Record<Goal, BrowserPage>>
  executable: string
  /** PEM of the authority that issued the application's certificate. */
  trust?: string
  /** Time limit for one goal, in milliseconds. */
  patience: number
}): ClientDriver {
  const { pages, executable, trust, patience } = options
  const pins = new Set<string>()
  let opened: { browser: Browser; pins: number } | undefined
  let visit: { scenario: string; context: BrowserContext } | undefined

  // Fetched again for every goal: a bank may have renewed its certificate.
  const pin = async (address: string, ca: string[] | undefined) => {
    const { origin, protocol } = new URL(address)
    if (protocol === 'https:') pins.add(await serverPin(origin, { trust: ca, timeout: 5000 }))
  }

  const contextFor = async (scenario: string): Promise<BrowserContext> => {
    // Cookies are kept between the goals of a scenario, but not between scenarios.
    const same = visit?.scenario === scenario
    const storageState = same ? await visit?.context.storageState() : undefined
    if (!opened || opened.pins < pins.size) {
      await opened?.browser.close()
      const browser = await launch({ executable, visible: false }, [...pins], [])
      opened = { browser, pins: pins.size }
    } else if (visit && same) return visit.context
    else await visit?.context.close()
    const context = await opened.browser.newContext({ locale: 'en-GB', storageState })
    visit = { scenario, context }
    return context
  }

  return {
    attended: (goal) => pages[goal]?.absent !== true,
    async pursue(briefing) {
      const described = pages[briefing.goal]
      if (!described) throw new ClientTrouble(`client.pages.${briefing.goal} is not described`)
      try {
        const { auth_url: bank = '', sandbox_discovery_url: sandbox = '' } = briefing.bank.addresses
        await pin(bank || sandbox, briefing.bank.trust)
        await pin(described.open, trust ? [trust] : undefined)
        const context = await contextFor(briefing.scenario.id)
        const page = await context.newPage()
        try {
          return await walk(page, described, briefing, new URL(bank || sandbox).origin, patience)
        } finally {
          for (const each of context.pages()) await each.close()
        }
      } catch (error) {
        if (error instanceof ClientTrouble) throw error
        throw new ClientTrouble(`the browser: ${firstLine(error)}`)
      }
    },
    async close() {
      await opened?.browser.close()
    },
  }
}

/** Walks from page to page, including popups, until one shows success or refusal. */
async function walk(
  page: Page,
  described: BrowserPage,
  briefing: Briefing,
  bank: string,
  patience: number,
): Promise<{ end: 'done' | 'refused'; words: string }> {
  const deadline = performance.now() + patience
  const left = new Set(described.steps ?? [])
  await page.goto(described.open, { timeout: patience })
  while (performance.now() < deadline) {
    for (const each of page.context().pages()) {
      // A page may disappear while it is examined: the next poll sees its successor.
      const end = await look(each, described, left, briefing, bank).catch(() => undefined)
      if (end) return end
    }
    await wait(LOOK)
  }
  const { goal } = briefing
  const shown = await Promise.all(page.context().pages().map(placeOf))
  throw new ClientTrouble(
    `asked to ${goal}, the application shows neither “${described.done}” nor “${described.refused}” within ${patience / 1000} s; at the end ${shown.join('; ') || 'no page is open'}`,
  )
}

/** The address of a page, without parts that only the bank and the TPP may know, and its text. */
async function placeOf(page: Page): Promise<string> {
  const { origin, pathname } = new URL(page.url())
  const text = await page.innerText('body', { timeout: 1000 }).catch(() => '')
  return `${origin}${pathname} says: ${brief(text) || 'nothing'}`
}

async function look(
  page: Page,
  { done, refused }: BrowserPage,
  left: Set<NonNullable<BrowserPage['steps']>[number]>,
  briefing: Briefing,
  bank: string,
): Promise<{ end: 'done' | 'refused'; words: string } | undefined> {
  if (new URL(page.url()).origin === bank) {
    await answerBank(page, briefing)
    return undefined
  }
  const text = await page.innerText('body', { timeout: LOOK })
  if (text.includes(refused)) return { end: 'refused', words: brief(text) }
  if (text.includes(done)) return { end: 'done', words: brief(text) }
  for (const step of left) {
    if (!(await page.isVisible(step.when))) continue
    left.delete(step)
    for (const [selector, value] of Object.entries(step.fill ?? {}))
      await page.fill(selector, value)
    if (step.click) await page.click(step.click)
    return undefined
  }
  return undefined
}

/** The customer at the bank's pages: logs in, selects every account, decides. */
async function answerBank(page: Page, { customer }: Briefing): Promise<void> {
  const { username, password, decision } = customer
  if (await page.isVisible('input[name=password]')) {
    await page.fill('input[name=username]', username)
    await page.fill('input[name=password]', password)
    await page.click('button[type=submit], form button')
    return
  }
  const button = `button[name=decision][value=${decision}]`
  if (!(await page.isVisible(button))) return
  for (const box of await page.$$('input[name=accounts]')) await box.check()
  await page.click(button)
}

const brief = (text: string) => text.trim().replace(/\s+/g, ' ').slice(0, 300)
