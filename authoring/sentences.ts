import { join } from 'node:path'
import type { Requirement } from '../engine/catalogue/catalogue.ts'
import { root } from '../engine/record/root.ts'
import { readList } from '../engine/yaml/list.ts'

/** A sentence of a document, or of a row of one of its tables. */
export interface Sentence {
  /** From 1. */
  line: number
  text: string
}

/** One sentence that no requirement quotes, and the reason. */
export interface Unquoted {
  document: string
  text: string
  why: string
  /** Its place in specs/: file:line:column. */
  place: string
}

/** The lines of a document with content: not headings, the head of a table with the rule below it, or blank lines. */
export function sayingLines(document: string): Sentence[] {
  const lines = document.split('\n')
  const isRule = (text = '') => /^\|[\s|:-]+\|$/.test(text)
  return lines.flatMap((text, index) => {
    const silent = text.trim() === '' || text.startsWith('#') || isRule(text)
    return silent || isRule(lines[index + 1]) ? [] : [{ line: index + 1, text }]
  })
}

/** A full stop ends a sentence only before a space or at the end, so the one in v3.1 does not. */
const SENTENCE = /(?:[^.]|\.(?=\S))+\.?/g

/** The sentences that none of these requirements quotes, not even in part. */
export function unquotedIn(document: string, requirements: Iterable<Requirement>): Sentence[] {
  const quotes = [...requirements].flatMap(({ quote }) => quote)
  return sayingLines(document).flatMap(({ line, text }) => {
    const quoted = quotes.flatMap((words) => {
      const from = text.indexOf(words)
      return from < 0 ? [] : [{ from, to: from + words.length }]
    })
    return [...text.matchAll(SENTENCE)]
      .filter(({ 0: words, index }) => {
        const end = index + words.length
        return /\p{L}/u.test(words) && !quoted.some(({ from, to }) => from < end && to > index)
      })
      .map(({ 0: words }) => ({ line, text: words.replace(/^[\s|-]+|[\s|]+$/g, '') }))
  })
}

/**
 * Reads specs/unquoted.yaml.
 *
 * @throws Error that lists each mistake as `file:line:column: what is wrong. mend.`
 */
export function loadUnquoted(file = join(root, 'specs', 'unquoted.yaml')): Unquoted[] {
  const problems: string[] = []
  const list = readList<Unquoted>(file, 'unquoted', problems)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return list.map(({ place, value }) => ({ ...value, place }))
}

/** Sentences that are neither quoted nor listed with a reason, and listed sentences that are not in the document. */
export function sentenceProblems(
  documents: ReadonlyMap<string, string>,
  requirements: ReadonlyMap<string, Requirement>,
  listed: readonly Unquoted[],
): string[] {
  const unquoted = [...documents].flatMap(([document, text]) =>
    unquotedIn(text, requirements.values()).map((each) => ({ document, ...each })),
  )
  type Words = Pick<Unquoted, 'document' | 'text'>
  const isSame = (one: Words, other: Words) =>
    one.document === other.document && one.text === other.text
  return [
    ...unquoted
      .filter((each) => !listed.some((other) => isSame(each, other)))
      .map(
        ({ document, line, text }) =>
          `documents/${document}.md:${line}: no requirement quotes “${text}”. Quote it in specs/${document}/, or add it to specs/unquoted.yaml with the reason.`,
      ),
    ...listed
      .filter((each) => !unquoted.some((other) => isSame(each, other)))
      .map(
        ({ place, document, text }) =>
          `${place}: “${text}” is quoted, or stands nowhere in documents/${document}.md. Remove it here.`,
      ),
  ]
}
