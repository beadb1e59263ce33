import { describe, expect, test } from 'vitest'
import { comingFrom } from '../../engine/authorisation-drivers/referrer.ts'

/** What a browser says of the page that a request comes from. */

const url = 'https://bank.example/interaction/1?step=2#top'
const page = 'https://bank.example/interaction/1?step=2'
const to = { own: 'https://bank.example/login', other: 'https://id.bank.example/login' }

describe('a request of a customer’s browser', () => {
  test('says nothing where it comes from a TPP', () => {
    expect(comingFrom(undefined, 'POST', to.own)).toEqual([])
  })

  test.each([
    { policy: undefined, own: page, other: 'https://bank.example/' },
    { policy: 'same-origin', own: page, other: undefined },
    { policy: 'origin', own: 'https://bank.example/', other: 'https://bank.example/' },
    { policy: 'no-referrer', own: undefined, other: undefined },
    { policy: 'no-referrer, unheard-of', own: undefined, other: undefined },
    { policy: 'no-referrer, unsafe-url', own: page, other: page },
  ])('names its page as $policy has it', ({ policy, own, other }) => {
    const referer = (target: string) => new Map(comingFrom({ url, policy }, 'GET', target))
    expect(referer(to.own).get('referer')).toBe(own)
    expect(referer(to.other).get('referer')).toBe(other)
    expect(referer(to.own).has('origin')).toBe(false)
  })

  test.each([
    { policy: undefined, own: 'https://bank.example', other: 'https://bank.example' },
    { policy: 'same-origin', own: 'https://bank.example', other: 'null' },
    { policy: 'no-referrer', own: 'null', other: 'null' },
  ])('names the origin of a form as $policy has it', ({ policy, own, other }) => {
    const origin = (target: string) => new Map(comingFrom({ url, policy }, 'POST', target))
    expect(origin(to.own).get('origin')).toBe(own)
    expect(origin(to.other).get('origin')).toBe(other)
  })

  test('tells a server without TLS nothing', () => {
    const told = new Map(comingFrom({ url }, 'POST', 'http://bank.example/login'))
    expect(told).toEqual(new Map([['origin', 'null']]))
  })
})
