/** Characters of the longest line that is read: recorders bound bodies far below. */
export const LONGEST_LINE = 16 * 1024 * 1024

/** A line of a file; one that is longer than what is read is cut, and nothing of it is kept. */
export interface Line {
  line: string
  number: number
  cut: boolean
}

/** Lines of a text as it streams in, empty ones left out. */
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
