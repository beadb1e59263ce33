import { expect, test } from 'vitest'
import { formEncoding } from '../../suites/values/form-encoding.ts'
import { rowsOf } from '../../suites/values/value-type.ts'

const TEXT = 'scope=openid%20accounts&redirect_uri=https%3A%2F%2Ftpp.example%2Fa-b&state=a%2Bb'

const parametersOf = (text: string) => [...new URLSearchParams(text)].sort()

const lawful = rowsOf(formEncoding).filter((row) => row.lawful)

test.each(lawful.map((row) => [row.id, row] as const))('%s means the same', (_, row) => {
  for (const text of [TEXT, TEXT.replace('%20', '+')]) {
    const change = row.make({ text })
    expect(change?.(text)).not.toBe(text)
    expect(parametersOf(change?.(text) ?? '')).toEqual(parametersOf(text))
  }
})

test('a text in which a row changes nothing has no such value', () => {
  const plain = { text: 'a=b' }
  expect(lawful.filter((row) => row.make(plain)).map(({ id }) => id)).toEqual(['first-encoded'])
})
