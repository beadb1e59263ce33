import { oneLine, visible } from './escape.ts'

declare const COMMAND: unique symbol
/** A workflow command of GitHub with every part escaped; github.ts makes it. */
export type WorkflowCommand = string & { readonly [COMMAND]: true }

const SHOWN: unique symbol = Symbol('shown')

/**
 * Text that is safe for a terminal. Only this file creates it, so that a text from outside, which may contain control
 * sequences, cannot be printed unescaped.
 */
export interface Shown {
  readonly [SHOWN]: string
}

/** Own words around arbitrary texts: each text is on one line, and control characters are spelled out. */
export function shown(
  words: TemplateStringsArray,
  ...values: (string | number | Shown | undefined)[]
): Shown {
  const parts = values.map((value) =>
    typeof value === 'object' ? value[SHOWN] : oneLine(`${value}`),
  )
  return { [SHOWN]: words.map((own, at) => own + (parts[at] ?? '')).join('') }
}

/** An arbitrary text that keeps its lines. */
export function shownLines(text: string): Shown {
  return { [SHOWN]: visible(text) }
}

/** Text in a colour. */
export function painted(paint: (text: string) => string, text: string | Shown): Shown {
  return { [SHOWN]: paint(typeof text === 'object' ? text[SHOWN] : oneLine(text)) }
}

/** Joins parts with a separator. */
export function joined(parts: readonly Shown[], between: string): Shown {
  return { [SHOWN]: parts.map((part) => part[SHOWN]).join(between) }
}

/** Text whose parts from outside were escaped while it was composed: pages of text with their own colours. */
export function composed(text: string): Shown {
  return { [SHOWN]: text }
}

/** Prints lines on standard output. */
export function say(...lines: Shown[]): void {
  for (const line of lines) console.log(unobeyed(line))
}

/** Prints lines on standard error. */
export function complain(...lines: Shown[]): void {
  for (const line of lines) console.error(unobeyed(line))
}

/** Writes lines to any stream, also from a test, whose `console` belongs to its runner. */
export function write(stream: NodeJS.WritableStream, ...lines: Shown[]): void {
  for (const line of lines) stream.write(`${unobeyed(line)}\n`)
}

/** Prints commands for a GitHub pipeline. */
export function command(...commands: WorkflowCommand[]): void {
  for (const line of commands) console.log(line)
}

/** The text changed so that a GitHub pipeline finds no command in it (`::error …`, `##[error] …`). */
function unobeyed({ [SHOWN]: text }: Shown): string {
  if (!text.includes('::') && !text.includes('##[')) return text
  const lines = text.replaceAll('##[', '#\\u0023[').split('\n')
  const isCommand = (line: string) => line.trimStart().startsWith('::')
  return lines.map((line) => (isCommand(line) ? line.replace('::', '\\u003a:') : line)).join('\n')
}
