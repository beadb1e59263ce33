import { afterEach, expect, test } from 'vitest'
import { createCookies } from '../../engine/authorisation-drivers/cookies.ts'
import { now, restartClock } from '../../engine/record/clock.ts'

const URL_OF_BANK = 'https://bank.example/login'
const { now: machineTime } = Date

afterEach(() => {
  Date.now = machineTime
  restartClock()
})

const until = (time: number) => `Expires=${new Date(time).toUTCString()}`

test('cookies go back to their bank in their order, and those that are over do not', async () => {
  const cookies = createCookies()
  const kept = [
    'first=1; Path=/',
    `soon=2; Path=/; ${until(now() + 600_000)}`,
    'lasting=3; Path=/; Max-Age=600',
    `gone=4; Path=/; ${until(now() - 600_000)}`,
    'removed=5; Path=/; Max-Age=0',
    'elsewhere=6; Path=/other',
    'another=7; Domain=other.example',
  ]
  for (const each of kept) await cookies.keep(each, URL_OF_BANK)
  expect(await cookies.headerFor(URL_OF_BANK)).toBe('first=1; soon=2; lasting=3')
  await cookies.keep(`first=; Path=/; ${until(0)}`, URL_OF_BANK)
  expect(await cookies.headerFor(URL_OF_BANK)).toBe('soon=2; lasting=3')
})

test.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('a wall clock that is set %s ends none, and revives none', async (_way, step) => {
  const cookies = createCookies()
  await cookies.keep(`soon=1; ${until(now() + 600_000)}`, URL_OF_BANK)
  await cookies.keep('lasting=2; Max-Age=600', URL_OF_BANK)
  await cookies.keep(`gone=3; ${until(now() - 600_000)}`, URL_OF_BANK)
  Date.now = () => machineTime() + step
  expect(await cookies.headerFor(URL_OF_BANK)).toBe('soon=1; lasting=2')
  expect(await cookies.headerFor(URL_OF_BANK)).toBe('soon=1; lasting=2')
})
