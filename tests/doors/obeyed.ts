import { basename, extname } from 'node:path'
import fc from 'fast-check'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { SaxesParser } from 'saxes'

/** What no medium may obey: a mark of each, and one element and attribute that nobody else writes. */
const MARKS = [
  '\u001b[31m\u001b]0;title\u0007',
  '\u0000\b\u007f\u009b2J\ufffe',
  '\n::error title=owned::owned\n',
  '\r##[error]owned',
  '\u202eowned\u2066\u2069\u200b\u2028',
  '\ud800',
  '<x-owned>',
  '" x-owned="',
  "' x-owned='",
  '</script><x-owned>',
  '--><x-owned>',
  ']]><x-owned/>',
  '\n\n[owned](javascript:owned)\n\n# owned\n',
  '| <x-owned> | `owned` |',
  '../../owned',
  '%0A::error::owned',
  `\${owned}{{owned}}%owned%`,
]

/** A text with one to four of the marks, and anything between them. */
export const hostileText = fc
  .array(fc.tuple(fc.constantFrom(...MARKS), fc.string({ unit: 'binary', maxLength: 8 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.flat().join(''))

type Node = DefaultTreeAdapterMap['node']

/** Elements and attributes of an HTML page that the texts brought into it. */
function ownedIn(html: string): string[] {
  const found: string[] = []
  const look = (node: Node) => {
    if ('tagName' in node) {
      if (node.tagName === 'x-owned') found.push('an element')
      for (const { name, value } of node.attrs) {
        if (name === 'x-owned') found.push(`an attribute of ${node.tagName}`)
        if (/^\s*javascript:/i.test(value)) found.push(`${name} ${value}`)
      }
    }
    if ('childNodes' in node) for (const child of node.childNodes) look(child)
  }
  look(parse(html))
  return found
}

function ownedInXml(xml: string): string[] {
  const found: string[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => found.push(error.message))
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'x-owned' || 'x-owned' in attributes) found.push(`in ${name}`)
  })
  parser.write(xml).close()
  return found
}

const json = (text: string): string[] => {
  try {
    JSON.parse(text)
    return []
  } catch (error) {
    return [`is no JSON: ${error}`]
  }
}

/** Markup and links of Markdown outside of code, and lines that a pipeline obeys. */
const markdown = (text: string): string[] =>
  [/^\s*::\w+/m, /(?<!\\)\]\(javascript:/, /^# owned/m].flatMap((wrong) => {
    const found = wrong.exec(text)
    return found ? [found[0]] : []
  })

const BY_EXTENSION: Record<string, (text: string) => string[]> = {
  '.html': (text) => [...ownedIn(text), ...controls(text)],
  '.xml': ownedInXml,
  '.json': json,
  '.jsonl': (text) => text.split('\n').slice(0, -1).flatMap(json),
  '.md': (text) => [...markdown(text), ...ownedIn(text), ...controls(text)],
  '.txt': (text) => controls(text),
}

function controls(text: string): string[] {
  const found = /(?!\n|\t)[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028]|\p{Surrogate}/u.exec(text)
  return found
    ? [`obeyed: ${JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 20))}`]
    : []
}

/** What a terminal, or the pipeline that shows it, would obey in these lines. */
export function obeyedInTerminal(text: string): string[] {
  const lines = text.split('\n').filter((line) => /^\s*::|##\[/.test(line))
  return [...controls(text), ...lines]
}

/** What the reader of a file would obey in it; the name of the file is looked at as well. */
export function obeyedInFile(file: string, text: string): string[] {
  const name = basename(file)
  const named = /^[\w.@ -]+$/.test(name) ? [] : ['its name']
  return [...named, ...(BY_EXTENSION[extname(file)]?.(text) ?? [])].map(
    (what) => `${name}: ${what}`,
  )
}
