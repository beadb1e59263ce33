import { type Catalogue, chapterOf } from '../engine/catalogue/catalogue.ts'
import type { NamedConsent } from '../engine/client-session/consent.ts'
import type { Place } from '../engine/record/definitions.ts'
import { placesOf } from '../engine/run/places.ts'
import { idProblems } from '../engine/run/suites.ts'
import { namedBy, type SuiteCheck } from '../engine/suite-api/check.ts'
import { lineAt, textsOf } from './texts.ts'

/** Every mistake in specs, suites and proof that can be found without a bank: one line each, with its fix. */
export function lint(parts: {
  /** Folder of the package. */
  root: string
  catalogue: Catalogue
  checks: readonly SuiteCheck[]
  /** Ids of all checks, rules and statements of schemas. */
  ids: readonly string[]
  /** The table of approvals. */
  consents: readonly NamedConsent[]
  /** Name of a document → its text. */
  documents: ReadonlyMap<string, string>
}): string[] {
  const { root, catalogue, ids } = parts
  const places = placesOf(ids)
  return [
    ...idProblems(ids, catalogue).map((problem) => {
      const place = places.get(problem.split(' ')[0] ?? '')
      return place ? `${at(place)}: ${problem}` : problem
    }),
    ...namedIds(root, ids),
    ...quotes(parts.documents, catalogue),
    ...decisions(parts.documents, catalogue),
    ...consents(parts, places),
    ...withoutMatcher(root),
    ...chapters(root, catalogue),
  ]
}

const ID = /\b[A-Z]{2,6}-\d{2,}\/[a-z][a-z0-9-]*/g
const at = ({ file, line }: Place) => `${file}:${line}`

/** Ids in code or comments for which neither catalogue has a check. */
function namedIds(root: string, ids: readonly string[]): string[] {
  const specs = textsOf(root, 'specs', /\.yaml$/)
  // An id that specs/ lacks is reported at its definition.
  const known = new Set([...ids, ...specs.flatMap(({ text }) => text.match(ID) ?? [])])
  const texts = ['suites', 'proof', 'engine'].flatMap((room) => textsOf(root, room, /\.ts$/))
  return texts.flatMap(({ file, text }) =>
    [...text.matchAll(ID)]
      .filter(({ 0: id }) => !known.has(id))
      .map(({ 0: id, index }) => {
        return `${file}:${lineAt(text, index)}: ${id} is named, and there is no such check.`
      }),
  )
}

function quotes(documents: ReadonlyMap<string, string>, { requirements }: Catalogue): string[] {
  const lines = [...documents.values()].flatMap((text) => text.split('\n'))
  return [...requirements.values()].flatMap(({ id, place, level, quote }) => {
    if (level === 'must' && quote.length === 0) {
      return [`${place}: ${id} is a must and quotes no document. Quote it, or make it a should.`]
    }
    return quote
      .filter((words) => !lines.some((line) => line.includes(words)))
      .map((words) => `${place}: ${id} quotes “${words}”, which stands in no line of documents/.`)
  })
}

function decisions(documents: ReadonlyMap<string, string>, catalogue: Catalogue): string[] {
  const text = [...documents.values()].join('\n')
  return [...catalogue.decisions.values()].flatMap(({ id, readings }) =>
    readings
      .filter(({ quote }) => quote !== undefined && !text.includes(quote))
      .map(({ quote }) => `specs/decisions.yaml: ${id} quotes “${quote}”, which no document has.`),
  )
}

/** Approvals that the table lacks, and approvals that no check uses. */
function consents(
  { checks, consents }: { checks: readonly SuiteCheck[]; consents: readonly NamedConsent[] },
  places: ReadonlyMap<string, Place>,
): string[] {
  const table = new Set(consents.map(({ name }) => name))
  const unknown = checks.flatMap(({ id, options }) => {
    const place = places.get(id)
    const where = place ? `${at(place)}: ` : ''
    const names = namedBy(options).flatMap(({ name }) => (table.has(name) ? [] : [name]))
    return names.map((name) => `${where}${id} uses “${name}”, which is not in suites/consents.ts.`)
  })
  const used = new Set(checks.flatMap(({ options }) => namedBy(options).map(({ name }) => name)))
  const unused = [...table].filter((name) => !used.has(name))
  return [...unknown, ...unused.map((name) => `suites/consents.ts: no check uses “${name}”.`)]
}

/** `expect(answer)` and `relyOn(owner, answer)` judge nothing without a matcher. */
function withoutMatcher(root: string): string[] {
  return textsOf(root, 'suites', /\.ts$/).flatMap(({ file, text }) =>
    [...text.matchAll(/(?<![\w.])(expect|relyOn)\(/g)].flatMap(({ 0: call, 1: name, index }) => {
      const end = endOfCall(text, index + call.length)
      if (/^\s*\.to[A-Z]/.test(text.slice(end, end + 80))) return []
      return [`${file}:${lineAt(text, index)}: ${name}(…) judges nothing without a matcher.`]
    }),
  )
}

/** The position after the bracket that closes a call. */
function endOfCall(text: string, start: number): number {
  let depth = 1
  let quote = ''
  for (let index = start; index < text.length; index += 1) {
    const char = text[index] ?? ''
    if (quote) {
      if (char === '\\') index += 1
      else if (char === quote) quote = ''
    } else if (`'"\``.includes(char)) quote = char
    else if ('([{'.includes(char)) depth += 1
    else if (')]}'.includes(char)) depth -= 1
    if (depth === 0) return index + 1
  }
  return text.length
}

/** Files of checks and rules in a folder that is not a chapter. */
function chapters(root: string, catalogue: Catalogue): string[] {
  return textsOf(root, 'suites', /\.(check|rule)\.ts$/).flatMap(({ file }) => {
    const chapter = chapterOf(file)
    return catalogue.chapters.includes(chapter) ? [] : [`${file}: its folder is not a chapter.`]
  })
}
