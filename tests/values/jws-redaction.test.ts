import { expect, test } from 'vitest'
import { registrationClaims } from '../../engine/client/claims.ts'
import { jwt } from '../../engine/client/jwt.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { createRedactor } from '../../engine/wire/redaction.ts'
import { jws } from '../../suites/values/jws.ts'
import { rowsOf } from '../../suites/values/value-type.ts'
import { documentFor, signingKeys } from '../configuration/documents.ts'
import { leaks } from '../wire/leaks.ts'

const document = documentFor('https://bank.example')
const softwareStatement = jwt(
  { iss: 'directory', software_id: 'software1' },
  { key: signingKeys.second, kid: 'directory' },
)
document.clients.first.softwareStatement = softwareStatement
const target = targetFrom(document)
const { first, second } = target.clients
const issuer = 'https://bank.example'
const claims = registrationClaims(first, { issuer, clockTolerance: 60 }, softwareStatement)
const right = {
  kind: 'registration',
  claims,
  parties: { own: 'client-1', issuer, other: { id: 'client-2', kid: 'kid-second' } },
  now: 1_800_000_000,
} as const
const signer = {
  key: first.signingKey,
  kid: first.signing.kid,
  ...(second && { otherKey: second.signingKey }),
}

function recorded(body: string): string {
  const exchange: Exchange = {
    ...{ id: 'x1', endpoint: 'registration', about: {}, durationMs: 1 },
    startedAt: '2026-01-01T00:00:00.000Z',
    request: { method: 'POST', url: 'https://bank.example/register', headers: [], body },
    connection: { identity: 'first' },
  }
  return JSON.stringify(createRedactor(target.secrets).redactExchange(exchange))
}

test('however a registration is sent, its record has nothing of the software statement', () => {
  const signature = softwareStatement.slice(softwareStatement.lastIndexOf('.') + 1)
  expect(leaks(jwt(claims, signer), signature), 'unless it is redacted').toBe(true)
  for (const { id, make } of rowsOf(jws)) {
    const deviation = make(right)
    if (!deviation) continue
    const record = recorded(jwt(claims, signer, deviation))
    expect(leaks(record, softwareStatement), id).toBe(false)
    expect(leaks(record, signature), id).toBe(false)
  }
})
