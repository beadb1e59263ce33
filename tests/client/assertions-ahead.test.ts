import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { assertionsAhead } from '../../engine/client/assertions-ahead.ts'

afterEach(() => void vi.restoreAllMocks())

/** Assertions that say which one they are. */
function numbered() {
  let count = 0
  const sign = vi.fn((clientId: string, audience: string) => {
    count += 1
    return `${count} of ${clientId} for ${audience}`
  })
  return { sign, assertionFor: assertionsAhead(sign) }
}

/** Until the next one is signed. */
async function meanwhile() {
  for (let round = 0; round < 3; round += 1) await turn()
}

test('each is used once, and the next one is signed before it is asked for', async () => {
  const { sign, assertionFor } = numbered()
  expect(assertionFor('a', 'bank')).toBe('1 of a for bank')
  await meanwhile()
  expect(sign).toHaveBeenCalledTimes(2)
  expect(assertionFor('a', 'bank')).toBe('2 of a for bank')
  expect(sign).toHaveBeenCalledTimes(2)
  expect(assertionFor('a', 'bank')).toBe('3 of a for bank')
})

test('one for another client or audience is not taken', async () => {
  const { assertionFor } = numbered()
  assertionFor('a', 'bank')
  await meanwhile()
  expect(assertionFor('b', 'bank')).toBe('3 of b for bank')
  await meanwhile()
  expect(assertionFor('b', 'issuer')).toBe('5 of b for issuer')
})

test('an old one is not taken', async () => {
  const { assertionFor } = numbered()
  assertionFor('a', 'bank')
  await meanwhile()
  const [time, monotonic] = [Date.now() + 6000, performance.now() + 6000]
  vi.spyOn(Date, 'now').mockReturnValue(time)
  vi.spyOn(performance, 'now').mockReturnValue(monotonic)
  expect(assertionFor('a', 'bank')).toBe('3 of a for bank')
})
