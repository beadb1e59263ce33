import { expect, test } from 'vitest'
import { acceptedType } from '../../suites/values/accepted-type.ts'
import { type Content, contentType } from '../../suites/values/media-type.ts'
import { rowsOf } from '../../suites/values/value-type.ts'

/** The grammar of RFC 9110, to the letter. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const PARAMETER = `(${TOKEN})=(${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`
const PARAMETERS = `(?:[ \\t]*;[ \\t]*(?:${PARAMETER})?)*`
const MEDIA_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})(${PARAMETERS})$`)

interface Media {
  essence: string
  parameters: Record<string, string>
}

function parsed(text: string): Media | undefined {
  const [, essence, rest = ''] = MEDIA_TYPE.exec(text) ?? []
  if (essence === undefined) return undefined
  const found = [...rest.matchAll(new RegExp(PARAMETER, 'g'))]
  const parameters = found.map(([, name = '', value = '']) => [
    name.toLowerCase(),
    value.replaceAll(/^"|"$/g, '').toLowerCase(),
  ])
  return { essence: essence.toLowerCase(), parameters: Object.fromEntries(parameters) }
}

const RIGHT = {
  json: 'application/json',
  jwt: 'application/jwt',
  form: 'application/x-www-form-urlencoded',
}
const KINDS = Object.keys(RIGHT) as Content['kind'][]

function means(kind: Content['kind'], text: string | null): boolean {
  const media = text === null ? undefined : parsed(text)
  const { charset = 'utf-8' } = media?.parameters ?? {}
  return media?.essence === RIGHT[kind] && charset === 'utf-8'
}

test.each(KINDS)('a Content-Type means %s where it is lawful, and nowhere else', (kind) => {
  for (const { id, lawful, make } of rowsOf(contentType)) {
    const made = make({ kind })
    if (!made) continue
    expect(means(kind, made.contentType), id).toBe(lawful === true)
    expect(made.contentType, id).not.toBe(RIGHT[kind])
  }
})

test('every row is of some kind, and a registration alone has sentences about its own', () => {
  for (const { id, make, level, lawful } of rowsOf(contentType)) {
    const kinds = KINDS.filter((kind) => make({ kind }))
    expect(kinds.length, id).toBeGreaterThan(0)
    if (!lawful && level !== 'observe') expect(kinds, id).toEqual(['jwt'])
    expect(level).not.toBe('must')
  }
})

test('no kind is given the same Content-Type twice', () => {
  for (const kind of KINDS) {
    const values = rowsOf(contentType).flatMap(({ make }) => make({ kind })?.contentType ?? [])
    expect(new Set(values).size).toBe(values.length)
  }
})

/** Weight of application/json under an Accept header (RFC 9110 12.5.1): the most specific range tells. */
function weightOfJson(accept: string | undefined): number {
  if (accept === undefined) return 1
  let best = { precedence: -1, weight: 0 }
  for (const one of accept.split(',').map((part) => part.trim())) {
    const media = parsed(one)
    const precedence = ['*/*', 'application/*', 'application/json'].indexOf(media?.essence ?? '')
    const weight = Number(media?.parameters.q ?? 1)
    if (precedence > best.precedence) best = { precedence, weight }
  }
  return best.weight
}

test('Accept: JSON is acceptable where a row is lawful, and nowhere else', () => {
  for (const { id, lawful, make } of rowsOf(acceptedType)) {
    const { Accept } = make({ kind: 'json' })?.headers ?? {}
    expect(weightOfJson(Accept) > 0, id).toBe(lawful === true)
    expect(Accept, id).not.toBe('application/json')
  }
})
