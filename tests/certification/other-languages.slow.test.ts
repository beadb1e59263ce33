import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { commandClient } from '../../engine/certification/command-client.ts'
import type { Goal } from '../../engine/certification/scenario.ts'
import { certified, root } from './opened.ts'

/** Clients in bash, Python and Go, written from docs/tpp.md, each where the machine has what it is written in. */

const clients = join(root, 'tests', 'certification', 'clients')
const scratch = mkdtempSync(join(tmpdir(), 'assay-languages-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

interface Language {
  name: string
  /** Programs without which it is skipped. */
  needs: string[][]
  command: string[]
  build?: string[]
}

const GO = join(scratch, 'client')

const LANGUAGES: Language[] = [
  {
    name: 'bash, curl and openssl',
    needs: [
      ['bash', '--version'],
      ['curl', '--version'],
      ['openssl', 'version'],
    ],
    command: ['bash', join(clients, 'client.sh')],
  },
  {
    name: 'Python and openssl',
    needs: [
      ['python3', '--version'],
      ['openssl', 'version'],
    ],
    command: ['python3', join(clients, 'client.py')],
  },
  {
    name: 'Go',
    needs: [['go', 'version']],
    command: [GO],
    build: ['go', 'build', '-o', GO, join(clients, 'client.go')],
  },
]

const answers = ([program = '', ...words]: string[]) => spawnSync(program, words).status === 0

/** What any client does that connects, reads and disconnects, and what no answer of the bank may lead it to. */
const JOURNEY = /^(TGEN-01\/|TGEN-03\/|CLC-|CONS-|GEN-|REG-|TREG-0|TTOK-0|TAUT-0|TAUT-13)/

/** They have no refresh token, and know one grant each for what they do. */
const BEYOND = ['CLC-21/new-token', 'REG-07/grant-types']

describe.each(LANGUAGES)('$name', ({ needs, command, build }) => {
  const missing = needs.find((need) => !answers(need))

  test.skipIf(missing)(
    missing ? `skipped: there is no ${missing[0]}` : 'connects, reads and disconnects',
    { timeout: 300_000 },
    async () => {
      if (build) {
        const [program = '', ...words] = build
        const env = { ...process.env, GOCACHE: join(scratch, 'cache'), GO111MODULE: 'off' }
        const built = spawnSync(program, words, { env, encoding: 'utf8' })
        expect([built.status, built.stderr]).toEqual([0, ''])
      }
      const client = commandClient({ command, base: root, patience: 60_000 })
      const goals: Goal[] = ['connect', 'read', 'disconnect']
      const selected = (id: string) => JOURNEY.test(id) && !BEYOND.includes(id)
      const { results } = await certified(client, { goals, selected, parallel: 2 })
      const wrong = [...results.values()]
        .filter(({ outcome }) => outcome === 'fail' || outcome === 'blocked')
        .map(({ id, outcome, message }) => `${outcome} ${id}: ${message}`)
      expect(wrong).toEqual([])
      expect(results.get('TGEN-01/reads-everything')).toMatchObject({ outcome: 'pass' })
    },
  )
})
