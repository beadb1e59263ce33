import type { ErrorObject } from 'ajv/dist/2020.js'
import { brief, whatIs } from './brief.ts'
import type { Finding } from './rule.ts'

/** True if a violation only repeats a nested one. */
export function isRepetition({ keyword }: ErrorObject): boolean {
  return keyword === 'if' || keyword === 'allOf'
}

/** The rule that a violation belongs to: the closest place in the instance that has a stated rule. */
export function ruleOf(error: ErrorObject, places: Map<string, string>): string | undefined {
  if (error.keyword === 'required') {
    const member = (error.parentSchema?.properties as Record<string, Record<string, string>>)?.[
      error.params.missingProperty as string
    ]
    const own = member?.presence ?? member?.requirement ?? firstStated(member)
    if (own) return own
  }
  const stated = error.parentSchema?.requirement as string | undefined
  if (stated) return stated
  let path = error.instancePath
  for (;;) {
    const id = places.get(path)
    if (id) return id
    if (path === '') return undefined
    path = path.slice(0, path.lastIndexOf('/'))
  }
}

/** With at least this many required members, all missing, an item is of a different type than its list holds. */
const MANY = 5

/** List items that have none of their required members: each gets one finding, because its nesting is wrong. */
export function strangersAmong(errors: readonly ErrorObject[]): Map<string, ErrorObject> {
  const missing = new Map<string, ErrorObject[]>()
  for (const error of errors) {
    if (error.keyword !== 'required' || !/\/\d+$/.test(error.instancePath)) continue
    missing.set(error.instancePath, [...(missing.get(error.instancePath) ?? []), error])
  }
  return new Map(
    [...missing].flatMap(([path, [first, ...others]]) => {
      const required = (first?.parentSchema?.required as string[] | undefined) ?? []
      const all = required.length >= MANY && others.length + 1 === required.length
      const stated = first?.parentSchema?.requirement !== undefined
      return first && all && stated ? [[path, first]] : []
    }),
  )
}

/** The finding for such an item; it names the members that it has instead. */
export function strangerFinding({ data, parentSchema }: ErrorObject, place: string): Finding {
  const required = parentSchema?.required as string[]
  const has = Object.keys(data as object).slice(0, 5)
  return {
    message: `${memberOf(place)} has none of the ${required.length} members that it must have`,
    expected: `the members ${required.slice(0, 3).join(', ')} and ${required.length - 3} more`,
    actual:
      has.length === 0 ? 'no member' : `the members ${has.map((name) => brief(name)).join(', ')}`,
    place,
  }
}

function firstStated(member: Record<string, unknown> | undefined): string | undefined {
  const all = (member?.allOf ?? []) as Record<string, string>[]
  return all.find(({ requirement }) => requirement)?.requirement
}

/** A violation in words. */
export function findingOf(error: ErrorObject, place: string): Finding {
  if (error.keyword === 'required') {
    const name = error.params.missingProperty as string
    return {
      message: `${name} is missing`,
      expected: `a member ${name}`,
      actual: 'no such member',
      place: `${place}/${name}`,
    }
  }
  const found = (message: string, expected: string): Finding => {
    return { message, expected, actual: brief(error.data), place }
  }
  if (isNull(error)) return found(`${memberOf(place)} is null`, 'a value, or no such member')
  const title = error.keyword === 'not' && error.parentSchema?.title
  if (title && isPattern(error))
    return found(`${memberOf(place)} is ${brief(error.data, 60)}`, String(title))
  if (title) return found(`not so: ${title}`, title)
  return found(`${memberOf(place)} ${complaint(error)}`, expectation(error))
}

/** For `/Data/Account/1/Currency` this is Currency; for `/Data/Account/1`, an item of Account. */
function memberOf(place: string): string {
  const [last, ...others] = place.split('/').slice(1).reverse()
  if (last === undefined) return 'the body'
  if (!/^\d+$/.test(last)) return last
  const list = others.find((part) => !/^\d+$/.test(part))
  return list === undefined ? `item ${last}` : `item ${last} of ${list}`
}

function complaint(error: ErrorObject): string {
  const { keyword, message, data, parentSchema } = error
  const format = parentSchema?.format
  if (keyword === 'const' || keyword === 'enum') {
    return `is ${brief(data, 60)}, not ${expectation(error)}`
  }
  const is = `is ${whatIs(data)}: `
  if (keyword === 'type') return `${is}it must be ${expectation(error)}`
  if (keyword === 'literal') return `${is}it must be ${expectation(error)}`
  if (keyword === 'pattern' && format) return `${is}it must match format ${JSON.stringify(format)}`
  if (keyword === 'pattern' && parentSchema?.title) return `is ${brief(data, 60)}`
  return message === undefined ? 'is not as stated' : `${is}it ${message}`
}

/** Members of the target file that give the spelling of a literal. */
const LITERAL: Record<string, string> = {
  panScheme: 'literals.panScheme',
  cardScheme: 'literals.cardSchemes',
}

function expectation(error: ErrorObject): string {
  const { schema, keyword, parentSchema } = error
  if (keyword === 'pattern' && parentSchema?.title) return String(parentSchema.title)
  if (keyword === 'const') return JSON.stringify(schema)
  if (keyword === 'enum') {
    const values = (schema as unknown[]).filter((value) => value !== null)
    const words = values.map((value) => JSON.stringify(value)).join(', ')
    return values.length > 1 ? `one of ${words}` : words
  }
  if (keyword === 'type') {
    const types = [schema].flat().filter((type) => type !== 'null')
    return types.map((type) => `${/^[aeio]/.test(String(type)) ? 'an' : 'a'} ${type}`).join(' or ')
  }
  if (keyword === 'literal') return `spelled as ${LITERAL[String(schema)]} of the target file says`
  return `${keyword} ${typeof schema === 'object' ? JSON.stringify(schema) : String(schema)}`
}

/** `not: { pattern: … }`: a string that must not match a pattern. */
function isPattern({ schema }: ErrorObject): boolean {
  return typeof schema === 'object' && schema !== null && 'pattern' in schema
}

/** `not: { const: null }`: a member that should have been left out. */
function isNull({ keyword, schema, data }: ErrorObject): boolean {
  return keyword === 'not' && data === null && (schema as { const?: unknown }).const === null
}
