import { dirname, resolve } from 'node:path'
import { isPair, isScalar, isSeq, visit } from 'yaml'
import { LARGEST_FILE, readPlain } from '../record/read-plain.ts'
import { type Path, type Source, sourceOf } from '../yaml/source.ts'
import { TargetError, throwProblems } from './target-error.ts'

export type Environment = Record<string, string | undefined>

/**
 * Reads a YAML file and fills in its values.
 *
 * @param unread gives the message for a file that cannot be read.
 * @throws TargetError
 */
export function filledSource(
  path: string,
  env: Environment,
  unread: (error: NodeJS.ErrnoException) => string,
) {
  let text = ''
  try {
    text = readPlain(path).toString('utf8')
  } catch (error) {
    const why = unread(error as NodeJS.ErrnoException)
    throw new TargetError(path, [{ line: 1, column: 1, text: why }])
  }
  const source = sourceOf(path, text)
  throwProblems(source)
  const filled = interpolate(source, env)
  // Later validation would only report unfilled values again.
  throwProblems(source)
  return { source, filled }
}

const VARIABLE = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?(\}?)/g

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
      const text = withVariables(node.value, env, source, path)
      const value = text?.startsWith('file:') ? contentOf(text.slice(5), source, path) : text
      if (value === undefined || value === node.value) return
      node.value = value
      filled.add(JSON.stringify(path))
    },
  })
  return filled
}

/** The text with its variables filled in; undefined if a variable is not set. */
function withVariables(text: string, env: Environment, source: Source, path: Path) {
  let complete = true
  const result = text.replace(
    VARIABLE,
    (whole, name?: string, otherwise?: string, end?: string) => {
      if (name === undefined || end === '') return whole === '$$' ? '$' : whole
      const value = env[name] || (otherwise ?? env[name])
      if (value !== undefined) return value
      complete = false
      const mend = `Set it, or write \${${name}:-default}.`
      source.complain(path, `the environment variable ${name} is not set. ${mend}`)
      return ''
    },
  )
  return complete ? result : undefined
}

/** The content of a file: its text, PEM from its start, or base64 of binary data; undefined if it cannot be read. */
function contentOf(name: string, source: Source, path: Path): string | undefined {
  const file = resolve(dirname(source.file), name)
  try {
    const bytes = readPlain(file)
    const text = bytes.toString('utf8')
    const isText = !text.includes('\0') && Buffer.from(text).equals(bytes)
    if (isText) return text.trimEnd()
    // Attributes of a key store come before each PEM block, in the encoding of its owner's name.
    const pem = bytes.indexOf('-----BEGIN ')
    return pem < 0 ? bytes.toString('base64') : bytes.subarray(pem).toString('latin1').trimEnd()
  } catch (error) {
    source.complain(path, `${file} cannot be read: ${reason(error)}.`)
    return undefined
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file. Correct the path, it is relative to the target file',
  EACCES: 'permission is denied. Let this user read it',
  EISDIR: 'it is a directory. Name a file in it',
  ENOTSUP: 'it is no plain file but a pipe or a device. Name a file',
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
