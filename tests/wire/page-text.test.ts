import { expect, test } from 'vitest'
import { pageText } from '../../engine/wire/page-text.ts'

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
