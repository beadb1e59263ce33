import { afterEach, expect, test } from 'vitest'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { createRetries } from '../../engine/wire/retry-after.ts'

const zone = process.env.TZ

afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

/** Thirty seconds from now, in the three forms of RFC 9110 5.6.7. */
const soon = new Date(Date.now() + 30_000)
const [, day = '', date = '', month = '', year = '', time = ''] =
  /^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/.exec(soon.toUTCString()) ?? []
const weekday = soon.toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' })

test.each([
  ['of now', `${day}, ${date} ${month} ${year} ${time} GMT`],
  ['of RFC 850', `${weekday}, ${date}-${month}-${year.slice(2)} ${time} GMT`],
  ['of asctime', `${day} ${month} ${String(Number(date)).padStart(2)} ${time} ${year}`],
])('a date in the form %s is waited for wherever the machine stands', (_form, value) => {
  for (const place of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
    process.env.TZ = place
    const wait = createRetries().waitBefore(unavailable(value), 1)
    expect(wait).toBeGreaterThan(20_000)
    expect(wait).toBeLessThanOrEqual(30_000)
  }
})

function unavailable(retryAfter: string): Exchange {
  const response = { status: 503, headers: [['retry-after', retryAfter]], body: '' }
  const connection = { identity: 'first' }
  const request = { method: 'GET', url: 'https://bank.example/accounts', headers: [] }
  return { endpoint: 'accounts', about: {}, request, response, connection } as unknown as Exchange
}
