import type { Page } from 'playwright-core'

/** The customer's login at the reference bank's page. */
export async function logIn(
  bank: Page,
  { username = '', password = '' }: Record<string, string>,
): Promise<void> {
  await bank.fill('input[name=username]', username)
  await bank.fill('input[name=password]', password)
  await bank.click('button[type=submit]')
}

/** Chooses every card and decides, once the page that asks for it is there. */
export async function decide(bank: Page, decision: 'approve' | 'deny'): Promise<void> {
  const button = bank.locator(`button[value=${decision}]`)
  await button.waitFor()
  for (const box of await bank.locator('input[name=accounts]').all()) await box.check()
  // Where the answer goes to, nobody may listen.
  await button.click({ noWaitAfter: true })
}
