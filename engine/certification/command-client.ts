import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastLine, run } from '../authorisation-drivers/program.ts'
import { type Briefing, type ClientDriver, ClientTrouble } from './client.ts'

/** Exit code for a refusal: no runtime uses it for a crashed program. */
export const REFUSED = 10

/**
 * Runs a program of the TPP for each goal. The file that ASSAY_BRIEFING names contains what the program needs. Exit
 * code 0 means success and 10 a refusal, with the reason on the last line. Any other code counts as a refusal too; if
 * it looks like a crash, the words say so.
 */
export function commandClient(options: {
  command: string[]
  /** Folder of the program, which is also its working directory. */
  base: string
  /** Time limit for one goal, in milliseconds. */
  patience: number
  signal?: AbortSignal
}): ClientDriver {
  const { command, base, patience, signal } = options
  const [name = ''] = command
  return {
    async pursue(briefing) {
      const env = environmentOf(briefing)
      const ran = await run({ command, base, patience, signal, env, talkative: true })
      const words = lastLine(ran.stdout) || reasonIn(ran.stderr)
      if (ran.ended !== 'exited') {
        throw new ClientTrouble(`${name} ${ran.ended}${words && `: ${words.slice(0, 300)}`}`)
      }
      if (ran.code === 0) return { end: 'done', words: words.slice(0, 500) }
      const crashed = ran.code !== REFUSED && isCrash(ran.stderr)
      const said = crashed ? `it seems to have crashed (exit code ${ran.code}): ${words}` : words
      return { end: 'refused', words: said.slice(0, 500) }
    },
    async close() {},
  }
}

/** How Node, Python, Go, Java and Ruby end a program with an uncaught error. */
const CRASHES =
  /^Node\.js v\d|^Traceback \(most recent call last\):|^panic: |^Exception in thread |\.rb:\d+:in /m

function isCrash(stderr: string): boolean {
  return CRASHES.test(stderr)
}

/** The last line, or for a crashed Node program the line that names the error. */
function reasonIn(stderr: string): string {
  const last = lastLine(stderr)
  if (!last.startsWith('Node.js v')) return last
  const error = stderr.split('\n').find((line) => /^\s*(\w*Error|Uncaught)\b/.test(line))
  return error?.trim() ?? last
}

/** Writes the credentials as files and the briefing that names them; returns the environment of the program. */
export function environmentOf(briefing: Briefing): Record<string, string> {
  const { folder, bank, client, customer, goal, scenario } = briefing
  const credentials = join(folder, 'credentials')
  const state = join(folder, 'state')
  for (const each of [credentials, state]) mkdirSync(each, { recursive: true })
  const file = (name: string, text: string) => {
    const path = join(credentials, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const { transport, signing, softwareStatement, ...rest } = client
  const told = {
    ...briefing,
    folder: undefined,
    state,
    bank: { ...bank, trust: file('ca.pem', bank.trust.join('')) },
    client: {
      ...rest,
      ...(transport && {
        transport: {
          certificate: file('transport.pem', transport.certificate),
          key: file('transport.key', transport.key),
        },
      }),
      ...(signing && { signing: { key: file('signing.key', signing.key), kid: signing.kid } }),
      softwareStatement: file('software-statement.jwt', softwareStatement),
    },
  }
  return {
    ASSAY_BRIEFING: file('briefing.json', JSON.stringify(told, null, 2)),
    ASSAY_GOAL: goal,
    ASSAY_SCENARIO: scenario.id,
    ASSAY_DISCOVERY: bank.discovery,
    ASSAY_CUSTOMER: customer.visit,
    ASSAY_STATE: state,
    NODE_EXTRA_CA_CERTS: join(credentials, 'ca.pem'),
  }
}
