import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastLine, run } from '../authorisation-drivers/program.ts'
import { type Briefing, type ClientDriver, ClientTrouble } from './client.ts'

/** Exit code for a refusal: no runtime uses it for a crashed program. */
export const REFUSED = 10

/**
 * Runs a program of the TPP for each goal. The file that ASSAY_BRIEFING names contains what the program needs. Exit
 * code 0 means success and 10 a refusal, with the reason on the last line. Any other code counts as a refusal too; if
 * it looks like a crash, the words say so. A program that could not even be loaded judges nobody.
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
      const reason = reasonIn(ran.stderr)
      const words = lastLine(ran.stdout) || reason
      if (ran.ended !== 'exited') {
        throw new ClientTrouble(`${name} ${ran.ended}${words && `: ${words.slice(0, 300)}`}`)
      }
      if (isUnloaded(ran)) {
        const said = `${name} could not load the program (exit code ${ran.code})`
        throw new ClientTrouble(`${said}: ${(reason || words).slice(0, 300)}`)
      }
      if (ran.code === 0) return { end: 'done', words: words.slice(0, 500) }
      const crashed = ran.code !== REFUSED && isCrash(ran.stderr)
      const said = crashed ? `${CRASHED} (exit code ${ran.code}): ${words}` : words
      return { end: 'refused', words: said.slice(0, 500) }
    },
    async close() {},
  }
}

/** What is said of a program that looks as if it had crashed. */
export const CRASHED = 'it seems to have crashed'

/** How Node, Python, Go, Java and Ruby end a program with an uncaught error. */
const CRASHES =
  /^Node\.js v\d|^Traceback \(most recent call last\):|^panic: |^Exception in thread |\.rb:\d+:in /m

function isCrash(stderr: string): boolean {
  return CRASHES.test(stderr)
}

/** How Node, Python, Java, Ruby and a shell say that they could not load the program. */
const UNLOADED = [
  /Cannot find (?:module|package) '/,
  /: can't open file '|^ModuleNotFoundError: |\^\n(?:Syntax|Indentation|Tab)Error: /m,
  /^Error: (?:Could not find or load main class|Unable to access jarfile) |\(LoadError\)|^sh: 0: cannot open /m,
]

/** POSIX: a shell found the command and could not run it, or did not find it. */
const UNFOUND = [126, 127]

/** Did the runtime end before any of the program ran? A program that refuses may quote such words. */
function isUnloaded({ code, stderr }: { code: number | null; stderr: string }): boolean {
  if (code === null || code === 0 || code === REFUSED) return false
  return UNFOUND.includes(code) || UNLOADED.some((each) => each.test(stderr)) || isUnparsed(stderr)
}

/** Did Node's loader find the error of syntax, and not a parser that the program calls? */
function isUnparsed(stderr: string): boolean {
  const lines = stderr.split('\n')
  const error = lines.findIndex((line) => line.startsWith('SyntaxError: '))
  return error >= 0 && /\(node:internal\/(?:modules\/|vm)/.test(lines[error + 1] ?? '')
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
