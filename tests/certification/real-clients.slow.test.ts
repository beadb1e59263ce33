import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import type { ClientDriver } from '../../engine/certification/client.ts'
import { commandClient, environmentOf } from '../../engine/certification/command-client.ts'
import type { Goal } from '../../engine/certification/scenario.ts'
import { readTppFile } from '../../engine/certification/tpp-file.ts'
import { oauth4webapiClient } from './oauth4webapi-client.ts'
import { certified, root } from './opened.ts'

/** Everything about ID tokens, token responses and what comes back from the page, and the correct bank. */
const login = (id: string) =>
  /^(TGEN-01\/reads-everything|TIDT-|TAUT-12|TAUT-13|TTOK-14|TTOK-16)/.test(id)

/** Members that the document does not require, and both libraries do: RFC 6749 5.1, OpenID Connect Core 3.3.3.3. */
const insists = ['TTOK-14/no-id-token', 'TTOK-14/no-token-type']

/** What a client did otherwise than it should. */
const otherwise = (results: Awaited<ReturnType<typeof certified>>['results']) =>
  [...results.values()]
    .filter(({ id, outcome }) => !(insists.includes(id) && outcome === 'warn'))
    .filter(({ outcome }) => !['pass', 'observed', 'not-applicable'].includes(outcome))
    .map(({ id, outcome, message, actual }) => `${outcome} ${id}: ${message} ${actual ?? ''}`)

/** What a thread answers: whether the program was content, and what it said of it. */
interface Ended {
  content: boolean
  words: string
}

/** Begins the program again for each goal; what the program imports stays. */
const BEGINS = `
  const { parentPort, workerData } = require('node:worker_threads')
  let goals = 0
  let words = ''
  console.error = (text) => { words += text + '\\n' }
  parentPort.on('message', async (env) => {
    Object.assign(process.env, env)
    process.exitCode = 0
    words = ''
    await import(workerData + '?' + (goals += 1)).catch(console.error)
    parentPort.postMessage({ content: !process.exitCode && words === '', words })
  })`

/** A program in threads that stay: each goal begins it in a tenth of the time of a process. */
function inThreads(file: string): ClientDriver {
  const idle: Worker[] = []
  const all: Worker[] = []
  const begin = () => {
    const workerData = pathToFileURL(file).href
    const thread = new Worker(BEGINS, { eval: true, env: { ...process.env }, workerData })
    all.push(thread)
    return thread
  }
  return {
    async pursue(briefing) {
      const thread = idle.pop() ?? begin()
      thread.postMessage(environmentOf(briefing))
      const [{ content, words }] = (await once(thread, 'message')) as [Ended]
      idle.push(thread)
      return { end: content ? 'done' : 'refused', words: words.trim().slice(0, 500) }
    },
    async close() {
      await Promise.all(all.map((thread) => thread.terminate()))
    },
  }
}

describe('openid-client, by docs/example-client.mjs', () => {
  const { document, base, goals } = readTppFile(join(root, 'docs', 'example-tpp.yaml'))
  const { client } = document
  if (client.driver !== 'command') throw new TypeError('the example is a program')
  const { command } = client
  const driver = () => inThreads(join(base, command.at(-1) ?? ''))

  test('reads from the correct bank as the example starts it', async () => {
    const program = commandClient({ command, base, patience: 60_000 })
    const selected = (id: string) => id === 'TGEN-01/reads-everything'
    const { results } = await certified(program, { goals, selected, parallel: 1 })
    expect(results.get('TGEN-01/reads-everything')).toMatchObject({ outcome: 'pass', message: '' })
  }, 300_000)

  test('reads from the correct bank, and refuses every answer that it should', async () => {
    const { results } = await certified(driver(), { goals, selected: login, parallel: 2 })
    expect(otherwise(results)).toEqual([])
    expect(results.get('TGEN-01/reads-everything')?.outcome).toBe('pass')
    for (const id of insists) expect(results.get(id)?.outcome).toBe('warn')
    expect(results.size).toBeGreaterThan(25)
  }, 300_000)

  test('disconnects, re-confirms, refreshes; sends nothing that a rule forbids', async () => {
    const wanted =
      /^(TGEN-|CLC-|TAUT-|TTOK-1[0-3]|TCON-0[1-6]|GEN-|CONS-|DATA-|PROD-|REG-|TREG-|TTOK-0|TRES-04)/
    const selected = (id: string) => wanted.test(id) && !/^TAUT-1[234]/.test(id)
    const { results } = await certified(driver(), { goals, selected, parallel: 2 })
    expect(otherwise(results)).toEqual([])
  }, 300_000)
})

describe('oauth4webapi', () => {
  test('reads from the correct bank; what it leaves to its caller is known', async () => {
    const goals: Goal[] = ['connect']
    const { results } = await certified(oauth4webapiClient, { goals, selected: login, parallel: 2 })
    expect(results.get('TGEN-01/reads-everything')).toMatchObject({ outcome: 'pass', message: '' })
    const known = [...results.values()]
      .filter(({ outcome }) => outcome === 'warn')
      .map(({ id }) => id)
    // Which consent an ID token is for, and that both are for one customer, its caller compares.
    expect(known.sort()).toEqual([
      'TIDT-09/intent',
      'TIDT-09/intent-from-token-endpoint',
      'TIDT-11/subject',
      ...insists,
    ])
    expect([...results.values()].filter(({ outcome }) => outcome === 'fail')).toEqual([])
  }, 300_000)
})
