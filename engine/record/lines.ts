/** Maximum length of a line that is read, in characters: recorders truncate bodies far below this. */
export const LONGEST_LINE = 16 * 1024 * 1024

/** A line of a file; a line over the limit is marked as cut, and its content is dropped. */
export interface Line {
  line: string
  number: number
  cut: boolean
}

/** Splits streamed text into lines and skips empty lines. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let line = ''
  let length = 0
  let number = 1
  const ended = () => ({ line, number, cut: length > LONGEST_LINE })
  for await (const chunk of chunks) {
    for (const [i, part] of chunk.split('\n').entries()) {
      if (i > 0) {
        if (length > 0) yield ended()
        line = ''
        length = 0
        number += 1
      }
      length += part.length
      line = length > LONGEST_LINE ? '' : line + part
    }
  }
  if (length > 0) yield ended()
}
