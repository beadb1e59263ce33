import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where something stands, for an editor and for a link. */
export interface Place {
  /** Relative to the folder of the package. */
  file: string
  /** From 1. */
  line: number
}

/** A source file of checks, rules or schemas. */
interface Text {
  file: string
  text: string
}

/** Files of a folder of the package with one of these endings. */
export function textsOf(root: string, folder: string, ending: RegExp): Text[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .sort()
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/** Every `check(` and `rule(` whose first argument is a plain id or a template, file by file. */
export function definedIn(texts: readonly Text[]): { id: string; place: Place }[] {
  return named(
    texts,
    /\b(?:check|rule|conduct|wrongRegistrationCheck)\(\s*(?:'([^']+)'|`([^`]+)`)/g,
  )
}

/**
 * Where each check, rule and statement of a schema is defined. An id that is made of parts is found by
 * the template of which it is made, or else by the first place that names it.
 *
 * @param root folder of the package; without its sources nothing is found.
 */
export function definitionsOf(root: string, ids: Iterable<string>): Map<string, Place> {
  const suites = textsOf(root, 'suites', /\.(check|rule|scenario|conduct)\.ts$/)
  const defined = definedIn(suites)
  const exact = firstOf(defined)
  const templates = [...defined, ...named(suites, /\bid:\s*`([^`]+)`/g)]
    .filter(({ id }) => id.includes('${'))
    .map(({ id, place }) => ({ pattern: patternOf(id), place }))
  const steps = firstOf(named(suites, /\bcheck\(\s*OWNERS\.(\w+)/g))
  const stepOf = new Map(
    textsOf(root, 'suites', /^owners\.ts$/).flatMap(({ text }) =>
      [...text.matchAll(/^ {2}(\w+): '([^']+)',$/gm)].map(({ 1: step = '', 2: id }) => [id, step]),
    ),
  )
  const written = /'([A-Z]+-\d+\/[a-z0-9-]+)'/g
  const mentioned = firstOf(named(suites, written))
  // A table of checks stands with what they share.
  const shared = firstOf(named(textsOf(root, 'suites', /\/common\/[^/]+(?<!\.d)\.ts$/), written))
  const schemas = textsOf(root, 'schemas', /\.json$/)
  const stated = firstOf(named(schemas, /"(?:requirement|presence)": "([^"]+)"/g))
  const found = new Map<string, Place>()
  for (const id of ids) {
    const place =
      exact.get(id) ??
      templates.find(({ pattern }) => pattern.test(id))?.place ??
      steps.get(stepOf.get(id) ?? '') ??
      mentioned.get(id) ??
      shared.get(id) ??
      stated.get(id) ??
      // What a schema observes is recorded under its requirement.
      stated.get(id.slice(0, id.indexOf('/')))
    if (place) found.set(id, place)
  }
  return found
}

/** What a pattern names by its first group that took part. */
function named(texts: readonly Text[], pattern: RegExp): { id: string; place: Place }[] {
  return texts.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(({ 1: first, 2: second, index }) => ({
      id: first ?? second ?? '',
      place: { file, line: lineAt(text, index) },
    })),
  )
}

function firstOf(all: readonly { id: string; place: Place }[]): Map<string, Place> {
  return new Map([...all].reverse().map(({ id, place }) => [id, place]))
}

function patternOf(template: string): RegExp {
  const parts = template
    .split(/\$\{[^}]*\}/)
    .map((part) => part.replace(/[.*+?()[\]\\^$|]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^/]+')}$`)
}

/** The line, from 1, of a place in a text. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
