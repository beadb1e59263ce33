import { expect, test } from 'vitest'
import { patientWithLocks } from '../../engine/client-session/locked-clients.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import type { Wire, WireMessage } from '../../engine/wire/wire.ts'

const SETTLING = 250

const request = (deviation?: string): WireMessage => ({
  ...{ endpoint: 'token', identity: 'first', method: 'POST', url: 'https://bank.example/token' },
  ...{ headers: [], body: 'grant_type=client_credentials' },
  about: { registered: { clientId: 'id-1' }, ...(deviation !== undefined && { deviation }) },
})

/** A wire to a bank that gives these statuses one after the other, and the last one from then on. */
function wireTo(...statuses: number[]) {
  const sent: WireMessage[] = []
  const send = async (message: WireMessage) => {
    const status = statuses[Math.min(sent.push(message), statuses.length) - 1]
    const { endpoint, about } = message
    return { endpoint, about, id: `x${sent.length}`, response: { status } } as unknown as Exchange
  }
  return { sent, ...patientWithLocks({ send } as Wire, SETTLING) }
}

const statusOf = ({ response }: Exchange) => response?.status

const wrongOnes = async ({ send }: ReturnType<typeof wireTo>, count = 3) => {
  for (let sent = 0; sent < count; sent += 1) await send(request('a wrong key'))
}

test('a client that was refused after several wrong requests is tried again', async () => {
  const wire = wireTo(200, 401, 401, 401, 401, 200)
  await wire.send(request())
  await wrongOnes(wire)
  expect(statusOf(await wire.send(request()))).toBe(200)
  expect(wire.sent).toHaveLength(6)
})

test('it is not after a single one', async () => {
  const wire = wireTo(200, 401, 401, 200)
  await wire.send(request())
  await wrongOnes(wire, 1)
  expect(statusOf(await wire.send(request()))).toBe(401)
})

test('it is not where no wrong request was sent, or where it was never accepted', async () => {
  const { send, sent } = wireTo(200, 401)
  await send(request())
  expect(statusOf(await send(request()))).toBe(401)
  const other = wireTo(401)
  await wrongOnes(other)
  await other.send(request())
  expect([sent.length, other.sent.length]).toEqual([2, 4])
})

test('it is not a second time where that did not help', async () => {
  const wire = wireTo(200, 401)
  const { send, sent } = wire
  await send(request())
  await wrongOnes(wire)
  expect(statusOf(await send(request()))).toBe(401)
  const before = sent.length
  expect(before).toBeGreaterThan(5)
  await send(request())
  expect(sent).toHaveLength(before + 1)
})
