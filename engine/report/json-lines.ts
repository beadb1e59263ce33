/** One line of pretty-printed JSON, and the JSON Pointer of what stands on it. */
export interface JsonLine {
  text: string
  pointer: string
}

/** Lines of one body; what follows is left out. */
const MOST = 50_000

/** JSON as lines, each with its JSON Pointer; undefined when the text is none. */
export function jsonLines(text: string): JsonLine[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const lines: JsonLine[] = []
  write(lines, value, '', '', '', '')
  return lines
}

function write(
  lines: JsonLine[],
  value: unknown,
  pointer: string,
  indent: string,
  name: string,
  comma: string,
): void {
  if (lines.length > MOST) return
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : undefined
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (!entries || entries.length === 0) {
    const plain = entries ? `${open}${close}` : JSON.stringify(value)
    lines.push({ text: `${indent}${name}${plain}${comma}`, pointer })
    return
  }
  lines.push({ text: `${indent}${name}${open}`, pointer })
  for (const [i, [key, inner]] of entries.entries()) {
    write(
      lines,
      inner,
      `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      `${indent}  `,
      Array.isArray(value) ? '' : `${JSON.stringify(key)}: `,
      i < entries.length - 1 ? ',' : '',
    )
  }
  lines.push({ text: `${indent}${close}${comma}`, pointer })
}
