import { expect, test } from 'vitest'
import type { TargetClient } from '../../engine/configuration/resolve.ts'
import { ownMistake } from '../../engine/doctor/clients.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

/** What a refused registration says of the target file. */

const body = JSON.stringify({ error: 'invalid_client_metadata' })
const refused = { response: { status: 400, body, json: JSON.parse(body) } } as Exchange
const client = {
  name: 'first',
  scopes: { accounts: 'aisp', fundsConfirmation: 'fundsconfirmations' },
} as TargetClient

test.each([
  [['openid', 'accounts', 'fundsconfirmations'], 'write accounts.'],
  [['openid', 'payments', 'fundsconfirmations'], 'write one of these.'],
  [['accounts:read', 'accounts:all', 'fundsconfirmations'], 'write one of these.'],
])('a scope that the bank does not support: it supports %s', (supported, end) => {
  const found = ownMistake(refused, client, { scopes_supported: supported })
  expect(found).toMatchObject({
    whose: 'configuration',
    mend: `Correct clients.first.scopes.accounts: ${end}`,
  })
})

test('a scope that the bank supports is no mistake', () => {
  const supported = { scopes_supported: ['aisp', 'fundsconfirmations'] }
  expect(ownMistake(refused, client, supported)).toBeUndefined()
})
