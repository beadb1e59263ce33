import { doorOf, type Passed } from './door.ts'
import { oneLine } from './escape.ts'

export type Markdown = Passed<'Markdown'>

const { tag, text, made } = doorOf('Markdown', literal)

/** Words of ours around texts from anywhere, each of these taken literally and on one line. */
export const markdown = tag

/** As it goes into a file. */
export const markdownText = text

/** Below each other. */
export function linesOf(parts: readonly Markdown[]): Markdown {
  return made(parts.map(text).join('\n'))
}

/** A block of code, in which nothing is markup: each text a line. */
export function codeBlock(texts: readonly string[]): Markdown {
  return made(texts.map((line) => `    ${oneLine(line)}\n`).join(''))
}

/** A name that stands in the midst of words. */
export const code = (name: string): Markdown => markdown`<code>${name}</code>`

/**
 * Signs that Markdown, HTML or GitHub would obey become entities; the others stay, so that a reader of the plain file can
 * read it.
 */
function literal(words: string): string {
  return oneLine(words)
    .replace(/[&<>`*_~[\]\\|#@!$]/g, entity)
    .replace(/:\/\//g, '&#58;//')
    .replace(/\bwww\./gi, 'www&#46;')
    .replace(/^(\s*)(-|\d+[.)])/, (_, space: string, mark: string) => {
      return `${space}${entity(mark)}${mark.slice(1)}`
    })
}

function entity(sign: string): string {
  return `&#${sign.charCodeAt(0)};`
}
