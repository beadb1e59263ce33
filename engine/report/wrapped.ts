import { oneLine } from './escape.ts'

/** A text on lines of at most `width` characters, broken between words; lines after the first indented. */
export function wrapped(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of oneLine(text).split(' ')) {
    let rest = word
    const start = () => (lines.length === 0 ? '' : indent)
    if (line !== '' && start().length + line.length + 1 + rest.length > width) {
      lines.push(start() + line)
      line = ''
    } else if (line !== '') {
      line += ` ${rest}`
      continue
    }
    // A word that is longer than a line is broken where the line ends.
    while (start().length + rest.length > width) {
      const fits = Math.max(1, width - start().length)
      lines.push(start() + rest.slice(0, fits))
      rest = rest.slice(fits)
    }
    line = rest
  }
  return [...lines, (lines.length === 0 ? '' : indent) + line]
}
