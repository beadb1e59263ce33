import type { ErrorObject } from 'ajv/dist/2020.js'
import { brief } from './brief.ts'
import type { Finding } from './rule.ts'

/** Does a violation only repeat what a nested one has said? */
export function isRepetition({ keyword }: ErrorObject): boolean {
  return keyword === 'if' || keyword === 'allOf'
}

/** The rule that a violation belongs to: the nearest stated place in the instance. */
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
  if (title) return found(`not so: ${title}`, title)
  return found(`${memberOf(place)} ${complaint(error)}`, expectation(error))
}

/** `/Data/Account/1/Currency` is Currency, `/Data/Account/1` an item of Account. */
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
  const is = data === null || typeof data === 'object' ? '' : `is ${brief(data, 60)}: `
  if (keyword === 'type') return `${is}it must be ${expectation(error)}`
  if (keyword === 'pattern' && format) return `${is}it must match format ${JSON.stringify(format)}`
  if (keyword === 'pattern' && parentSchema?.title) return `is ${brief(data, 60)}`
  return message === undefined ? 'is not as stated' : is === '' ? message : `${is}it ${message}`
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
    return types.join(' or ')
  }
  return `${keyword} ${typeof schema === 'object' ? JSON.stringify(schema) : String(schema)}`
}

/** `not: { const: null }`: a member that should have been left out. */
function isNull({ keyword, schema, data }: ErrorObject): boolean {
  return keyword === 'not' && data === null && (schema as { const?: unknown }).const === null
}
