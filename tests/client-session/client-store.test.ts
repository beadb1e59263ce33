import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openClientStore } from '../../engine/client-session/client-store.ts'
import type { Target } from '../../engine/configuration/resolve.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-clients-'))
afterAll(() => rmSync(folder, { recursive: true }))

function target(claims: object, registration = 'https://bank.example/register'): Target {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const first = { softwareStatement: `e30.${payload}.c2ln` }
  return { endpoints: { registration }, clients: { first } } as Target
}

test('a client is found again with the same software statement, issued anew', () => {
  const file = join(folder, 'clients.json')
  const monday = target({ iat: 1, jti: 'a', exp: 9, software_id: 'tally' })
  openClientStore(file, monday).keep('first', { client_id: 'one', client_secret: 'hidden' })

  const tuesday = target({ iat: 2, jti: 'b', exp: 10, software_id: 'tally' })
  expect(openClientStore(file, tuesday).find('first')).toEqual({ client_id: 'one' })
  const other = target({ iat: 2, jti: 'b', exp: 10, software_id: 'kettle' })
  expect(openClientStore(file, other).find('first')).toBeUndefined()
  const elsewhere = target({ iat: 1, software_id: 'tally' }, 'https://other.example/register')
  expect(openClientStore(file, elsewhere).find('first')).toBeUndefined()
})
