import { expect, test } from 'vitest'
import { harEntries } from '../../engine/recording/har-entries.ts'

async function* parts(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function entriesOf(text: string, size: number): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const { text: each } of harEntries(parts(text, size))) found.push(JSON.parse(each))
  return found
}

const ENTRIES = [
  { url: 'a', text: 'brackets ]}[{ and a "quote" \\ and a slash \\\\', list: [[1], [{ b: [] }]] },
  { url: 'é€𝄞', entries: [{ no: 'entry' }], log: { entries: [1] } },
  {},
]

const FILES = {
  compact: JSON.stringify({ log: { entries: ENTRIES } }),
  'with other members before and after': JSON.stringify({
    entries: [{ no: 'entry' }],
    other: { log: { entries: [{ no: 'entry' }] } },
    log: { pages: [{ entries: [{ no: 'entry' }] }], entries: ENTRIES, comment: 'entries' },
  }),
  pretty: JSON.stringify({ log: { version: '1.2', entries: ENTRIES } }, null, 2),
  'after a mark of the byte order': `\uFEFF${JSON.stringify({ log: { entries: ENTRIES } })}`,
}

test.each(Object.entries(FILES))('the entries of a HAR file, %s', async (_, text) => {
  for (const size of [1, 2, 3, 7, 64, 1 << 20]) {
    expect(await entriesOf(text, size)).toEqual(ENTRIES)
  }
})

test('a HAR file that ends too early gives its whole entries, and says so', async () => {
  const text = FILES.compact.slice(0, -4)
  const found: string[] = []
  const read = async () => {
    for await (const { text: each } of harEntries(parts(text, 10))) found.push(each)
  }
  await expect(read()).rejects.toThrow('ends within log.entries, after 2 whole entries')
  expect(found).toHaveLength(2)
})

test.each(['', '[]', '{"log":{}}', '{"log":{"entries":{}}}', 'hello'])(
  'what has no log.entries is not a HAR file: %s',
  async (text) => {
    await expect(entriesOf(text, 5)).rejects.toThrow('has no log.entries')
  },
)
