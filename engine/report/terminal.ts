import { oneLine, visible } from './escape.ts'

declare const COMMAND: unique symbol
/** A workflow command of GitHub, of which every part is escaped: github.ts makes it. */
export type WorkflowCommand = string & { readonly [COMMAND]: true }

const SHOWN: unique symbol = Symbol('shown')

/**
 * What a terminal may be given. Only this file makes any, so that a text from outside, in which a terminal may find
 * something to obey, cannot be printed as it is.
 */
export interface Shown {
  readonly [SHOWN]: string
}

/** Words of ours around texts from anywhere: each of these on one line, what a terminal would obey spelled out. */
export function shown(
  words: TemplateStringsArray,
  ...values: (string | number | Shown | undefined)[]
): Shown {
  const parts = values.map((value) =>
    typeof value === 'object' ? value[SHOWN] : oneLine(`${value}`),
  )
  return { [SHOWN]: words.map((own, at) => own + (parts[at] ?? '')).join('') }
}

/** A text from anywhere that keeps its lines. */
export function shownLines(text: string): Shown {
  return { [SHOWN]: visible(text) }
}

/** In a colour. */
export function painted(paint: (text: string) => string, text: string | Shown): Shown {
  return { [SHOWN]: paint(typeof text === 'object' ? text[SHOWN] : oneLine(text)) }
}

/** Beside each other, or below each other. */
export function joined(parts: readonly Shown[], between: string): Shown {
  return { [SHOWN]: parts.map((part) => part[SHOWN]).join(between) }
}

/** What spelled out whatever is from outside while it was put together: pages of text with colours of their own. */
export function composed(text: string): Shown {
  return { [SHOWN]: text }
}

/** Lines on the standard output. */
export function say(...lines: Shown[]): void {
  for (const line of lines) console.log(unobeyed(line))
}

/** Lines on the standard error. */
export function complain(...lines: Shown[]): void {
  for (const line of lines) console.error(unobeyed(line))
}

/** Lines on any stream, also out of a test, whose `console` belongs to its runner. */
export function write(stream: NodeJS.WritableStream, ...lines: Shown[]): void {
  for (const line of lines) stream.write(`${unobeyed(line)}\n`)
}

/** What a pipeline of GitHub is to obey. */
export function command(...commands: WorkflowCommand[]): void {
  for (const line of commands) console.log(line)
}

/** The text, in which a pipeline of GitHub finds no command (`::error …`, `##[error] …`). */
function unobeyed({ [SHOWN]: text }: Shown): string {
  if (!text.includes('::') && !text.includes('##[')) return text
  const lines = text.replaceAll('##[', '#\\u0023[').split('\n')
  const isCommand = (line: string) => line.trimStart().startsWith('::')
  return lines.map((line) => (isCommand(line) ? line.replace('::', '\\u003a:') : line)).join('\n')
}
