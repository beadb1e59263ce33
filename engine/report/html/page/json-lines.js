/**
 * Lines of pretty-printed JSON, each with the JSON Pointer of what it shows; undefined when it is none.
 * Works on text that was cut as well.
 */
export function jsonLines(text) {
  if (!/^\s*[{[]/.test(text)) return undefined
  const lines = []
  const stack = []
  const push = (words, pointer, end) =>
    lines.push({ text: '  '.repeat(stack.length) + words, pointer, end })
  let cut = false
  for (const [word] of text.matchAll(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[{}[\],]|[^\s{}[\],:"]+/g)) {
    const top = stack.at(-1)
    if (word === '}' || word === ']') {
      if (top?.array !== (word === ']')) return undefined
      stack.pop()
      if (lines.length - 1 === top.line) lines[top.line].text += word
      else push(word, top.pointer, true)
    } else if (word === ',') {
      if (!top) return undefined
      lines.at(-1).text += ','
      top.at += 1
      top.key = undefined
    } else if (top && !top.array && top.key === undefined && word[0] === '"') {
      top.key = word
    } else {
      const member = top && String(top.array ? top.at : unquoted(top.key ?? ''))
      const step = top && `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`
      const pointer = top ? top.pointer + step : ''
      const opens = word === '{' || word === '['
      if (cut && !opens) return undefined
      cut ||= !opens && word[0] !== '"' && !/^(true|false|null|-?[0-9.eE+-]+)$/.test(word)
      push(top?.key ? `${top.key}: ${word}` : word, pointer)
      if (top) top.key = ''
      if (opens) stack.push({ pointer, array: word === '[', at: 0, line: lines.length - 1 })
    }
  }
  return lines
}

function unquoted(word) {
  try {
    return JSON.parse(word)
  } catch {
    return word
  }
}

/** The place itself, or the nearest thing around it that is there. */
export function nearest(lines, place) {
  for (let at = place; ; at = at.slice(0, at.lastIndexOf('/'))) {
    if (lines.some((line) => line.pointer === at)) return at
    if (at === '') return undefined
  }
}
