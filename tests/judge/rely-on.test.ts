import { expect as assert, describe, test } from 'vitest'
import { noteJudged, remembered, withControls } from '../../engine/judge/controls.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { Blocked, Nonconformance } from '../../engine/judge/outcome.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

function exchange(status: number, about: Exchange['about'] = {}, json?: unknown): Exchange {
  return {
    id: `x${status}`,
    endpoint: 'accounts',
    about,
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 1,
    request: { method: 'GET', url: 'https://bank.example/accounts', headers: [] },
    response: { status, headers: [], body: '', bytes: 0, json },
    connection: { identity: 'first' },
  }
}

const OWNER = 'ACC-01/answers-200'
const wrong = { deviation: 'no token' }

function thrown(run: () => void): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe('relyOn has the matchers of expect, and blocks by the owner', () => {
  const cases: [string, (by: typeof expect) => void][] = [
    ['toSucceed', (by) => by(exchange(401)).toSucceed()],
    ['toHaveStatus', (by) => by(exchange(200)).toHaveStatus(204)],
    ['toBeRefused', (by) => by(exchange(200, wrong)).toBeRefused()],
    ['toBeAnError', (by) => by(exchange(204, wrong)).toBeAnError()],
    ['toGiveAToken', (by) => by(exchange(200)).toGiveAToken()],
    ['toGiveNoToken', (by) => by(exchange(200, wrong, { access_token: 'a' })).toGiveNoToken()],
    ['toHaveMember', (by) => by(exchange(200, {}, { a: 1 })).toHaveMember('a', 2)],
  ]
  test.each(cases)('%s', (_, judge) => {
    const failed = thrown(() => judge(expect))
    assert(failed).toBeInstanceOf(Nonconformance)
    const blocked = thrown(() => judge((answer) => relyOn(OWNER, answer))) as Blocked
    assert(blocked).toBeInstanceOf(Blocked)
    assert(blocked.because).toEqual({ kind: 'check', id: OWNER })
    assert(blocked.message).toContain((failed as Nonconformance).message)
    assert(blocked.exchange).toEqual((failed as Nonconformance).exchange)
  })

  test('what was not reached is the environment’s, never the owner’s', () => {
    const failure = {
      kind: 'unreachable',
      code: 'ECONNREFUSED',
      message: 'nobody listens',
    } as const
    const blocked = thrown(() =>
      relyOn(OWNER, { ...exchange(0), response: undefined, failure }),
    ) as Blocked
    assert(blocked.because.kind).toBe('environment')
  })
})

describe('the control of a negative', () => {
  test('is the last one that held before it, and no answer to a deviation', async () => {
    const control = await withControls(async (controls) => {
      relyOn(OWNER, exchange(201)).toSucceed()
      relyOn(OWNER, exchange(200)).toSucceed()
      relyOn('ACC-13/unknown-id', exchange(404, wrong)).toBeRefused()
      relyOn(OWNER, exchange(204, wrong)).toSucceed()
      expect(exchange(401, wrong)).toBeRefused()
      relyOn(OWNER, exchange(202)).toSucceed()
      return controls.ofNegative
    })
    assert(control).toMatchObject({ exchange: { id: 'x200' }, summary: 'GET accounts: 200' })
  })

  test('is none where nothing deviates', async () => {
    await withControls(async (controls) => {
      relyOn(OWNER, exchange(200)).toSucceed()
      expect(exchange(200)).toSucceed()
      assert(controls).toMatchObject({ negative: false })
      assert(controls.ofNegative).toBeUndefined()
    })
  })

  test('is missed where a negative has none', async () => {
    await withControls(async (controls) => {
      noteJudged(exchange(401, wrong))
      assert(controls).toMatchObject({ negative: true })
      assert(controls.ofNegative).toBeUndefined()
    })
  })

  test('is that of everybody who asks for what was done once', async () => {
    let times = 0
    const fixture = remembered(async () => {
      times += 1
      relyOn(OWNER, exchange(200)).toSucceed()
    })
    for (const _ of [1, 2]) {
      await withControls(async (controls) => {
        await fixture()
        expect(exchange(401, wrong)).toBeRefused()
        assert(controls.ofNegative?.exchange.id).toBe('x200')
      })
    }
    assert(times).toBe(1)
  })
})
