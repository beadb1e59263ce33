import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readTppFile } from '../../engine/certification/tpp-file.ts'
import { readTargetFile } from '../../engine/configuration/load.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-crossed-'))
afterAll(() => rmSync(folder, { recursive: true }))

const written = (text: string) => {
  const file = join(folder, 'given.yaml')
  writeFileSync(file, text)
  return file
}

test('the file of a TPP where that of a bank is expected is one line, which names the option', async () => {
  const file = written(
    'name: x\nclient:\n  driver: command\n  command:\n    - $' + '{NOBODY_SET}\n',
  )
  const why = `given.yaml:1:1: this file describes a TPP, not a bank. Name it with --tpp`
  const message = await readTargetFile(file, {}).catch((error: Error) => error.message)
  expect(message).toContain(why)
  expect(String(message).split('\n')).toHaveLength(1)
})

test.each([
  'bank: embedded\n',
  'name: x\naddresses:\n  base_url: $' + '{NOBODY_SET}\nclients: {}\n',
])(
  'the file of a bank where that of a TPP is expected is one line, which names the option: %j',
  (text) => {
    const file = written(text)
    const read = () => readTppFile(file, {})
    expect(read).toThrow(
      /^[^\n]*given\.yaml:1:1: this file describes a bank, not a TPP\. Name it with --target[^\n]*$/,
    )
  },
)

test('a member with the wrong name does not make it another file', async () => {
  const file = written('name: x\nclient: {}\naddresses: {}\n')
  await expect(readTargetFile(file, {})).rejects.toThrow(
    'client is not known. Did you mean clients?',
  )
  expect(() => readTppFile(file, {})).toThrow('client.driver is missing')
})
