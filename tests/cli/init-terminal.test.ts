import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { answersTo } from '../../cli/init-answers.ts'
import { BACK, terminal } from '../../cli/init-terminal.ts'

/** A terminal whose keys a test presses, and what it shows, without colours and movements. */
function opened() {
  const keys = new PassThrough()
  const output = Object.assign(new PassThrough(), { columns: 100, isTTY: true })
  let shown = ''
  output.on('data', (piece) => {
    shown += piece
  })
  const gone: string[] = []
  const left = () => {
    gone.push('left')
    throw new Error('left')
  }
  const asker = terminal(keys, output, left as () => never)
  return { keys, asker, shown: () => shown, gone }
}

const ask = { words: 'short name', otherwise: 'my-bank' }

test('an answer, and a default for an empty one', async () => {
  const { keys, asker } = opened()
  const first = asker.ask(ask)
  keys.write('shore\r')
  expect(await first).toBe('shore')
  const second = asker.ask(ask)
  keys.write('\r')
  expect(await second).toBe('my-bank')
  asker.close()
})

test('lines that are pasted together answer one question each', async () => {
  const { keys, asker } = opened()
  const given = { name: 'bank', layout: 'sandbox', driver: 'ask', 'client-id': 'c' }
  const asked = answersTo(given, { asker, defaults: false })
  const addresses = ['a', 'b', 'c', 'd'].map((host) => `https://${host}.example`)
  const lines = ['', '', '', ...addresses, '', 'https://tpp.example/cb', ...Array(25).fill('')]
  keys.write(`${lines.join('\r')}\r`)
  const { answers } = await asked
  expect(answers).toMatchObject({
    'sandbox-discovery-url': 'https://a.example',
    'sandbox-token-url': 'https://d.example',
    'redirect-uris': 'https://tpp.example/cb',
    'second-client': 'no',
  })
  asker.close()
})

test('a wrong answer is told, and corrected where it stands', async () => {
  const { keys, asker, shown } = opened()
  const wrong = (text: string) => (text === 'ok' ? undefined : 'is ok alone')
  const answer = asker.ask({ ...ask, wrong })
  keys.write('okk\r')
  await expect.poll(shown).toContain('This is ok alone')
  keys.write('\u007f')
  keys.write('\r')
  expect(await answer).toBe('ok')
  asker.close()
})

test.each([
  ['escape', '\u001b'],
  ['<', '<\r'],
])('%s goes one question back', async (_, key) => {
  const { keys, asker } = opened()
  const answer = asker.ask({ ...ask, wrong: () => 'is wrong' })
  keys.write(key)
  expect(await answer).toBe(BACK)
  asker.close()
})

test('of choices one is chosen by its keys', async () => {
  const { keys, asker } = opened()
  const answer = asker.ask({
    words: 'layout',
    otherwise: 'production',
    choices: ['production', 'sandbox'],
  })
  keys.write('\u001b[B')
  setTimeout(() => keys.write('\r'), 50)
  expect(await answer).toBe('sandbox')
  asker.close()
})

test.each(['\u0003', '\u0004'])('Ctrl-C and Ctrl-D end it', async (key) => {
  const { keys, asker, gone } = opened()
  void asker.ask(ask)
  expect(() => keys.emit('data', key)).toThrow('left')
  expect(gone).toEqual(['left'])
  asker.close()
})

test('what a file says is shown on one line, without what a terminal obeys', async () => {
  const { asker, shown } = opened()
  asker.say('software \u001b[31mred\nnext')
  expect(shown()).toContain('software \\u001b[31mred next')
  asker.close()
})
