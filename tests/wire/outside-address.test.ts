import { expect, test } from 'vitest'
import { leadsInside } from '../../engine/wire/outside-address.ts'

const OUTSIDE = 'https://api.bank.example'
const HERE = 'https://127.0.0.1:4201'
const INSIDE = 'https://api.bank.internal'

test.each([
  'https://localhost:8080/terms',
  'http://127.0.0.1/',
  'https://[::1]/',
  'https://10.1.2.3/',
  'https://192.168.0.7:8443/',
  'https://cms/terms',
  'https://cms.cards.internal/',
  'https://printer.local./',
])('%s leads to where only the bank comes', (address) => {
  expect(leadsInside(address, OUTSIDE)).toBe(true)
})

test.each([
  'https://bank.example/terms',
  'https://www.internal.bank.example/',
  'https://local.bank.example/',
  'https://93.184.216.34/',
  'https://xn--bnk-qla.example/',
  'https://bank.test/',
  'no address',
])('%s does not', (address) => {
  expect(leadsInside(address, OUTSIDE)).toBe(false)
})

test('a bank that is itself there names its own kind of address', () => {
  expect(leadsInside('https://localhost:3000/', HERE)).toBe(false)
  expect(leadsInside('https://cms.cards.internal/', HERE)).toBe(true)
  expect(leadsInside('https://cms.cards.internal/', INSIDE)).toBe(false)
  expect(leadsInside('https://localhost/', INSIDE)).toBe(false)
})
