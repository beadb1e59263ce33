import {
  type Document,
  type ErrorCode,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'

export type Path = (string | number)[]

/** A fault in a file. The text says what is wrong, then how to fix it. */
export interface Problem {
  line: number
  column: number
  text: string
}

/** A file as YAML: its document, and the position of each member in the text. */
export interface Source {
  file: string
  document: Document
  problems: Problem[]
  /** Records a problem at the value of a path; if it is missing, at the start of the nearest existing parent. */
  complain(path: Path, text: string): void
  /** Records a problem at the key of a path. */
  complainOfKey(path: Path, text: string): void
  /** Line and column of the value of a path, both from 1. */
  at(path: Path): { line: number; column: number }
}

/**
 * Reads YAML. If the text is not YAML, that is the first problem, and the document must not be used. The parser's
 * messages may quote a secret, so we use our own words.
 */
export function sourceOf(file: string, text: string): Source {
  const counter = new LineCounter()
  // Below 'error', the parser would print warnings that quote values.
  const document = parseDocument(text, {
    ...{ lineCounter: counter, prettyErrors: false, logLevel: 'error' },
  })
  const problems: Problem[] = []
  const position = (offset: number) => {
    const { line, col } = counter.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const note = (offset: number, words: string) => {
    problems.push({ ...position(offset), text: words })
  }
  const odd = offsetOfOddKey(document)
  if (odd !== undefined) note(odd, ODD_KEY)
  // The first error is the mistake; later ones are usually its consequences.
  else
    for (const { code, pos } of document.errors.slice(0, 1)) note(pos[0], SYNTAX[code] ?? NOT_YAML)
  let aliases = 0
  visit(document, {
    Alias(_, alias) {
      aliases += 1
      if (aliases > MOST_ALIASES) {
        note(alias.range?.[0] ?? 0, TOO_MANY)
        return visit.BREAK
      }
      if (!alias.resolve(document)) note(alias.range?.[0] ?? 0, SYNTAX.BAD_ALIAS ?? NOT_YAML)
      return undefined
    },
    Value(_, node) {
      const sign = lostSign(node)
      if (sign !== undefined)
        note(node.range?.[0] ?? 0, `a value that begins with ${sign}. ${QUOTE}`)
    },
  })
  return {
    file,
    document,
    problems,
    complain: (path, words) => note(offsetOf(document, path), words),
    complainOfKey: (path, words) => note(keyOffsetOf(document, path), words),
    at: (path) => position(offsetOf(document, path)),
  }
}

/** The offset of the first key that is an object or a list: to YAML, `{{ secret }}` is an object with such a key. */
function offsetOfOddKey(document: Document): number | undefined {
  let offset: number | undefined
  visit(document, {
    Pair(_, { key }) {
      if (!isCollection(key)) return undefined
      offset = key.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return offset
}

const ODD_KEY =
  'a key is an object or a list here. If {{ … }} is a template, fill it in first; else put the value in quotes.'

/** Aliases of aliases multiply: a file of one kilobyte can expand to 10^12 values. */
const MOST_ALIASES = 16
const TOO_MANY = `there are more than ${MOST_ALIASES} aliases. Write the values out.`

/** A value that means something in YAML, where a text was meant: without it, the value would be another one. */
function lostSign(node: Node): string | undefined {
  if (node.tag?.startsWith('!')) return '! is a tag in YAML'
  const isEmpty = isScalar(node) && node.value === null
  return isEmpty && node.anchor !== undefined ? '& is an anchor in YAML' : undefined
}

const QUOTE = 'Put it in quotes.'

const NOT_YAML = 'this is not YAML. Compare it with a file that is read.'

const SYNTAX: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'a value that begins with * is an alias in YAML. Put it in quotes.',
  BAD_DQ_ESCAPE:
    'a backslash in double quotes begins an escape. Use single quotes, or slashes in a path.',
  BAD_SCALAR_START: 'a value cannot begin with this character. Put it in quotes.',
  BAD_INDENT: 'the indentation is wrong. Members of one object stand below each other.',
  BLOCK_AS_IMPLICIT_KEY:
    'a second colon with a space after it. Put the value in quotes; write file:NAME without a space.',
  DUPLICATE_KEY: 'this key is here twice. Keep one of them.',
  MISSING_CHAR: 'a quote, bracket or colon is missing before this place. Close what was opened.',
  MULTILINE_IMPLICIT_KEY:
    'a colon with a space after it is missing, or a value goes on in the next line. Write NAME: VALUE in one line.',
  MULTIPLE_DOCS: 'a second document begins here. Keep one document in a file.',
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
  const keys = isMap(parent) ? parent.items.map(({ key }) => key).filter(isScalar) : []
  const key = keys.find(({ value }) => String(value) === String(path.at(-1)))
  return key?.range?.[0] ?? offsetOf(document, path)
}
