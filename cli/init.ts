import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { makeFolder } from '../engine/record/make-folder.ts'
import { ASSAY, word } from '../engine/record/program.ts'
import { root } from '../engine/record/root.ts'
import { writeWhole } from '../engine/record/write-whole.ts'
import { complain, shown, shownLines, write } from '../engine/report/terminal.ts'
import { answersTo } from './init-answers.ts'
import { targetFile, variablesOf } from './init-file.ts'
import { BESIDE, type Beginning, beginningFrom } from './init-from.ts'
import { softwareOf, statementAt, textIn } from './init-look.ts'
import { type Answers, questions } from './init-questions.ts'
import { type Asker, BACK, terminal } from './init-terminal.ts'
import { UsageError, written as writtenTo } from './usage.ts'

export type InitOptions = {
  out?: string
  from?: string
  force?: boolean
  yes?: boolean
} & Record<string, unknown>

/** May an existing file be overwritten? */
type Overwrites = (file: string) => Promise<boolean>

const NO_PLACE =
  'the file of --from holds certificates or keys, which are written beside the target: give --out FILE'

const NOTHING: Beginning = { says: [], settled: {}, hints: {}, beside: [] }

/** The person ended the dialogue; nothing was written. */
function left(): never {
  process.stderr.write('\u001b[?25h\n')
  process.exit(130)
}

/** `assay init`: asks on standard error, so that the file can go to standard output. */
export async function init(options: InitOptions): Promise<void> {
  if (options.out !== undefined) assertFree(options.out, options.force)
  const beginning = options.from === undefined ? NOTHING : beginningFrom(options.from)
  const asks = !options.yes && process.stdin.isTTY === true
  const noPlace = options.out === undefined && !(asks && process.stdout.isTTY)
  if (beginning.beside.length > 0 && noPlace) throw new UsageError(NO_PLACE)
  const asker = asks ? terminal(process.stdin, process.stderr, left) : undefined
  const say = (line: string) => complain(shown`${line}`)
  try {
    if (asker) asker.say('Escape, or < and Enter, goes one question back.')
    for (const line of beginning.says) asker ? asker.say(line) : say(line)
    const { answers, missing } = await answersTo(givenBy(options), {
      asker,
      defaults: options.yes === true,
      settled: beginning.settled,
      hints: beginning.hints,
      say,
      textAt: (answer) => textOf(answer, beginning),
      strict: beginning.hints.discovery === options.from,
    })
    const out = options.out ?? (asker && (await askedOut(asker, answers, beginning, options.force)))
    const overwrites = async (file: string) =>
      options.force === true ||
      (await asker?.confirm(`${file} is there. Overwrite it?`, false)) === true
    const yaml = await writtenTo('--out', out ?? '', () =>
      written(answers, out, beginning, overwrites),
    )
    const variables = variablesOf(yaml)
    if (variables.length > 0) complain(shown`Set these variables: ${variables.join(', ')}`)
    if (options.from !== undefined && missing.length > 0) {
      complain(
        shown`Not found anywhere: ${missing.join(', ')}. Give them, or write the values into the file.`,
      )
    }
    const runs = asker && out !== undefined && (await wantsDoctor(asker, variables))
    if (!runs) return complain(shown`Next: ${ASSAY} doctor --target ${word(out ?? 'FILE')}`)
    asker.close()
    await (await import('./doctor.ts')).doctor({ target: out })
  } finally {
    asker?.close()
  }
}

/** The text of a file that an answer names, including a file that is not written yet. */
function textOf(answer: string, { beside }: Beginning): string | undefined {
  if (!answer.startsWith(BESIDE)) return textIn(answer)
  return beside.find(({ name }) => answer === `${BESIDE}${name}`)?.text
}

function assertFree(out: string, force: boolean | undefined): void {
  if (!force && existsSync(resolve(out))) {
    throw new UsageError(`${out} is there already; --force overwrites it`)
  }
}

/** Where the file goes; undefined: to standard output, when it is redirected. */
async function askedOut(
  asker: Asker,
  { name }: Answers,
  { beside }: Beginning,
  force: boolean | undefined,
): Promise<string | undefined> {
  if (!process.stdout.isTTY) return undefined
  for (;;) {
    const answer = await asker.ask({
      words: beside.length > 0 ? 'file to write' : 'file to write; -: show it here',
      otherwise: `${name}.yaml`,
      wrong(file) {
        if (file === '-' && beside.length > 0) return 'has keys beside it: name a file'
        return !force && existsSync(resolve(file)) ? 'is there already' : undefined
      },
    })
    if (answer === '-') return undefined
    if (answer !== BACK) return answer
  }
}

async function wantsDoctor(asker: Asker, variables: readonly string[]): Promise<boolean> {
  const unset = variables.filter((name) => !process.env[name])
  if (unset.length > 0) return false
  const words = 'Run the doctor now? It sends a few requests to the bank'
  return (await asker.confirm(words, true)) === true
}

/** Writes the target file, and beside it what must not be in it. Returns the text of the target file. */
async function written(
  given: Answers,
  out: string | undefined,
  beginning: Beginning,
  overwrites: Overwrites,
): Promise<string> {
  const folder = out === undefined ? process.cwd() : dirname(resolve(out))
  const answers = await besideAt(given, folder, beginning, overwrites)
  const schema = relative(folder, join(root, 'schemas', 'assay', 'target.schema.json'))
  const claims = ['', 'second-'].map((prefix) => statementAt(answers[`${prefix}statement`]))
  const software = claims.map((each) => (each ? softwareOf(each) : undefined))
  const yaml = targetFile(answers, { folder, schema: schema.replaceAll('\\', '/'), software })
  if (out === undefined) {
    write(process.stdout, shownLines(yaml.trimEnd()))
  } else {
    makeFolder(folder)
    writeFileSync(out, yaml)
  }
  return yaml
}

/**
 * Writes keys, certificates and statements from another program's file into a folder that only the user can read, and
 * answers the questions that name them.
 *
 * @throws UsageError when such files exist and may not be overwritten
 */
async function besideAt(
  given: Answers,
  folder: string,
  { beside }: Beginning,
  overwrites: Overwrites,
): Promise<Answers> {
  const wanted = beside.filter(({ name }) => Object.values(given).includes(`${BESIDE}${name}`))
  if (wanted.length === 0) return given
  const place = join(folder, given.name ?? 'bank')
  const at = (name: string) => relative(process.cwd(), join(place, name))
  const taken = wanted.map(({ name }) => at(name)).find((file) => existsSync(file))
  if (taken !== undefined && !(await overwrites(taken))) {
    throw new UsageError(
      `${taken} is there already: name the bank otherwise with --name, or overwrite it with --force`,
    )
  }
  if (!existsSync(place)) {
    makeFolder(place, 0o700)
    writeFileSync(join(place, '.gitignore'), '*\n')
  }
  for (const { name, text, member } of wanted) {
    writeWhole(join(place, name), text, 0o600)
    complain(shown`  written    ${member}: ${at(name)}, mode 600`)
  }
  const answers = Object.entries(given).map(([question, value]) => {
    return [question, value.startsWith(BESIDE) ? at(value.slice(BESIDE.length)) : value]
  })
  return Object.fromEntries(answers)
}

/** The values of the flags; commander changes base-url to baseUrl. */
function givenBy(options: InitOptions): Answers {
  const given: Answers = {}
  for (const { name } of questions) {
    const value = options[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    if (typeof value === 'string') given[name] = value
  }
  // A flag about the second client or customer implies that there is one.
  const has = (pattern: RegExp) => Object.keys(given).some((name) => pattern.test(name))
  return {
    ...(has(SECOND_CUSTOMER) && { 'second-customer': 'yes' }),
    ...(has(SECOND_CLIENT) && { 'second-client': 'yes' }),
    ...given,
  }
}

const SECOND_CUSTOMER = /^second-(customer-variable|password-variable|accounts|card-ending)$/
const SECOND_CLIENT = /^second-(?!customer|password|accounts|card|client$)/
