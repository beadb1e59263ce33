import { oneLine } from './escape.ts'

const MARKDOWN: unique symbol = Symbol('markdown')

/** Markdown as a reader of it is to see it. Only this file makes any: a text from outside cannot be written as it is. */
export interface Markdown {
  readonly [MARKDOWN]: string
}

type Part = Markdown | readonly Markdown[] | string | number | undefined | false

/** Words of ours around texts from anywhere, each of these taken literally and on one line; what is absent is left out. */
export function markdown(words: TemplateStringsArray, ...values: Part[]): Markdown {
  return { [MARKDOWN]: words.map((own, at) => own + partOf(values[at])).join('') }
}

/** Below each other. */
export function linesOf(parts: readonly Markdown[]): Markdown {
  return { [MARKDOWN]: parts.map((part) => part[MARKDOWN]).join('\n') }
}

/** A block of code, in which nothing is markup: each text a line. */
export function codeBlock(texts: readonly string[]): Markdown {
  return { [MARKDOWN]: texts.map((text) => `    ${oneLine(text)}\n`).join('') }
}

/** A name that stands in the midst of words. */
export const code = (name: string): Markdown => markdown`<code>${name}</code>`

/** As it goes into a file. */
export const markdownText = (part: Markdown): string => part[MARKDOWN]

function partOf(value: Part): string {
  if (value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.map(partOf).join('')
  return typeof value === 'object' ? (value as Markdown)[MARKDOWN] : literal(String(value))
}

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

const entity = (sign: string): string => `&#${sign.charCodeAt(0)};`
