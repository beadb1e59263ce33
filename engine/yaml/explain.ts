import type { ErrorObject } from 'ajv/dist/2020.js'
import { nearest } from './nearest.ts'
import type { Path } from './source.ts'

/**
 * Explains a schema error in words that say how to fix it, without the value found: what is wrong at a path, or with
 * the key at its end.
 */
export function explain(error: ErrorObject, path: Path) {
  const { keyword, params, parentSchema } = error
  if (keyword === 'additionalProperties') {
    const key = String(params.additionalProperty)
    const place = [...path, key]
    if (key === '<<') {
      const text = `${spell(place)} takes members from elsewhere, which is not read. Write them here.`
      return { path: place, atKey: true, text }
    }
    const known = Object.keys(parentSchema?.properties ?? {})
    const mend = meant(key, known) ?? `Known here: ${known.join(', ')}.`
    return { path: place, atKey: true, text: `${spell(place)} is not known. ${mend}` }
  }
  if (keyword === 'required') {
    return { path, text: `${spell([...path, String(params.missingProperty)])} is missing. Add it.` }
  }
  const name = path.length === 0 ? 'the file' : spell(path)
  return { path, text: `${name} ${wrongValue(error, path.at(-1))}` }
}

function meant(word: unknown, known: string[]): string | undefined {
  const near = typeof word === 'string' ? nearest(word, known) : undefined
  return near && `Did you mean ${near}?`
}

function wrongValue({ keyword, params, data, message }: ErrorObject, name?: Path[number]): string {
  switch (keyword) {
    case 'type':
      if (params.type === 'string' && isFile(data)) {
        return 'is an object. Write file:NAME, without a space.'
      }
      return `is ${kindOf(data)}. Write ${KINDS[params.type] ?? params.type}.`
    case 'const':
      return `has another value. Write ${params.allowedValue}.`
    case 'enum': {
      const allowed: string[] = params.allowedValues
      const mend = meant(data, allowed) ?? `Write one of ${allowed.join(', ')}.`
      return `has a value that is not known. ${mend}`
    }
    case 'pattern': {
      const mend = name === 'proxy' ? 'Write http://host:port.' : patternMend(params.pattern)
      return `is ${data === '' ? 'empty' : 'spelled wrongly'}. ${mend}`
    }
    case 'minLength':
    case 'minItems':
      return 'is empty. Fill it in, or leave it out.'
    case 'uniqueItems':
      return 'names something twice. Keep one of them.'
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
      return `must be ${params.comparison} ${params.limit}. Correct it.`
    default:
      return `${message ?? 'is wrong'}. Correct it.`
  }
}

/** For example, clients.first.redirectUris[0] */
export function spell(path: Path): string {
  // The line number shows which element of a list it is.
  const named = typeof path[0] === 'number' && path.length > 1 ? path.slice(1) : path
  return named
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : at ? `.${key}` : key))
    .join('')
}

/** True for `file: name.pem`, which YAML reads as an object. */
const isFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).join() === 'file'

function kindOf(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

const KINDS: Record<string, string> = {
  string: 'a text, in quotes when it looks like a number',
  object: 'an object: members below it, indented',
  array: 'a list: lines that begin with a hyphen',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

const EXAMPLES: Record<string, string> = {
  '^[A-Z]+-[0-9]+$': 'TXN-17',
  '^[A-Z]+-[0-9]+/[a-z0-9-]+$': 'TXN-17/to-alone',
  '^[A-Z]+-[0-9]+(/[a-z0-9-]+)?$': 'TXN-17 or TXN-17/to-alone',
  '^AMB-[0-9]+$': 'AMB-17',
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}$': 'a day, 2027-01-31',
  '\\S': 'a sentence',
}

function patternMend(pattern: string): string {
  if (pattern.startsWith('^https?:')) return 'Write a whole address that begins with https://.'
  if (pattern === '^[0-9]{4}$') return 'Write four digits in quotes.'
  const example = EXAMPLES[pattern]
  if (example) return `Write it as ${example}.`
  return 'Use letters, digits, dots, hyphens and underscores, at most 64.'
}
