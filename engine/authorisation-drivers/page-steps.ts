import { setTimeout as wait } from 'node:timers/promises'
import type { Locator, Page as Tab } from 'playwright-core'
import type { StepDocument } from '../configuration/target.ts'
import { firstLine } from './chromium.ts'
import { fillsIn, secretsAmong } from './credentials.ts'
import type { VisitRequest } from './driver.ts'
import { filledIn } from './forms.ts'
import { failureOf, lastLine, run } from './program.ts'
import type { WatchedPages } from './watched-pages.ts'

/** Milliseconds between two checks of a page. */
const LOOK = 100

/** Milliseconds after which an unchanged page counts as final. */
const STILL = 10_000

/** Milliseconds to wait for an element that a step names on a loaded page. */
const ELEMENT = 10_000

/** Another page has replaced the expected one, and must not get credentials. */
class StrangePage extends Error {}

interface StepsTaken {
  steps: StepDocument[]
  base: string
  taken: Set<StepDocument>
  /** Why a page does not get credentials; undefined if it may. */
  credentialProblem: (url: string) => string | undefined
}

/**
 * Takes the described steps, on whichever page is shown, until the visit has ended.
 *
 * @returns why no step leads on; undefined if the visit ended.
 */
export async function takeSteps(
  watched: WatchedPages,
  request: VisitRequest,
  how: StepsTaken,
  ended: AbortSignal,
): Promise<string | undefined> {
  const { steps, taken, credentialProblem } = how
  const possible = steps.filter(({ only }) => only === undefined || only === request.decision)
  let { meanwhile } = request
  let unknownSince: number | undefined
  while (!ended.aborted) {
    const tab = watched.tab()
    const step = await shown(tab, possible)
    if (step) unknownSince = undefined
    else {
      unknownSince ??= performance.now()
      const status = watched.status() ?? 0
      const since = performance.now() - unknownSince
      if (status >= 400 && since > 500) return `the bank shows a page with status ${status}`
      if (watched.pages.length > 0 && since > STILL) return 'a page that no step describes'
    }
    if (!step || !acts(step)) {
      await pause(LOOK, ended)
      continue
    }
    // The page is back after it was filled in, so it does not accept the values.
    if (taken.has(step)) return `the page with ${step.when} comes back: what was filled is refused`
    taken.add(step)
    if (step.code || fillsIn(step)) {
      const problem = credentialProblem(tab.url())
      if (problem !== undefined) {
        watched.fail(problem)
        return undefined
      }
      watched.give(secretsAmong(request.customer.credentials))
    }
    if (meanwhile && decides(step, steps)) {
      await meanwhile()
      meanwhile = undefined
    }
    const page = await tab.$(step.when)
    if (step.only === 'deny') Object.assign(watched.pages.at(-1) ?? {}, { denies: true })
    try {
      await take(tab, step, request, { ...how, give: watched.give }, ended)
    } catch (error) {
      if (ended.aborted) return undefined
      if (error instanceof StrangePage) {
        watched.fail(error.message)
        return undefined
      }
      return `the step of the page with ${step.when} fails: ${firstLine(error)}`
    }
    const left = page ? await leaves(page, ended) : true
    if (!left && !ended.aborted) {
      return `the page with ${step.when} stays after ${step.click ?? 'it was filled'}`
    }
  }
  return undefined
}

/** True if the customer decides on this page. If no step is for one decision only: on a page that asks for nothing. */
function decides(step: StepDocument, all: StepDocument[]): boolean {
  if (all.some(({ only }) => only !== undefined)) return step.only !== undefined
  return step.click !== undefined && !step.code && !fillsIn(step)
}

/** False for a step that only names a page: it waits until that page is gone, as for an approval in an app. */
function acts({ fill, tickAll, code, click, waitFor }: StepDocument): boolean {
  return [fill, tickAll, code, click, waitFor].some((part) => part !== undefined)
}

async function shown(tab: Tab, steps: StepDocument[]): Promise<StepDocument | undefined> {
  for (const step of steps) {
    // The page may disappear during this check.
    const seen = await tab.isVisible(step.when).catch((error: Error) => {
      if (/selector/i.test(error.message)) throw error
      return false
    })
    if (seen) return step
  }
  return undefined
}

/** An element, as code inside its page sees it. */
interface Shown {
  ownerDocument: { URL: string }
}

/** An element that may be a list, as code inside its page sees it. */
interface Listed {
  /** Only lists have options. */
  options?: Iterable<{ index: number; matches(selector: string): boolean }>
  multiple?: boolean
}

async function take(
  tab: Tab,
  step: StepDocument,
  { customer: { credentials }, customerName, decision, oneAccount }: VisitRequest,
  { base, give, credentialProblem }: StepsTaken & { give(values: string[]): void },
  ended: AbortSignal,
): Promise<void> {
  const { waitFor, fill = {}, tickAll, code, click } = step
  const timeout = { timeout: ELEMENT }
  const element = (selector: string) => tab.locator(selector).first()
  /** Fills in a value only if this page may have it: the page may have changed meanwhile. */
  const fillIn = async (selector: string, value: string) => {
    const field = await element(selector).elementHandle(timeout)
    const url = await field?.evaluate(({ ownerDocument }: Shown) => ownerDocument.URL)
    const problem = credentialProblem(url ?? '')
    if (problem !== undefined) throw new StrangePage(problem)
    await field?.fill(value, timeout)
  }
  if (waitFor) await element(waitFor).waitFor({ state: 'visible', ...timeout })
  for (const [selector, value] of Object.entries(fill)) {
    await fillIn(selector, filledIn(value, credentials))
  }
  if (tickAll) {
    for (const [index, box] of (await tab.locator(tickAll).all()).entries()) {
      const most = oneAccount ? Number(index === 0) : Number.POSITIVE_INFINITY
      await tick(box, most, timeout)
    }
  }
  if (code) {
    const command = code.command.map((word) => filledIn(word, credentials))
    const env = { ASSAY_CUSTOMER: customerName, ASSAY_DECISION: decision }
    const ran = await run({ command, base, patience: 60_000, env, signal: ended })
    const once = lastLine(ran.stdout)
    const failure = failureOf(ran) ?? (once === '' && 'printed no code')
    if (failure) throw new Error(`${command[0]} ${failure}`)
    give([once])
    await fillIn(code.into, once)
  }
  if (click) await element(click).click({ noWaitAfter: true, ...timeout })
}

/** Ticks a box, or chooses options of a multiple list, up to the given number. */
async function tick(box: Locator, most: number, timeout: { timeout: number }): Promise<void> {
  const usableOf = ({ options, multiple }: Listed) => {
    if (!options || !multiple) return undefined
    const usable = [...options].filter((option) => !option.matches(':disabled'))
    return usable.map(({ index }) => ({ index }))
  }
  const options = await box.evaluate(usableOf, undefined, timeout)
  if (options) await box.selectOption(options.slice(0, most), timeout)
  else await box.setChecked(most > 0, timeout)
}

/** Resolves to true if an element disappears, with its page or from it. */
async function leaves(element: { isVisible(): Promise<boolean> }, ended: AbortSignal) {
  const until = performance.now() + STILL
  while (!ended.aborted && performance.now() < until) {
    if (!(await element.isVisible().catch(() => false))) return true
    await pause(LOOK, ended)
  }
  return false
}

/** Waits, but not beyond the end of the visit. */
function pause(milliseconds: number, ended: AbortSignal): Promise<void> {
  return wait(milliseconds, undefined, { signal: ended }).catch(() => {})
}
