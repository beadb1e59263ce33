import {
  type Document,
  type ErrorCode,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'
import { type Problem, TargetError } from './target-error.ts'

export type Path = (string | number)[]

/** A target file as YAML: its document, and where in the text each member stands. */
export interface Source {
  file: string
  document: Document
  problems: Problem[]
  /** Notes a problem at the value of a path, or where the nearest parent that exists begins. */
  complain(path: Path, text: string): void
  /** Notes a problem at the key of a path. */
  complainOfKey(path: Path, text: string): void
  /** Throws when anything was noted. */
  throwIfAny(): void
}

/**
 * Reads YAML.
 *
 * @throws TargetError when the text is not YAML; the messages of the parser may quote a secret, so
 * they are said in our own words.
 */
export function sourceOf(file: string, text: string): Source {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
  const problems: Problem[] = []
  const note = (offset: number, words: string) => {
    const { line, col } = counter.linePos(offset)
    problems.push({ line: Math.max(line, 1), column: Math.max(col, 1), text: words })
  }
  const throwIfAny = () => {
    if (problems.length > 0) throw new TargetError(file, problems)
  }
  // The first error is the mistake; those behind it are mostly its consequences.
  for (const { code, pos } of document.errors.slice(0, 1)) note(pos[0], SYNTAX[code] ?? NOT_YAML)
  visit(document, {
    Alias(_, alias) {
      if (!alias.resolve(document)) note(alias.range?.[0] ?? 0, SYNTAX.BAD_ALIAS ?? NOT_YAML)
    },
  })
  throwIfAny()
  return {
    file,
    document,
    problems,
    complain: (path, words) => note(offsetOf(document, path), words),
    complainOfKey: (path, words) => note(keyOffsetOf(document, path), words),
    throwIfAny,
  }
}

const NOT_YAML = 'this is not YAML. Compare it with config/example.staging.yaml.'

const SYNTAX: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'a value that begins with * is an alias in YAML. Put it in quotes.',
  BAD_INDENT: 'the indentation is wrong. Members of one object stand below each other.',
  DUPLICATE_KEY: 'this key is here twice. Keep one of them.',
  MISSING_CHAR: 'a quote, bracket or colon is missing before this place. Close what was opened.',
  MULTIPLE_DOCS: 'a second document begins here. Keep one document in a target file.',
  TAB_AS_INDENT: 'a tab is no indentation in YAML. Use spaces.',
  UNEXPECTED_TOKEN: 'this is not expected here. Put a text with special characters in quotes.',
}

function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    const offset = (node as Node | undefined | null)?.range?.[0]
    if (offset !== undefined) return offset
  }
  return 0
}

function keyOffsetOf(document: Document, path: Path): number {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents
  const key = path.at(-1)
  if (!isMap(parent)) return offsetOf(document, path)
  for (const pair of parent.items) {
    if (!isPair(pair) || !isScalar(pair.key) || String(pair.key.value) !== String(key)) continue
    const offset = pair.key.range?.[0]
    if (offset !== undefined) return offset
  }
  return offsetOf(document, path)
}
