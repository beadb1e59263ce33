import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { returnedNonce, returnedState } from '../../suites/values/returned-text.ts'
import { rowsOf } from '../../suites/values/value-type.ts'
import { divided, madeOf, rowOf } from './rows.ts'

const SEED = { seed: 'q7Vb2xK9wd4Tz' }

const seed = fc.record({ seed: fc.stringMatching(/^[A-Za-z0-9]{1,40}$/) })

const VSCHARS = /^[\x20-\x7e]+$/

const TYPES = [returnedState, returnedNonce]

test('state: lawful is 1*VSCHAR, wrong is not', () => {
  const { wrong, lawful } = divided(returnedState)
  fc.assert(
    fc.property(seed, (right) => {
      for (const [id, made] of madeOf(lawful, right)) expect(made, id).toMatch(VSCHARS)
      for (const [id, made] of madeOf(wrong, right)) expect(made, id).not.toMatch(VSCHARS)
    }),
  )
})

test('state has no row of JSON alone; nonce has each of state that is lawful', () => {
  const ofState = divided(returnedState).lawful.map(({ id }) => id)
  const { lawful } = divided(returnedNonce)
  expect(lawful.map(({ id }) => id)).toEqual(expect.arrayContaining(ofState))
  const more = lawful.filter(({ id }) => !ofState.includes(id))
  expect(more.length).toBeGreaterThan(8)
  for (const [id, made] of madeOf(more, SEED)) expect(made, id).not.toMatch(VSCHARS)
})

test('lawful texts of JSON are of whole characters, and survive a JWT', () => {
  for (const [id, made] of madeOf(divided(returnedNonce).lawful, SEED)) {
    expect(made, id).not.toBe('')
    const payload = Buffer.from(JSON.stringify({ made })).toString('base64url')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString()).made, id).toBe(made)
  }
  expect(rowOf(returnedNonce, 'empty').make(SEED)).toBe('')
})

test.each(TYPES)('$name: no two rows make the same text', (type) => {
  const made = madeOf(rowsOf(type), SEED).map(([, text]) => text)
  expect(made.length).toBe(rowsOf(type).length)
  expect(made.filter((text, index) => made.indexOf(text) !== index)).toEqual([])
})

test.each(TYPES)(
  '$name: another seed makes another text, but for the words of few characters',
  (type) => {
    const other = { seed: 'Pz81mCyR5nW0e' }
    const same = rowsOf(type).filter(({ make }) => make(SEED) === make(other))
    const few = ['space-alone', 'zero', 'true', 'null', 'undefined']
    expect(same.map(({ id }) => id)).toEqual(type === returnedNonce ? [...few, 'empty'] : few)
  },
)

test.each([
  ['leading-zeros', /^000\d{24}$/],
  ['large-number', /^9\d{24}$/],
  ['exponent', /^9\d{24}e5$/],
  ['zero-with-exponent', /^0e\d{24}$/],
  ['base-sixteen', /^0x\d{24}$/],
  ['capital-uuid', /^[\dA-F]{8}-[\dA-F]{4}-4[\dA-F]{3}-[89AB][\dA-F]{3}-[\dA-F]{12}$/],
  ['every-character', /^q7Vb2xK9wd4Tz !"#.*xyz\{\|\}~$/],
  ['length-255', /^.{255}$/],
  ['length-256', /^.{256}$/],
  ['length-1000', /^.{1000}$/],
])('%s is %s', (id, pattern) => {
  fc.assert(
    fc.property(seed, (right) => {
      const made = rowOf(returnedState, id).make(id === 'every-character' ? SEED : right)
      expect(made).toMatch(pattern)
    }),
  )
})

/** What banks make of texts that they should keep. */
const READERS: Record<string, (text: string) => string> = {
  'trims at the left': (text) => text.trimStart(),
  'trims at the right': (text) => text.trimEnd(),
  'makes one space of several': (text) => text.replace(/\s+/g, ' '),
  'makes small letters': (text) => text.toLowerCase(),
  'makes capitals': (text) => text.toUpperCase(),
  'writes UUIDs in small letters': (text) =>
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text.toLowerCase() : text,
  'takes numbers for numbers': (text) => (/^[-+]?\d+$/.test(text) ? String(Number(text)) : text),
  'takes leading zeros away': (text) => text.replace(/^0+(?=\d)/, ''),
  'takes decimals for numbers': (text) => (/^\d+\.\d+$/.test(text) ? String(Number(text)) : text),
  'knows exponents': (text) => (/^\d+e\d+$/.test(text) ? String(Number(text)) : text),
  'knows base sixteen': (text) => (/^0x[\da-f]+$/i.test(text) ? String(Number(text)) : text),
  'reads JSON': (text) => json(text),
  'takes null for none': (text) => (text === 'null' ? '' : text),
  'takes undefined for none': (text) => (text === 'undefined' ? '' : text),
  'takes what is false for none': (text) => (text === '0' ? '' : text),
  'takes a space for a plus sign': (text) => text.replaceAll('+', ' '),
  'takes a plus sign for a space': (text) => text.replaceAll(' ', '+'),
  'decodes once more': (text) => decoded(text),
  'decodes what it can': (text) => text.replace(/%[\da-f]{2}/gi, decoded),
  'decodes until nothing changes': (text) => decoded(decoded(text)),
  'encodes what is no encoding': (text) => text.replace(/%(?![\da-f]{2})/gi, '%25'),
  'encodes in capitals': (text) => text.replace(/%[\da-f]{2}/gi, (one) => one.toUpperCase()),
  'ends at an ampersand': (text) => text.split('&')[0] ?? '',
  'ends at a number sign': (text) => text.split('#')[0] ?? '',
  'ends at a semicolon': (text) => text.split(';')[0] ?? '',
  'ends at an equals sign': (text) => text.split('=')[0] ?? '',
  'ends at a comma': (text) => text.split(',')[0] ?? '',
  'ends at a question mark': (text) => text.split('?')[0] ?? '',
  'takes equals signs at the end away': (text) => text.replace(/=+$/, ''),
  'writes Base64url': (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
  'writes Base64': (text) => text.replaceAll('-', '+').replaceAll('_', '/'),
  'normalises URLs': (text) => (/^https:/i.test(text) ? new URL(text).href : text),
  'normalises paths': (text) =>
    new URL(`x:/${encodeURIComponent(text).replaceAll('%2F', '/')}`).pathname.slice(1),
  'makes one slash of two': (text) => text.replaceAll('//', '/'),
  'escapes HTML': (text) => text.replace(/[<>]/g, (one) => (one === '<' ? '&lt;' : '&gt;')),
  'escapes quotation marks': (text) => text.replaceAll('"', '&quot;'),
  'escapes apostrophes': (text) => text.replaceAll("'", '&#39;'),
  'strips tags': (text) => text.replace(/<[^>]*>/g, ''),
  'reads entities': (text) => text.replace('&amp;', '&').replace('&#43;', '+'),
  'escapes as programs do': (text) => JSON.stringify(text).slice(1, -1),
  'reads escapes of programs': (text) => text.replaceAll('\\n', '\n'),
  'puts it into a pattern': (text) => 'x'.replace(/x/, text),
  'formats it': (text) => text.replaceAll('%s', ''),
  'cuts at 255': (text) => text.slice(0, 255),
  'cuts at 256': (text) => text.slice(0, 256),
  'cuts at 512': (text) => text.slice(0, 512),
  'takes two characters at least': (text) => (text.length < 2 ? '' : text),
  'reads dates': (text) => (/^\d{4}-\d\d-\d\dT/.test(text) ? text.slice(0, 10) : text),
}

/** The same for what only JSON holds. */
const OF_JSON: Record<string, (text: string) => string> = {
  'composes letters': (text) => text.normalize('NFC'),
  'decomposes letters': (text) => text.normalize('NFD'),
  'takes what is compatible': (text) => text.normalize('NFKC'),
  'knows Latin 1 alone': (text) => Buffer.from(text, 'latin1').toString('latin1'),
  'knows ASCII alone': (text) => text.replace(/[^\x20-\x7e]/g, '?'),
  'knows the first plane alone': (text) => text.replace(/\p{Cs}|[\u{10000}-\u{10ffff}]/gu, '?'),
  'trims what is no ASCII too': (text) => text.trim(),
  'drops what has no width': (text) => text.replaceAll('\u200d', ''),
  'takes control characters away': (text) => text.replace(/\p{Cc}/gu, ''),
}

function json(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : JSON.stringify(value)
  } catch {
    return text
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

describe.each(TYPES)('$name', (type) => {
  const texts = madeOf(divided(type).lawful, SEED)
  const readers = type === returnedState ? READERS : { ...READERS, ...OF_JSON }

  test.each(Object.entries(readers))('a bank that %s changes one', (_, read) => {
    expect(texts.filter(([, text]) => read(text) !== text)).not.toEqual([])
  })

  test('each text but the plain one is changed by one of these banks', () => {
    const kept = texts.filter(([, text]) =>
      Object.values(readers).every((read) => read(text) === text),
    )
    expect(kept.map(([id]) => id)).toEqual([])
  })
})
