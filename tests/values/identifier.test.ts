import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accountIdInPath,
  consentIdInClaim,
  consentIdInPath,
} from '../../suites/values/identifier.ts'
import { rowsOf, type ValueType } from '../../suites/values/value-type.ts'
import { divided, madeOf, rowOf } from './rows.ts'

const ID = 'aac-3f2b8c1e-5d64-4a7b-9c0d-1e2f3a4b5c6d'

const OTHERS = {
  own: 'aac-own-of-this-client',
  anotherClient: 'aac-of-another-client',
  otherKind: 'fcc-of-this-client',
  deleted: 'aac-that-was-deleted',
  account: 'account-of-this-client',
  anotherCustomer: 'account-of-another-customer',
  notChosen: 'account-not-chosen',
  consent: 'aac-of-the-account',
}

type Right = { id: string; ofOthers: Partial<typeof OTHERS> }

const ORDINARY: Right = { id: ID, ofOthers: OTHERS }

/** Ids as banks make them. */
const KINDS: Record<string, string> = {
  'a UUID': '3f2b8c1e-5d64-4a7b-9c0d-1e2f3a4b5c6d',
  'a UUID behind a prefix': ID,
  'a number': '100017',
  'a long number': '1000000000000000017',
  'a number behind a prefix': 'aac-0000000000000017',
  hexadecimal: '3f2b8c1e5d644a7b9c0d1e2f3a4b5c6d',
  Base64url: 'x7Qz-Yk9_wPqLm2RtUvBn4',
  'with reserved characters': 'urn:acme:consent:x7QzYk9wPqLm2Rt=',
  'of two characters': 'a7',
}

const right = fc
  .oneof(
    fc.uuid(),
    fc.constantFrom(...Object.values(KINDS)),
    fc.integer({ min: 1, max: 1e9 }).map(String),
    fc.stringMatching(/^[A-Za-z0-9._~-]{1,40}$/).filter((id) => !/^\.+$/.test(id)),
    fc.stringMatching(/^[A-Za-z0-9:@!$&'()*+,;= %-]{1,20}$/).filter((id) => id.trim() === id),
  )
  .map((id): Right => ({ id, ofOthers: OTHERS }))

/** Many rows of each id. */
const RUNS = { numRuns: 50 }

const PATHS: [ValueType<Right, string>][] = [[consentIdInPath], [accountIdInPath]]
const ALL: [ValueType<Right, unknown>][] = [...PATHS, [consentIdInClaim]]

/** As a server reads a segment: once decoded. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

describe.each(PATHS)('$name in a path', (type) => {
  const { wrong, lawful } = divided(type)

  test('a lawful row is the id, or another right one, once it is decoded', () => {
    fc.assert(
      fc.property(right, (ids) => {
        for (const [id, made] of madeOf(lawful, ids)) {
          expect(decoded(made), `${id}: ${made}`).toBe(id === 'own' ? OTHERS.own : ids.id)
        }
      }),
      RUNS,
    )
  })

  test('a wrong row is neither, and not equivalent to it', () => {
    fc.assert(
      fc.property(right, (ids) => {
        for (const [id, made] of madeOf(wrong, ids)) {
          expect([ids.id, OTHERS.own], `${id}: ${made}`).not.toContain(decoded(made))
        }
      }),
      RUNS,
    )
  })

  test('a row is sent as it is: a client neither encodes nor resolves it', () => {
    fc.assert(
      fc.property(right, (ids) => {
        for (const [id, made] of madeOf(rowsOf(type), ids)) {
          const { pathname, search, hash } = new URL(`https://bank.example/of/${made}`)
          expect([pathname, search, hash], id).toEqual([`/of/${made}`, '', ''])
        }
      }),
      RUNS,
    )
  })

  test('a spelling that is equivalent by RFC 3986 is another text', () => {
    for (const [id, made] of madeOf(lawful, ORDINARY)) {
      if (id !== 'exact') expect(made, id).not.toBe(ID)
    }
    expect(rowOf(type, 'first-encoded').make(ORDINARY)).toBe(`%61${ID.slice(1)}`)
    expect(rowOf(type, 'hyphens-encoded').make(ORDINARY)).toBe(ID.replaceAll('-', '%2D'))
    expect(rowOf(type, 'small-digits').make(ORDINARY)).toContain('%2d')
    const reserved = { ...ORDINARY, id: 'urn:x=1' }
    expect(rowOf(type, 'exact').make(reserved)).toBe('urn%3Ax%3D1')
    expect(rowOf(type, 'reserved-as-they-are').make(reserved)).toBe('urn:x=1')
    expect(rowOf(type, 'all-encoded').make(reserved)).toBeUndefined()
  })

  test.each([
    ['encoded-twice', `%2561${ID.slice(1)}`],
    ['trailing-nul', `${ID}%00`],
    ['trailing-space', `${ID}%20`],
    ['encoded-slash-behind', `${ID}%2F`],
    ['up-and-down', `x%2F..%2F${ID}`],
    ['percent-u', `%u0061${ID.slice(1)}`],
    ['overlong', `%C1%A1${ID.slice(1)}`],
    ['comma-and-itself', `${ID}%2C${ID}`],
    ['comma-and-own', `${ID}%2C${OTHERS.own}`],
    ['star', '%2A'],
    ['last-changed', `${ID.slice(0, -1)}z`],
    ['cut-at-hyphen', 'aac-3f2b8c1e-5d64-4a7b-9c0d'],
    ['parameter', `${ID};v=1`],
    ['word-null', 'null'],
  ])('%s is %s', (id, made) => {
    expect(rowOf(type, id).make(ORDINARY)).toBe(made)
  })
})

describe.each(ALL)('$name', (type) => {
  test('each row makes something of some id', () => {
    const rights = Object.values(KINDS).map((id) => ({ ...ORDINARY, id }))
    const made = new Set(rights.flatMap((ids) => madeOf(rowsOf(type), ids).map(([id]) => id)))
    expect(rowsOf(type).filter(({ id }) => !made.has(id))).toEqual([])
  })

  test('no two rows make the same of one id', () => {
    for (const id of Object.values(KINDS)) {
      const made = madeOf(rowsOf(type), { ...ORDINARY, id }).map(([row, value]) => [
        row,
        JSON.stringify(value),
      ])
      const twice = made.filter(
        ([, one], index) => made.findIndex(([, two]) => one === two) !== index,
      )
      expect(twice, id).toEqual([])
    }
  })

  test('an id of something else is asked for where there is one', () => {
    const alone = { id: ID, ofOthers: {} }
    for (const id of ['own', 'comma-and-own', 'bar-and-own']) {
      expect(rowOf(type, id).make(alone)).toBeUndefined()
      expect(rowOf(type, id).make({ id: ID, ofOthers: { own: ID } })).toBeUndefined()
    }
  })
})

/** What a bank may compare instead of the text of an id: each is lawful for ids of its kind. */
const READERS: Record<string, { ids: string[]; read(id: string): string | undefined }> = {
  'sixteen bytes in base64url': {
    ids: ['AAAAAAAAAAAAAAAAAAAAAA', 'x7QzYk9wPqLm2RtUvBn4aw', 'x7QzYk9wPqLm2RtUvBn4ag'],
    read: (id) =>
      /^[\w-]{22}$/.test(id) ? Buffer.from(id, 'base64url').toString('hex') : undefined,
  },
  'twenty bytes in base64url': {
    ids: ['x7QzYk9wPqLm2RtUvBn4aaaaaa8', 'x7QzYk9wPqLm2RtUvBn4aaaaaaw'],
    read: (id) =>
      /^[\w-]{27}$/.test(id) ? Buffer.from(id, 'base64url').toString('hex') : undefined,
  },
  'a UUID, each group as a number': {
    ids: ['0f2b8c1e-5d64-4a7b-9c0d-1e2f3a4b5c6d', '00000c1e-5d64-4a7b-9c0d-0e2f3a4b5c6d'],
    read: (id) =>
      /^[\da-f]+(-[\da-f]+){4}$/i.test(id)
        ? id
            .split('-')
            .map((group) => Number.parseInt(group, 16))
            .join('-')
        : undefined,
  },
  'a number in hexadecimal': {
    ids: ['0f2b8c1e5d644a7b9c0d1e2f3a4b5c6d', '000000005d644a7b9c0d1e2f3a4b5c6d'],
    read: (id) => (/^[\da-f]{1,32}$/i.test(id) ? String(BigInt(`0x${id}`)) : undefined),
  },
  'a ULID in either case': {
    ids: ['01KXQ7M3ZB8V4R2T6W9Y5N0CDZ', '01KXQ7M3ZB8V4R2T6W9Y5N0CDW'],
    read: (id) => (/^[\da-z]{26}$/i.test(id) ? id.toUpperCase() : undefined),
  },
  'a UUID behind a word, in either case': {
    ids: ['Intent-3f2b8c1e-5d64-4a7b-9c0d-1e2f3a4b5c6d'],
    read: (id) => id.toLowerCase(),
  },
}

test.each(Object.entries(READERS))('no wrong row is the same to whoever reads %s', (_, reader) => {
  const { wrong } = divided<Right, unknown>(consentIdInClaim)
  for (const id of reader.ids) {
    const same = madeOf(wrong, { ...ORDINARY, id }).filter(
      ([, made]) => typeof made === 'string' && reader.read(made) === reader.read(id),
    )
    expect(same, id).toEqual([])
  }
})

test('in a claim a wrong row is no right id, and the texts are not encoded', () => {
  const { wrong } = divided<Right, unknown>(consentIdInClaim)
  fc.assert(
    fc.property(right, (ids) => {
      for (const [id, made] of madeOf(wrong, ids)) {
        expect([ids.id, OTHERS.own], id).not.toContain(made)
      }
    }),
    RUNS,
  )
  expect(rowOf(consentIdInClaim, 'trailing-space').make(ORDINARY)).toBe(`${ID} `)
  expect(rowOf(consentIdInClaim, 'in-array').make(ORDINARY)).toEqual([ID])
})

test('of ids by which a bank counts no row is another of its ids', () => {
  const idsOf = (id: string) => madeOf(divided(consentIdInPath).wrong, { id, ofOthers: {} })
  for (const [row, made] of idsOf('100017')) expect(made, row).not.toMatch(/^[1-9]\d*$/)
  for (const [row, made] of idsOf('aac-0000000000000017')) {
    expect(made, row).not.toMatch(/^aac-\d+$/)
  }
})

test('of letters that may be hexadecimal there is no other case', () => {
  const { make } = rowOf(consentIdInPath, 'other-case')
  const of = (id: string) => make({ id, ofOthers: {} })
  expect(of(randomUUID())).toBeUndefined()
  expect(of(randomBytes(16).toString('hex').toUpperCase())).toBeUndefined()
  expect(of(ID)).toBeUndefined()
  expect(of('x7Qz-Yk9_wPqLm2RtUvBn4')).toBe('X7qZ-yK9_WpQlM2rTuVbN4')
})

test('an id that nobody has is of the same form', () => {
  const { make } = rowOf(consentIdInPath, 'never-existing')
  const form = (id: string) => id.replace(/\d/g, '0').replace(/[a-f]/g, 'a').replace(/[A-F]/g, 'A')
  for (const id of [ID, KINDS['a UUID'], KINDS.hexadecimal] as string[]) {
    const made = make({ id, ofOthers: {} }) ?? ''
    expect(made).not.toBe(id)
    expect(form(made).replace(/[b-f]/g, 'a')).toBe(form(id))
    expect(make({ id, ofOthers: {} })).toBe(made)
  }
  expect(make({ id: ID, ofOthers: {} })).toMatch(/^aac-/)
  expect(make({ id: KINDS['a number behind a prefix'] as string, ofOthers: {} })).toBeUndefined()
})

test('what is another one’s breaks a must at both, what names nothing a should for accounts', () => {
  expect(rowOf(consentIdInPath, 'another-client').level).toBe('must')
  expect(rowOf(consentIdInPath, 'letter-behind').level).toBe('must')
  expect(rowOf(accountIdInPath, 'another-customer').level).toBe('must')
  expect(rowOf(accountIdInPath, 'not-chosen').level).toBe('must')
  expect(rowOf(accountIdInPath, 'letter-behind').level).toBe('should')
})

/** How lax banks find an id. */
const LAX: Record<string, (id: string, known: string) => boolean> = {
  'by its beginning': (id, known) => known.startsWith(id),
  'by what it begins with': (id, known) => id.startsWith(known),
  'by its end': (id, known) => id.endsWith(known),
  'anywhere inside': (id, known) => id.includes(known),
  trimmed: (id, known) => id.trim() === known,
  'without what is no letter or digit': (id, known) =>
    id.replace(/[^a-z\d]/gi, '') === known.replace(/[^a-z\d]/gi, ''),
  'up to a NUL': (id, known) => id.split('\0')[0] === known,
  'in a list of commas': (id, known) => id.split(',').includes(known),
  'decoded once more': (id, known) => decoded(id) === known,
  'behind the last slash': (id, known) => id.split('/').at(-1) === known,
  'after Unicode normalisation': (id, known) => id.normalize('NFKC') === known,
  'by LIKE': (id, known) =>
    new RegExp(
      `^${id
        .replace(/[.*+?^$()|[\]{}\\]/g, '\\$&')
        .replace(/%/g, '.*')
        .replace(/_/g, '.')}$`,
    ).test(known),
  'by its first 16 characters': (id, known) => id.slice(0, 16) === known.slice(0, 16),
  'by its last 16 characters': (id, known) => id.slice(-16) === known.slice(-16),
}

test.each(Object.entries(LAX))('a bank that finds an id %s takes a wrong one', (_, finds) => {
  const taken = madeOf(divided(consentIdInPath).wrong, { id: ID, ofOthers: {} }).filter(
    ([id, made]) => id !== 'empty' && finds(decoded(made) ?? made, ID),
  )
  expect(taken).not.toEqual([])
})

/** How strict banks refuse a right one. */
const STRICT: Record<string, (segment: string) => boolean> = {
  'without decoding it': (segment) => segment === ID,
  'by capital hexadecimal digits': (segment) => !/%[\dA-F]*[a-f]/.test(segment),
}

test.each(Object.entries(STRICT))('a bank that reads an id %s refuses a right one', (_, takes) => {
  const own = divided(consentIdInPath).lawful.filter(({ id }) => id !== 'own')
  const refused = madeOf(own, ORDINARY).filter(([, made]) => !takes(made))
  expect(refused).not.toEqual([])
})
