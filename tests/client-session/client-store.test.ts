import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openClientStore } from '../../engine/client-session/client-store.ts'
import type { Target } from '../../engine/configuration/resolve.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { claimsOf } from '../../engine/wire/jwt-decode.ts'

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

test('the answer of a registration is kept with its date, and nothing that opens anything', () => {
  const file = join(folder, 'answers.json')
  const named = target({ software_id: 'tally' })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const statement = `${part({ alg: 'PS256' })}.${part({ software_id: 'tally' })}.canary-statement`
  const jwt = `${part({ alg: 'PS256' })}.${part({ jti: 'j', software_statement: statement })}.canary-jwt`
  const json = {
    client_id: 'one',
    client_secret: 'canary-secret',
    registration_access_token: 'canary-token',
    token_endpoint_auth_method: 'private_key_jwt',
    scope: 'openid',
    repeats: ['canary-bank'],
  }
  const exchange: Exchange = {
    ...{ id: 'x3', endpoint: 'registration', startedAt: '2026-03-01T02:00:00.000Z', durationMs: 7 },
    about: { client: 'first' },
    request: {
      method: 'POST',
      url: 'https://bank.example/register',
      headers: [
        ['Content-Type', 'application/jwt'],
        ['Cookie', 'canary-cookie'],
      ],
      body: jwt,
    },
    response: {
      ...{ status: 201, body: JSON.stringify(json), bytes: 1, json },
      headers: [
        ['Content-Type', 'application/json'],
        ['Set-Cookie', 'canary-session'],
      ],
    },
    connection: { identity: 'first' },
  }
  const redact = (text: string) => text.replaceAll('canary-bank', '<secret>')
  openClientStore(file, named, redact).keep('first', json, exchange)

  expect(readFileSync(file, 'utf8')).not.toMatch(/canary/)
  const kept = openClientStore(file, named)
  expect(kept.find('first')).toEqual({ client_id: 'one', scope: 'openid' })
  const { id, about, startedAt, request, response } = kept.answer('first') ?? {}
  expect({ id, about, startedAt }).toEqual({
    id: 'r1',
    about: { client: 'first', earlier: true },
    startedAt: exchange.startedAt,
  })
  expect(response?.json).toEqual({
    ...json,
    client_secret: 'withheld',
    repeats: ['<secret>'],
    registration_access_token: 'withheld',
  })
  const claims = claimsOf(request?.body ?? '')
  expect(claims).toMatchObject({ jti: 'j' })
  expect(claimsOf(String(claims?.software_statement))).toEqual({ software_id: 'tally' })
  expect(kept.answer('second')).toBeUndefined()
})
