import { dirname, resolve } from 'node:path'
import { isPair, isScalar, isSeq, visit } from 'yaml'
import { LARGEST_FILE, readPlain } from '../record/read-plain.ts'
import type { Path, Source } from '../yaml/source.ts'

const VARIABLE = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Fills in every text of a parsed document, in place: `${NAME}`, `${NAME:-default}`, `$$` for a
 * dollar sign, then `file:path` as the whole value, relative to the target file. Keys stay as they
 * are, and what is filled in is never parsed as YAML.
 *
 * @returns paths of the values that came from elsewhere: a number there may be spelled as text.
 */
export function interpolate(source: Source, env: Record<string, string | undefined>): Set<string> {
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

function withVariables(
  text: string,
  env: Record<string, string | undefined>,
  source: Source,
  path: Path,
): string | undefined {
  let complete = true
  const result = text.replace(VARIABLE, (whole, name?: string, otherwise?: string) => {
    if (name === undefined) return whole === '$$' ? '$' : whole
    const value = env[name]
    if (value !== undefined && (value !== '' || otherwise === undefined)) return value
    if (otherwise !== undefined) return otherwise
    complete = false
    const words = `the environment variable ${name} is not set. Set it, or write \${${name}:-default}.`
    source.complain(path, words)
    return ''
  })
  return complete ? result : undefined
}

function contentOf(name: string, source: Source, path: Path): string | undefined {
  const file = resolve(dirname(source.file), name)
  let bytes: Buffer
  try {
    bytes = readPlain(file)
  } catch (error) {
    source.complain(path, `${file} cannot be read: ${reason(error)}.`)
    return undefined
  }
  const text = bytes.toString('utf8')
  if (text.includes('\0') || !Buffer.from(text).equals(bytes)) return bytes.toString('base64')
  return text.trimEnd()
}

/** Why a file cannot be read, with the mend. */
export function reason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT')
    return 'there is no such file. Correct the path, it is relative to the target file'
  if (code === 'EACCES') return 'permission is denied. Let this user read it'
  if (code === 'EISDIR') return 'it is a directory. Name a file in it'
  if (code === 'ENOTSUP') return 'it is no plain file but a pipe or a device. Name a file'
  if (code === 'EFBIG') return `it is larger than ${LARGEST_FILE / 1024} KiB. Name another file`
  return `${code ?? 'unknown reason'}. Correct the path`
}

function pathTo(ancestors: readonly unknown[], node: unknown): Path {
  return ancestors.flatMap((ancestor, index): Path => {
    if (isPair(ancestor))
      return [String(isScalar(ancestor.key) ? ancestor.key.value : ancestor.key)]
    return isSeq(ancestor) ? [ancestor.items.indexOf(ancestors[index + 1] ?? node)] : []
  })
}
