import { doorOf, type Passed } from './door.ts'
import { oneLine } from './escape.ts'

export type Markdown = Passed<'Markdown'>

const { tag, text, made } = doorOf('Markdown', literal)

/** Own words around arbitrary texts; each text is escaped and put on one line. */
export const markdown = tag

/** The text as it is written to a file. */
export const markdownText = text

/** Joins parts as lines. */
export function linesOf(parts: readonly Markdown[]): Markdown {
  return made(parts.map(text).join('\n'))
}

/** A code block, in which nothing is markup: one line for each text. */
export function codeBlock(texts: readonly string[]): Markdown {
  return made(texts.map((line) => `    ${oneLine(line)}\n`).join(''))
}

/** A name within a sentence, as code. */
export const code = (name: string): Markdown => markdown`<code>${name}</code>`

/**
 * Characters that Markdown, HTML or GitHub would interpret become entities; the others are kept, so that the plain file
 * is readable.
 */
function literal(words: string): string {
  return oneLine(words)
    .replace(/[&<>`*_~[\]\\|#@!$]/g, entity)
    .replace(/:\/\//g, '&#58;//')
    .replace(/\bwww\./gi, 'www&#46;')
    .replace(/^(\s*)(-|\d+[.)](?=\s|$))/, (_, space: string, mark: string) => {
      return `${space}${entity(mark)}${mark.slice(1)}`
    })
}

function entity(sign: string): string {
  return `&#${sign.charCodeAt(0)};`
}
