import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import type { Session } from '../../engine/client-session/session.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { root } from '../../engine/record/root.ts'
import { openSession } from '../../engine/run/open.ts'
import { loadSuites } from '../../engine/run/suites.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { loadVariants } from '../../proof/run/load.ts'
import { everything } from '../../suites/consents.ts'
import { openBank } from '../directory.ts'

/*
 * Requests that are sent at once, when they need another token. The bank takes a refresh token once, and of the tokens
 * of a client the newest alone. Its access tokens live for three seconds.
 */

const newestAlone = (await loadVariants()).filter(({ id }) => id === 'only-the-newest-client-token')
const bank = await openBank({
  alterations: newestAlone,
  settings: { refreshTokens: 'rotated', accessTokenLifetime: 3 },
})
const exchanges: Exchange[] = []
let session: Session

beforeAll(async () => {
  session = openSession({
    target: targetFrom(structuredClone(bank.target) as TargetDocument),
    suites: await loadSuites(join(root, 'suites'), loadCatalogue()),
    onExchange: (exchange) => exchanges.push(exchange),
  })
})
afterAll(async () => {
  await session.close()
  await bank.close()
})

const statusOf = ({ response }: Exchange) => response?.status

/** How many token requests of this grant type were sent since then. */
const grantsSince = (from: number, type: string) =>
  exchanges.slice(from).filter(({ request }) => request.body?.includes(`grant_type=${type}`)).length

test('one refresh serves all of them: a refresh token that comes again ends the approval', async () => {
  const approval = await session.approved(everything)
  expect(statusOf(await approval.get('/accounts'))).toBe(200)
  await wait(3000)
  const before = exchanges.length
  const answers = await Promise.all(
    ['/accounts', '/balances', '/accounts'].map((path) => approval.get(path)),
  )
  expect(answers.map(statusOf)).toEqual([200, 200, 200])
  expect(grantsSince(before, 'refresh_token')).toBe(1)
})

test('one new token of the client serves all of them: another one would end it', async () => {
  const client = await session.caller()
  const path = `/account-access-consents/${(await session.approved(everything)).consentId}`
  // The first time, the bank is seen to keep the newest alone; the second time, that is known.
  for (const _time of [1, 2]) {
    expect(statusOf(await client.get(path))).toBe(200)
    await client.tpp.token({ grant_type: 'client_credentials' })
    const before = exchanges.length
    const answers = await Promise.all([1, 2, 3].map(() => client.get(path)))
    expect(answers.map(statusOf)).toEqual([200, 200, 200])
    expect(grantsSince(before, 'client_credentials')).toBe(1)
  }
})
