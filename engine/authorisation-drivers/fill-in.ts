import type { Page as Tab } from 'playwright-core'

/** An element as it knows itself in its page. */
interface Shown {
  ownerDocument: { URL: string }
}

export interface Filling {
  /** Why a page does not get what the customer knows; undefined: it may. */
  credentialProblem: (url: string) => string | undefined
  /** Milliseconds for the field to be there. */
  timeout: number
}

/** A page that has come in the place of another one, and does not get what the customer knows. */
export class StrangePage extends Error {}

/**
 * Fills in a field of a page that may have it, and of that page alone: another one that comes
 * meanwhile has other elements.
 *
 * @throws StrangePage, or what Playwright throws.
 */
export async function fillIn(
  tab: Tab,
  selector: string,
  value: string,
  { credentialProblem, timeout }: Filling,
): Promise<void> {
  const field = await tab.locator(selector).first().elementHandle({ timeout })
  const url = await field?.evaluate(({ ownerDocument }: Shown) => ownerDocument.URL)
  const problem = credentialProblem(url ?? '')
  if (problem !== undefined) throw new StrangePage(problem)
  await field?.fill(value, { timeout })
}
