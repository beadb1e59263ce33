import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withHeaders } from '../../engine/client/call.ts'
import { authorization } from '../../suites/values/authorization-header.ts'
import { customerAddress } from '../../suites/values/header-value.ts'
import { rowsOf } from '../../suites/values/value-type.ts'

/** What is really sent over the right headers. */
const sent = (right: Record<string, string>, over: Record<string, string | undefined> = {}) =>
  withHeaders(right, over)

const valuesOf = (headers: [string, string][], wanted: string) =>
  headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)

/** RFC 6750 2.1, its scheme in any case. */
const CREDENTIALS = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i

test('Authorization carries the token where a row is lawful, and nowhere else', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9\-._~+/]{8,60}={0,2}$/), (token) => {
      const right = `Bearer ${token}`
      for (const { id, lawful, make } of rowsOf(authorization)) {
        const headers = sent({ Authorization: right }, make({ token })?.headers)
        const values = valuesOf(headers, 'authorization')
        const means = values.length === 1 && CREDENTIALS.exec(values[0] ?? '')?.[1] === token
        expect(means, id).toBe(lawful === true)
        expect(headers, id).not.toEqual([['Authorization', right]])
        for (const [name, value] of headers)
          expect(() => new Headers([[name, value]])).not.toThrow()
      }
    }),
    { numRuns: 100 },
  )
})

test('a customer’s address is one where a row is lawful, and nowhere else', () => {
  const right = { 'x-fapi-customer-ip-address': '203.0.113.7' }
  for (const { id, lawful, make } of rowsOf(customerAddress)) {
    const headers = sent(right, make({ present: true })?.headers)
    const values = valuesOf(headers, 'x-fapi-customer-ip-address')
    // Node takes zones for addresses, RFC 3986 does not.
    const means = values.length === 1 && isIP(values[0] ?? '') > 0 && !values[0]?.includes('%')
    expect(means, id).toBe(lawful === true)
    expect(headers, id).not.toEqual(Object.entries(right))
  }
})

test('IPv6 is recorded, as RATE-08 has it, and IPv4 is a must', () => {
  for (const { id, level, lawful } of rowsOf(customerAddress)) {
    if (/^ipv6/.test(id) || !lawful) expect(level, id).toBe('observe')
  }
  expect(rowsOf(customerAddress).find(({ id }) => id === 'ipv4')?.level).toBe('must')
})
