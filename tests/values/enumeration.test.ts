import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NINE_PERMISSIONS } from '../../suites/account-information/common/consents/consent-requests.ts'
import { NINE, permissions, schemeName } from '../../suites/values/consent-enumerations.ts'
import type { Enumeration } from '../../suites/values/enumeration-terms.ts'
import { responseType } from '../../suites/values/response-enumerations.ts'
import { assertionType, grantType } from '../../suites/values/token-enumerations.ts'
import { rowsOf, type ValueType } from '../../suites/values/value-type.ts'
import { divided, madeOf, rowOf } from './rows.ts'

const GRANTS = ['authorization_code', 'refresh_token', 'client_credentials']
const URN = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const of = (...allowed: string[]) => ({ allowed, chosen: allowed })

const USED = ['ReadBalances', 'ReadAccountsDetail', 'ReadTransactionsBasic']

/** Each enumeration with right values that it has at an ordinary bank. */
const ALL: [ValueType<Enumeration, unknown>, Enumeration, 'string' | 'array'][] = [
  [permissions, { allowed: NINE, chosen: USED }, 'array'],
  [schemeName, of('UK.STD.PAN'), 'string'],
  [grantType, { allowed: GRANTS, chosen: ['client_credentials'] }, 'string'],
  [responseType, of('code id_token'), 'string'],
  [assertionType, of(URN), 'string'],
]

/** Right values of an enumeration, of those that the ordinary bank allows. */
const rightOf = ({ allowed }: Enumeration, shape: 'string' | 'array') =>
  fc
    .shuffledSubarray([...allowed], { minLength: 1, maxLength: shape === 'string' ? 1 : undefined })
    .map((chosen) => ({ allowed, chosen }))

/** There are few right values, and many rows of each. */
const FEW = { numRuns: 25 }

const WORDS: Record<string, (value: string) => string> = {
  response_type: (value) => value.split(' ').sort().join(' '),
}

describe.each(ALL)('$name', (type, ordinary, shape) => {
  const { wrong, lawful } = divided(type)
  const same = WORDS[type.name] ?? ((value: string) => value)
  const isRight = (made: unknown, { allowed }: Enumeration) => {
    const values = shape === 'string' ? [made] : made
    if (!Array.isArray(values) || values.length === 0) return false
    const known = allowed.map(same)
    return values.every((one) => typeof one === 'string' && known.includes(same(one)))
  }

  test('a wrong row is no allowed value, nor a list of such', () => {
    fc.assert(
      fc.property(rightOf(ordinary, shape), (right) => {
        for (const [id, made] of madeOf(wrong, right)) {
          expect(isRight(made, right), `${id}: ${JSON.stringify(made)}`).toBe(false)
        }
      }),
      FEW,
    )
  })

  test('a lawful row is of allowed values, whatever their order, number and case', () => {
    const open = ['details-with-s', 'scheme-in-capitals', 'namespace-in-capitals']
    const judged = lawful.filter(({ id }) => !open.includes(id))
    fc.assert(
      fc.property(rightOf(ordinary, shape), (right) => {
        for (const [id, made] of madeOf(judged, right)) {
          expect(isRight(made, right), `${id}: ${JSON.stringify(made)}`).toBe(true)
        }
      }),
      FEW,
    )
  })

  test('each row makes something of some right value', () => {
    const rights = [...ordinary.allowed]
      .map((one) => ({ ...ordinary, chosen: [one] }))
      .concat({ ...ordinary, chosen: [...ordinary.chosen] })
    if (shape === 'array') rights.push({ ...ordinary, chosen: [...ordinary.allowed.slice(0, 2)] })
    const made = new Set(rights.flatMap((right) => madeOf(rowsOf(type), right).map(([id]) => id)))
    expect(rowsOf(type).filter(({ id }) => !made.has(id))).toEqual([])
  })

  test('no two rows make the same of the ordinary value', () => {
    const made = madeOf(rowsOf(type), ordinary).map(([id, value]) => [id, JSON.stringify(value)])
    const twice = made.filter(
      ([, text], index) => made.findIndex(([, one]) => one === text) !== index,
    )
    expect(twice).toEqual([])
  })

  test('a row can be sent as JSON', () => {
    for (const [id, made] of madeOf(rowsOf(type), ordinary)) {
      expect(JSON.parse(JSON.stringify(made)), id).toEqual(made)
    }
  })

  test('what the right value is breaks nothing', () => {
    const chosen = ordinary.chosen.slice(0, shape === 'string' ? 1 : undefined)
    expect(rowOf(type, 'exact').make(ordinary)).toEqual(shape === 'string' ? chosen[0] : chosen)
  })
})

test('the nine permissions are those that the checks send', () => {
  expect([...NINE].sort()).toEqual([...NINE_PERMISSIONS].sort())
})

const ONE = { allowed: NINE, chosen: ['ReadAccountsBasic'] }

test.each([
  ['in-small-letters', ['readaccountsbasic']],
  ['first-other-case', ['readAccountsBasic']],
  ['last-other-case', ['ReadAccountsBasiC']],
  ['trailing-space', ['ReadAccountsBasic ']],
  ['last-cut', ['ReadAccountsBasi']],
  ['last-word', ['Basic']],
  ['low-lines', ['Read_Accounts_Basic']],
  ['constant-case', ['READ_ACCOUNTS_BASIC']],
  ['star-behind', ['ReadAccounts*']],
  ['long-s', ['ReadAccount\u017fBasic']],
  ['cyrillic', ['R\u0435adAccountsBasic']],
  ['percent-encoded', ['%52eadAccountsBasic']],
  ['other-alone', ['ReadPAN']],
  ['read-party', ['ReadParty']],
  ['other-behind', ['ReadAccountsBasic', 'ReadPAN']],
  ['one-string', 'ReadAccountsBasic'],
  ['json-text', '["ReadAccountsBasic"]'],
  ['nested', [['ReadAccountsBasic']]],
  ['by-name', { ReadAccountsBasic: true }],
  ['null-inside', ['ReadAccountsBasic', null]],
])('of permissions, %s is %j', (id, made) => {
  expect(rowOf(permissions, id).make(ONE)).toEqual(made)
})

test('of several permissions the last is misspelt, beside the others', () => {
  const right = { allowed: NINE, chosen: USED }
  expect(rowOf(permissions, 'in-capitals').make(right)).toEqual([
    'ReadBalances',
    'ReadAccountsDetail',
    'READTRANSACTIONSBASIC',
  ])
  expect(rowOf(permissions, 'other-between').make(right)).toEqual([
    'ReadBalances',
    'ReadPAN',
    'ReadAccountsDetail',
    'ReadTransactionsBasic',
  ])
})

test('ReadAccountsDetails is no wrong row, for the document spells it so (AMB-01)', () => {
  const right = { allowed: NINE, chosen: ['ReadAccountsDetail'] }
  expect(rowOf(permissions, 'plural').make(right)).toBeUndefined()
  expect(rowOf(permissions, 'details-with-s').make(right)).toEqual(['ReadAccountsDetails'])
  const other = { allowed: NINE, chosen: ['ReadTransactionsDetail'] }
  expect(rowOf(permissions, 'plural').make(other)).toEqual(['ReadTransactionsDetails'])
  const allowed = madeOf(divided(permissions).wrong, right)
  expect(JSON.stringify(allowed)).not.toContain('ReadAccountsDetails')
})

test.each(['UK.OBIE.PAN', 'UK.STD.PAN'])(
  'no wrong scheme is %s with another acronym, which may be the right one (AMB-04)',
  (scheme) => {
    for (const [id, made] of madeOf(divided(schemeName).wrong, of(scheme))) {
      if (typeof made === 'string') expect(made, id).not.toMatch(/^UK\.[A-Z]+\.PAN$/)
    }
  },
)

test.each([
  [responseType, 'words-in-other-order', of('code id_token'), 'id_token code'],
  [assertionType, 'scheme-in-capitals', of(URN), `URN${URN.slice(3)}`],
  [assertionType, 'namespace-in-capitals', of(URN), `urn:IETF${URN.slice(8)}`],
  [
    grantType,
    'comma-and-other',
    { allowed: GRANTS, chosen: ['refresh_token'] },
    'refresh_token,authorization_code',
  ],
] as const)('$name: %s', (type, id, right, made) => {
  expect(rowOf(type, id).make(right)).toEqual(made)
})

test('what this client registered, or this bank advertises, is no wrong row', () => {
  const right = { allowed: ['client_credentials', 'password'], chosen: ['client_credentials'] }
  expect(rowOf(grantType, 'password').make(right)).toBeUndefined()
  expect(rowOf(grantType, 'implicit').make(right)).toBe('implicit')
})

/** How lax banks find a known value in one that was sent. */
const LAX: Record<string, (value: string, known: string) => boolean> = {
  'without regard to case': (value, known) => value.toLowerCase() === known.toLowerCase(),
  'by capitals': (value, known) => value.toUpperCase() === known.toUpperCase(),
  trimmed: (value, known) => value.trim() === known,
  'by its beginning': (value, known) => known.startsWith(value) && value !== '',
  'by what it begins with': (value, known) => value.startsWith(known),
  'anywhere inside': (value, known) => value.includes(known),
  'by letters alone': (value, known) =>
    value.replace(/[^a-z]/gi, '') === known.replace(/[^a-z]/gi, ''),
  'in a list of commas': (value, known) => value.split(',').includes(known),
  'after Unicode normalisation': (value, known) => value.normalize('NFKC') === known,
  'decoded once more': (value, known) => decoded(value) === known,
  'up to a NUL': (value, known) => value.split('\0')[0] === known,
  'as a pattern': (value, known) => asPattern(value, known),
  'line by line': (value, known) => value.split('\n').includes(known),
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function asPattern(value: string, known: string): boolean {
  if (value === '') return false
  try {
    return new RegExp(`^${value}$`).test(known)
  } catch {
    return false
  }
}

const LAX_CELLS = ALL.flatMap(([type, right, shape]) =>
  Object.entries(LAX).map(([words, finds]) => ({ type, right, shape, words, finds })),
)

test.each(LAX_CELLS)(
  '$type.name: a bank that finds one $words takes a wrong one',
  ({ type, right, finds }) => {
    const known = right.allowed
    const taken = madeOf(divided(type).wrong, right).filter(([, made]) => {
      const values = [made].flat().filter((one) => typeof one === 'string')
      const strange = values.filter((value) => !right.allowed.includes(value))
      return strange.length > 0 && strange.every((value) => known.some((one) => finds(value, one)))
    })
    expect(taken).not.toEqual([])
  },
)
