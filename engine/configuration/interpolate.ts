import { dirname, resolve } from 'node:path'
import { type Document, isPair, isScalar, isSeq, type Scalar, visit } from 'yaml'
import { isUtf16, LARGEST_FILE, readPlain, withoutMark } from '../record/read-plain.ts'
import { type Path, type Source, sourceOf } from '../yaml/source.ts'
import { TargetError, throwProblems } from './target-error.ts'

export type Environment = Record<string, string | undefined>

/**
 * Reads a YAML file and fills in its values.
 *
 * @param unread gives the message for a file that cannot be read.
 * @param mistaken gives the message for a file of another kind; its values are not filled in.
 * @throws TargetError
 */
export function filledSource(
  path: string,
  env: Environment,
  unread: (error: NodeJS.ErrnoException) => string,
  mistaken: (document: Document) => string | undefined,
) {
  const wrong = (why: string) => new TargetError(path, [{ line: 1, column: 1, text: why }])
  let bytes: Buffer
  try {
    bytes = readPlain(path)
  } catch (error) {
    throw wrong(unread(error as NodeJS.ErrnoException))
  }
  if (isUtf16(bytes)) throw wrong(`the file ${IS_UTF16}`)
  const text = bytes.toString('utf8')
  const source = sourceOf(path, text)
  throwProblems(source)
  const other = mistaken(source.document)
  if (other !== undefined) throw wrong(other)
  const filled = interpolate(source, env)
  // Later validation would only report unfilled values again.
  throwProblems(source)
  return { source, filled }
}

const IS_UTF16 = 'is UTF-16. Save it as UTF-8.'

/** `$$`, or `${…}`; the last group is empty where the brace is not closed. */
const VARIABLE = /\$\$|\$\{([^}]*)(\}?)/g
const NAME_AND_DEFAULT = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

/** A variable as a shell has it. Names of secrets are upper-case; a password may begin with a dollar sign. */
const WITHOUT_BRACES = /^\$[A-Z][A-Z0-9_]+$/
const HOW = `a variable is written \${NAME}, with letters, digits and underscores. Where none is meant, write $$ for the dollar sign.`

/**
 * Fills in every string of a parsed document, in place: `${NAME}`, `${NAME:-default}`, `$$` for a dollar sign, then
 * `file:path` as the whole value, relative to the target file. Keys are not changed, and filled-in values are never
 * parsed as YAML.
 *
 * @returns paths of the values that came from elsewhere: numbers there may be written as strings.
 */
function interpolate(source: Source, env: Environment): Set<string> {
  const filled = new Set<string>()
  visit(source.document, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || typeof node.value !== 'string') return
      const path = pathTo(ancestors, node)
      if (isCredential(path) && isCut(node)) source.complain(path, CUT)
      const text = withVariables(node.value, env, source, path)
      const value = text?.startsWith('file:') ? contentOf(text.slice(5), source, path) : text
      if (value === undefined || value === node.value) return
      node.value = value
      filled.add(JSON.stringify(path))
    },
  })
  return filled
}

const CUT =
  'a space and # begin a comment: the rest of the line is not read. Put the value in quotes.'

/** True for a value in no quotes that `#` cuts. People write a space after the sign of a comment. */
const isCut = ({ value, type, comment }: Scalar) =>
  type === 'PLAIN' && /^\S/.test(comment ?? '') && !String(value).endsWith('}')

const isCredential = (path: Path) => path.at(-2) === 'credentials' || path.at(-1) === 'passphrase'

/** The text with its variables filled in; undefined if that is not possible. */
function withVariables(text: string, env: Environment, source: Source, path: Path) {
  let complete = true
  const complain = (words: string) => {
    complete = false
    source.complain(path, words)
    return ''
  }
  // A command may leave variables of its own to a shell: [sh, -c, 'echo ${1%/}'].
  const isCommand = path.at(-2) === 'command'
  if (WITHOUT_BRACES.test(text) && !isCommand) complain(HOW)
  const result = text.replace(VARIABLE, (whole, inner: string | undefined, end: string) => {
    if (inner === undefined) return '$'
    const [, name, otherwise] = NAME_AND_DEFAULT.exec(inner) ?? []
    if (name === undefined || end === '') return isCommand ? whole : complain(HOW)
    if (otherwise?.includes('${')) {
      return complain(`the default of ${name} holds a variable, which is not read. Write a value.`)
    }
    const given = withoutLineEnd(env[name])
    const value = given || (otherwise ?? given)
    if (value !== undefined) return value
    const mend = `Set it, or write \${${name}:-default}.`
    return complain(`the environment variable ${name} is not set. ${mend}`)
  })
  return complete ? result : undefined
}

/** Files of variables from Windows leave a carriage return at the end of each. */
function withoutLineEnd(text: string | undefined): string | undefined {
  return text?.replace(/(?:\r\n?|\n)$/, '')
}

/** The content of a file: its text, PEM from its start, or base64 of binary data; undefined if it cannot be read. */
function contentOf(name: string, source: Source, path: Path): string | undefined {
  const file = resolve(dirname(source.file), name)
  try {
    const bytes = readPlain(file)
    if (isUtf16(bytes)) {
      source.complain(path, `${file} ${IS_UTF16}`)
      return undefined
    }
    const text = bytes.toString('utf8')
    const isText = !text.includes('\0') && Buffer.from(text).equals(bytes)
    if (isText) return withoutMark(text).trimEnd()
    // Attributes of a key store come before each PEM block, in the encoding of its owner's name.
    const pem = bytes.indexOf('-----BEGIN ')
    return pem < 0 ? bytes.toString('base64') : bytes.subarray(pem).toString('latin1').trimEnd()
  } catch (error) {
    const why = name.startsWith('~') ? NO_HOME : reason(error)
    source.complain(path, `${file} cannot be read: ${why}.`)
    return undefined
  }
}

const NO_HOME = `~ does not mean the home folder here. Write file:\${HOME}/`

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file. Correct the path, it is relative to the target file',
  EACCES: 'permission is denied. Let this user read it',
  EISDIR: 'it is a directory. Name a file in it',
  ENOTSUP: 'it is not a plain file but a pipe or a device. Name a file',
  EFBIG: `it is larger than ${LARGEST_FILE / 1024} KiB. Name another file`,
}

/** Why a file cannot be read, with the fix. */
export function reason(error: unknown): string {
  const { code = 'unknown reason' } = error as NodeJS.ErrnoException
  return REASONS[code] ?? `${code}. Correct the path`
}

function pathTo(ancestors: readonly unknown[], node: unknown): Path {
  return ancestors.flatMap((ancestor, index): Path => {
    if (isPair(ancestor))
      return [String(isScalar(ancestor.key) ? ancestor.key.value : ancestor.key)]
    return isSeq(ancestor) ? [ancestor.items.indexOf(ancestors[index + 1] ?? node)] : []
  })
}
