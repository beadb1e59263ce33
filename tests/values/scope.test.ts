import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scope } from '../../suites/values/scope.ts'
import { rowsOf } from '../../suites/values/value-type.ts'
import { divided, madeOf, rowOf } from './rows.ts'

const { wrong, lawful } = divided(scope)

const ORDINARY = {
  registered: ['openid', 'accounts', 'Fundsconfirmations'],
  beyond: ['payments', 'offline_access'],
}

/** scope-token = 1*( %x21 / %x23-5B / %x5D-7E ) */
const token = fc.stringMatching(/^[!#-[\]-~]{1,12}$/)

const scopes = fc.record({
  registered: fc
    .tuple(fc.boolean(), fc.uniqueArray(token, { maxLength: 4 }))
    .map(([openid, tokens]) => [...new Set([...(openid ? ['openid'] : []), ...tokens])]),
  beyond: fc.array(token, { maxLength: 3 }),
})

test('a wrong row has a token that is not registered, or is no list of tokens', () => {
  fc.assert(
    fc.property(scopes, (right) => {
      for (const [id, made] of madeOf(wrong, right)) {
        const strange = made.split(' ').filter((one) => !right.registered.includes(one))
        expect(strange, `${id}: ${made}`).not.toEqual([])
      }
    }),
  )
})

test('a lawful row is of the grammar, and all its tokens are registered', () => {
  fc.assert(
    fc.property(scopes, (right) => {
      for (const [id, made] of madeOf(lawful, right)) {
        expect(made, id).toMatch(/^[!#-[\]-~]+( [!#-[\]-~]+)*$/)
        for (const one of made.split(' ')) expect(right.registered, id).toContain(one)
      }
    }),
  )
})

test('a row for a scope beyond the registration has one of them in its text', () => {
  const rows = wrong.filter(({ id }) => id.startsWith('beyond-'))
  const made = madeOf(rows, ORDINARY)
  expect(made.length).toBe(rows.length)
  for (const [id, text] of made) expect(text, id).toMatch(/payments|offline_access/)
  expect(madeOf(rows, { ...ORDINARY, beyond: ['accounts'] })).toEqual([])
})

test('each row keeps openid where it is registered, but for the unregistered one alone', () => {
  for (const [id, made] of madeOf(rowsOf(scope), ORDINARY)) {
    if (id === 'beyond-alone') expect(made).toBe('payments')
    else expect(made, id).toContain('openid')
  }
})

test('each row makes something of a client with names in small letters or in capitals', () => {
  const capital = { ...ORDINARY, registered: ['openid', 'ACCOUNTS', 'more'] }
  const made = [ORDINARY, capital].flatMap((right) => madeOf(rowsOf(scope), right))
  expect(rowsOf(scope).filter(({ id }) => !made.some(([one]) => one === id))).toEqual([])
})

test('no two rows make the same of an ordinary client', () => {
  const made = madeOf(rowsOf(scope), ORDINARY).map(([, text]) => text)
  expect(made.filter((text, index) => made.indexOf(text) !== index)).toEqual([])
})

test.each([
  ['needed', 'openid accounts'],
  ['all', 'openid accounts Fundsconfirmations'],
  ['needed-reversed', 'accounts openid'],
  ['duplicate', 'openid accounts accounts'],
  ['beyond-before', 'payments openid accounts'],
  ['beyond-between', 'openid payments accounts'],
  ['beyond-instead', 'openid payments'],
  ['beyond-each', 'openid accounts payments offline_access'],
  ['beyond-another', 'openid accounts offline_access'],
  ['beyond-behind-comma', 'openid accounts,payments'],
  ['comma-delimited', 'openid,accounts'],
  ['doubled-space', 'openid  accounts'],
  ['in-capitals', 'openid ACCOUNTS'],
  ['beginning-of-token', 'openid account'],
  ['token-with-action', 'openid accounts:write'],
  ['wildcard', 'openid *'],
  ['token-encoded', 'openid %61ccounts'],
])('%s is %s', (id, text) => {
  expect(rowOf(scope, id).make(ORDINARY)).toBe(text)
})

test('of a client without openid, as at the token endpoint, no row has it', () => {
  const right = { registered: ['accounts'], beyond: ['payments'] }
  for (const [id, made] of madeOf(rowsOf(scope), right)) expect(made, id).not.toContain('openid')
  expect(rowOf(scope, 'needed').make(right)).toBe('accounts')
  expect(rowOf(scope, 'beyond-behind').make(right)).toBe('accounts payments')
})

/** How lax banks find the scopes of a request, all of which they know. */
const LAX: Record<string, (text: string) => string[]> = {
  'divides at white space': (text) => text.split(/\s+/),
  'divides at commas too': (text) => text.split(/[ ,]+/),
  'decodes once more': (text) => decodeURIComponent(text.replaceAll('+', ' ')).split(' '),
  'looks for its own in the text': (text) => KNOWN.filter((one) => text.includes(one)),
  'has no regard to case': (text) => text.toLowerCase().split(' '),
  'normalises Unicode': (text) => text.normalize('NFKC').split(' '),
  'reads JSON': (text) => (text.startsWith('[') ? JSON.parse(text) : []),
  'drops what is no letter': (text) => text.replace(/[^a-z ]/g, '').split(' '),
  'looks for what begins so': (text) =>
    text.split(' ').flatMap((one) => KNOWN.filter((known) => known.startsWith(one))),
  'drops what is behind a colon': (text) => text.split(' ').map((one) => one.replace(/:.*/, '')),
}

const KNOWN = ['openid', 'accounts', 'payments']

test.each(Object.entries(LAX))('a bank that %s grants more than was asked for', (_, read) => {
  const taken = madeOf(wrong, ORDINARY).filter(([, text]) => {
    const exact = text.split(' ')
    return read(text).some((one) => KNOWN.includes(one) && one !== 'openid' && !exact.includes(one))
  })
  expect(taken).not.toEqual([])
})
