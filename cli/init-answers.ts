import { look, textIn } from './init-look.ts'
import { type Answers, type Question, questions } from './init-questions.ts'
import type { Seen } from './init-seen.ts'
import { type Asker, BACK } from './init-terminal.ts'
import { UsageError } from './usage.ts'

/** How questions are answered. */
export interface Answering {
  /** Asks a person; absent when nobody can be asked. */
  asker?: Asker
  /** An unanswered question gets a reference to a variable or file. */
  defaults: boolean
  /** Values read before the first question; these questions are not asked. */
  settled?: Answers
  /** Values read before the first question; they are offered as defaults. */
  hints?: Answers
  /** Prints a line when nobody is asked. */
  say?: (line: string) => void
  /** The text of a file that an answer names; undefined when it cannot be read. */
  textAt?: (answer: string) => string | undefined
  /** Only this discovery document was named: if it cannot be read, the command fails. */
  strict?: boolean
}

/** What is known when a question is asked. */
interface Known {
  answers: Answers
  settled: Answers
  hints: Answers
}

/** The answers, and the flags of those that are only placeholders. */
export interface Answered {
  answers: Answers
  missing: string[]
}

/** Some defaults are only placeholders for a value that somebody must supply. */
const isPlace = (otherwise: string) => otherwise.startsWith('${') || otherwise.includes('/')

/**
 * Answers all questions that apply: from flags, then from what was read elsewhere, then by asking, else by the default.
 *
 * @throws UsageError for an invalid flag, and for a missing value when nobody can be asked.
 */
export async function answersTo(given: Answers, how: Answering): Promise<Answered> {
  const { asker, defaults, textAt = textIn } = how
  assertMeant(given)
  let known: Known = { answers: {}, settled: { ...how.settled }, hints: { ...how.hints } }
  const missing: string[] = []
  /** What was known when each question was asked, to go back one step. */
  const put: { at: number; known: Known }[] = []
  for (let at = 0; at < questions.length; at += 1) {
    const question = questions[at] as Question
    const { name, when, unasked } = question
    const { answers, settled, hints } = known
    if (when && !when(answers)) continue
    const otherwise = question.otherwise?.(answers) ?? ''
    const read = given[name] ?? settled[name]
    const isAsked = read === undefined && asker !== undefined && !unasked
    if (isAsked) put.push({ at, known: copied(known) })
    const answer = isAsked
      ? await asked(asker, question, hints[name] ?? otherwise)
      : (read ?? hints[name] ?? otherwise)
    if (answer === BACK) {
      const before = stepBack(put)
      known = before.known
      at = before.at - 1
      continue
    }
    if (read === undefined && answer === otherwise && isPlace(otherwise)) missing.push(`--${name}`)
    answers[name] = answer
    if (read === undefined && !asker && answer !== otherwise && name !== 'discovery')
      how.say?.(`  read       ${name}: ${answer}`)
    const seen = await look(name, { ...hints, ...answers }, textAt)
    if ((await heed(seen, name, known, how)) === 'again') at -= 1
  }
  if (missing.length > 0 && !asker && !defaults) {
    throw new UsageError(
      `there is no terminal to ask on. Give ${missing.join(', ')}; or --yes, which writes ` +
        'references to variables and files in their place',
    )
  }
  const places = asker
    ? missing.filter((flag) => isPlace(known.answers[flag.slice(2)] ?? ''))
    : missing
  return { answers: known.answers, missing: [...new Set(places)] }
}

/** @throws UsageError */
function assertMeant(given: Answers): void {
  for (const { name, wrong } of questions) {
    const flag = given[name]
    const complaint = flag === undefined ? undefined : wrong?.(flag)
    if (complaint) throw new UsageError(`--${name} ${complaint}, not ${JSON.stringify(flag)}`)
  }
}

const copied = ({ answers, settled, hints }: Known): Known => ({
  answers: { ...answers },
  settled: { ...settled },
  hints: { ...hints },
})

/** Goes back to the question before the last one. Its previous answer is offered. */
function stepBack(put: { at: number; known: Known }[]): { at: number; known: Known } {
  const now = put.pop() as { at: number; known: Known }
  const before = put.pop() ?? now
  const name = questions[before.at]?.name ?? ''
  const had = now.known.answers[name]
  const { known } = before
  return had === undefined
    ? before
    : { ...before, known: { ...known, hints: { ...known.hints, [name]: had } } }
}

async function asked(
  asker: Asker,
  { ask, wrong, choices }: Question,
  otherwise: string,
): Promise<string | typeof BACK> {
  return asker.ask({ words: ask, otherwise, ...(choices && { choices }), ...(wrong && { wrong }) })
}

/** Applies what was read because of an answer. `again`: the same question is asked again. */
async function heed(
  seen: Seen,
  name: string,
  known: Known,
  how: Answering,
): Promise<'again' | undefined> {
  const { settled = {}, hints = {}, offers = {}, says = [], confirm, again } = seen
  const { asker, strict, say } = how
  for (const line of says) {
    if (asker) asker.say(line)
    else if (name === 'discovery' && !(again && strict)) say?.(line)
  }
  if (again) {
    if (!asker && strict) throw new UsageError(says.join(' '))
    known.hints[name] = ''
    return asker ? 'again' : undefined
  }
  const agreed = confirm === undefined || !asker || (await asker.confirm(confirm, true)) === true
  Object.assign(known.hints, hints, asker && offers, agreed ? {} : settled)
  if (agreed) Object.assign(known.settled, settled)
  return undefined
}
