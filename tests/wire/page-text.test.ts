import { expect, test } from 'vitest'
import { pageCharset, pageText } from '../../engine/wire/page-text.ts'

/** “Ünïcode” in ISO 8859-1. */
const LATIN = Buffer.from('<p>Ünïcode</p>', 'latin1')

const withMeta = (meta: string) => Buffer.concat([Buffer.from(meta), LATIN])

test.each([
  ['the charset of its Content-Type', LATIN, 'text/html; charset=ISO-8859-1'],
  ['a quoted one', LATIN, 'text/html;charset="windows-1252"'],
  ['that of a meta element', withMeta('<meta charset="iso-8859-1">'), 'text/html'],
  [
    'that of an older meta element',
    withMeta('<meta http-equiv=Content-Type content="text/html; charset=iso-8859-1">'),
    'application/xhtml+xml',
  ],
  ['none at all, as browsers do', LATIN, 'text/html'],
  ['one that nobody knows, as browsers do', LATIN, 'text/html; charset=klingon'],
])('a page is read by %s', (_how, body, type) => {
  expect(pageText(body, type)).toContain('<p>Ünïcode</p>')
})

test('a page in another script', () => {
  const body = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
  expect(pageText(body, 'text/html; charset=windows-1251')).toBe('Привет')
})

test.each([
  ['UTF-8, whatever it says', Buffer.from('<p>Ünïcode</p>'), 'text/html; charset=ISO-8859-1'],
  ['no page', LATIN, 'application/json'],
  ['of no type', LATIN, ''],
])('left as it is: what is %s', (_what, body, type) => {
  expect(pageText(body, type)).toBeUndefined()
})

test('a page in windows-1252 has the characters that ISO 8859-1 has not', () => {
  expect(pageText(Buffer.from([0x80]), 'text/html; charset=windows-1252')).toBe('€')
})

const PLAIN = Buffer.from('<p>plain</p>')

test.each([
  ['the one that it is read by', LATIN, 'text/html; charset=iso-8859-15', 'iso-8859-15'],
  ['the one that it declares, where it is ASCII', PLAIN, 'text/html; charset=koi8-r', 'koi8-r'],
  ['that of browsers, where it is ASCII and declares none', PLAIN, 'text/html', 'windows-1252'],
  ['UTF-8, where it declares that', PLAIN, 'text/html; charset=UTF-8', 'utf-8'],
  ['left open: UTF-8, whatever it says', Buffer.from('Ü'), 'text/html; charset=latin1', undefined],
  ['left open: XML that declares none', PLAIN, 'application/xhtml+xml', undefined],
  ['left open: of no page', PLAIN, 'application/json', undefined],
])('the encoding of a page is %s', (_which, body, type, charset) => {
  expect(pageCharset(body, type)).toBe(charset)
})

/** UTF-16 that Node writes: little-endian, without a mark. */
const WIDE = Buffer.from('<p>Ünïcode</p>', 'utf16le')

test.each([
  ['by its mark', Buffer.from('\ufeff<p>Ünïcode</p>', 'utf16le'), 'text/html'],
  ['by its mark, with the large end first', marked().swap16(), 'text/html'],
  ['by its mark, whatever it declares', marked(), 'text/html; charset=iso-8859-1'],
  ['by its header', WIDE, 'text/html; charset=utf-16'],
  [
    'by its header, with the large end first',
    marked().subarray(2).swap16(),
    'text/html; charset=UTF-16BE',
  ],
])('a page in UTF-16 is read %s', (_how, body, type) => {
  expect(pageText(body, type)).toBe('<p>Ünïcode</p>')
})

function marked() {
  return Buffer.from('\ufeff<p>Ünïcode</p>', 'utf16le')
}

test('a page in UTF-16 that is all ASCII is read by its header', () => {
  expect(pageText(Buffer.from('<p>a</p>', 'utf16le'), 'text/html; charset=utf-16le')).toBe(
    '<p>a</p>',
  )
})

test('a page that says UTF-16 of itself in ASCII is UTF-8', () => {
  const page = Buffer.from('<meta charset="utf-16"><p>Ü</p>')
  expect([pageCharset(page, 'text/html'), pageText(page, 'text/html')]).toEqual([
    undefined,
    undefined,
  ])
})
