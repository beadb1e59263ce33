import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { makeFolder } from '../engine/record/make-folder.ts'
import { root } from '../engine/record/root.ts'
import { complain, say, shown, shownLines, write } from '../engine/report/terminal.ts'
import { targetFile, variablesOf } from './init-file.ts'
import { type Answers, type Question, questions } from './init-questions.ts'
import { UsageError } from './usage.ts'

export type InitOptions = { out?: string; force?: boolean; yes?: boolean } & Record<string, unknown>

/** Someone who answers questions. */
export interface Asker {
  ask(question: string): Promise<string>
  say(line: string): void
  close(): void
}

/** `assay init`: questions go to standard error, so that the file may go to standard output. */
export async function init(options: InitOptions): Promise<void> {
  const out = options.out === undefined ? undefined : resolve(options.out)
  if (out !== undefined && existsSync(out) && !options.force) {
    throw new UsageError(`${options.out} is there already; --force overwrites it`)
  }
  const asker = options.yes || !process.stdin.isTTY ? undefined : terminal()
  let answers: Answers
  try {
    answers = await answersTo(givenBy(options), { asker, defaults: options.yes === true })
  } finally {
    asker?.close()
  }
  const folder = out === undefined ? process.cwd() : dirname(out)
  const schema = relative(folder, join(root, 'schemas', 'assay', 'target.schema.json'))
  const yaml = targetFile(answers, { folder, schema: schema.replaceAll('\\', '/') })
  if (out === undefined) {
    write(process.stdout, shownLines(yaml.trimEnd()))
  } else {
    makeFolder(folder)
    writeFileSync(out, yaml)
  }
  const variables = variablesOf(yaml)
  if (variables.length > 0) complain(shown`Set these variables: ${variables.join(', ')}`)
  complain(shown`Next: assay doctor --target ${options.out ?? 'FILE'}`)
}

/** What flags say; commander spells base-url baseUrl. */
function givenBy(options: InitOptions): Answers {
  const given: Answers = {}
  for (const { name } of questions) {
    const value = options[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    if (typeof value === 'string') given[name] = value
  }
  // A flag of the second client says that there is one.
  const second = Object.keys(given).some((name) => name.startsWith('second-'))
  return second ? { 'second-client': 'yes', ...given } : given
}

/**
 * Answers to all questions that apply: from flags, then from whoever can be asked, else the default.
 *
 * @throws UsageError for a flag that cannot be meant, and for what is missing where nobody is asked.
 */
export async function answersTo(
  given: Answers,
  { asker, defaults }: { asker?: Asker; defaults: boolean },
): Promise<Answers> {
  const answers: Answers = {}
  const missing: string[] = []
  for (const question of questions) {
    const { name, when, wrong } = question
    if (when && !when(answers)) continue
    const flag = given[name]
    const complaint = flag === undefined ? undefined : wrong?.(flag)
    if (complaint) throw new UsageError(`--${name} ${complaint}, not ${JSON.stringify(flag)}`)
    const otherwise = question.otherwise?.(answers) ?? ''
    answers[name] = flag ?? (asker ? await asked(asker, question, otherwise) : otherwise)
    // Some defaults are only a place for a value that somebody must give.
    const needed = otherwise.startsWith('${') || otherwise.includes('/')
    if (flag === undefined && !asker && !defaults && needed) missing.push(`--${name}`)
  }
  if (missing.length > 0) {
    throw new UsageError(
      `there is no terminal to ask on. Give ${missing.join(', ')}; or --yes, which writes ` +
        'references to variables and files in their place',
    )
  }
  return answers
}

async function asked(asker: Asker, { ask, wrong }: Question, otherwise: string): Promise<string> {
  for (;;) {
    const shown = otherwise === '' ? '' : ` [${otherwise}]`
    const answer = (await asker.ask(`${ask}${shown}: `)).trim() || otherwise
    const complaint = wrong?.(answer)
    if (!complaint) return answer
    asker.say(`  this ${complaint}`)
  }
}

/** A person at the terminal. Lines that were typed ahead, or pasted together, all count. */
function terminal(): Asker {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const typed = lines[Symbol.asyncIterator]()
  return {
    async ask(question) {
      lines.setPrompt(question)
      lines.prompt()
      const { value, done } = await typed.next()
      // Ctrl-C or Ctrl-D: nobody answers any more, and nothing was written.
      if (done) process.exit(130)
      return value
    },
    say: (line) => complain(shownLines(line)),
    close: () => lines.close(),
  }
}

const tppFile = (name: string, schema: string) => `# yaml-language-server: $schema=${schema}
# The client that assay tpp judges. docs/tpp.md says what each member means.
name: ${name}
client:
  driver: command
  # Started once for each goal. It reads the file that ASSAY_BRIEFING names; exit code 0 says "I have
  # what I was asked for", any other "I refused", with the reason on its last line.
  command: [node, my-client.mjs]
  timeout: 30
# What it can do; take out what it cannot.
goals: [connect, read, reconfirm, disconnect, confirm-funds, products]
# Its own redirect URIs and public keys, where it has them:
# redirectUris: [https://tpp.example/callback]
# jwks: my-jwks.json
# transport: my-transport.pem
`

/** `assay init --tpp`: writes a file that describes a client. */
export function initTpp(path: string): void {
  if (existsSync(path)) throw new UsageError(`${path} is there already. Name another file.`)
  const name = basename(path).replace(/\.ya?ml$/, '')
  const schema = join(root, 'schemas', 'assay', 'tpp.schema.json')
  const place = relative(dirname(resolve(path)), schema)
  writeFileSync(path, tppFile(/^[A-Za-z0-9]/.test(name) ? name : 'my-tpp', place))
  const example = relative(process.cwd(), join(root, 'docs', 'example-client.mjs'))
  say(shown`${path} is written. Name your program in it; ${example} is an example.`)
  say(shown`then  assay doctor --tpp ${path}`)
  say(shown`and   assay tpp --tpp ${path}`)
}
