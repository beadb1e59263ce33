import type { Catalogue } from '../../engine/catalogue/catalogue.ts'

export type Schema = Record<string, unknown>

/** Keywords that restrict a value, besides `required`, whose members have owners of their own. */
const CONSTRAINTS = new Set([
  'const',
  'contains',
  'enum',
  'exclusiveMinimum',
  'format',
  'maxProperties',
  'minimum',
  'minLength',
  'not',
  'pattern',
  'type',
])

/**
 * A schema of schemas/ with only its musts: an answer is valid if and only if it breaks no must. The shoulds are in the
 * descriptions. Our own keywords are removed, except `x-requirements`.
 *
 * @param renamed the reference to use for one of the schema's own `$defs`.
 */
export function mustsOf(
  schema: Schema,
  { owners }: Catalogue,
  renamed: (name: string) => string,
): Schema {
  const levelOf = (id: string) => owners.get(id)?.level ?? 'observe'

  const walk = (node: Schema, inherited: string): Schema => {
    const stated = typeof node.requirement === 'string' ? node.requirement : undefined
    const owner = stated ?? inherited
    const isMust = levelOf(owner) === 'must'
    const out: Schema = {}
    if (stated) {
      out['x-requirements'] = [stated]
      if (typeof node.title === 'string') {
        out.description = `${levelOf(stated)} ${stated}: ${node.title}.`
      }
    }
    const inner = (value: unknown) => walk(value as Schema, owner)
    const properties = (node.properties ?? {}) as Record<string, Schema>
    for (const [key, value] of Object.entries(node)) {
      if (CONSTRAINTS.has(key)) {
        if (isMust) out[key] = value
      } else if (key === 'required') {
        const names = (value as string[]).filter(
          (name) => levelOf(presenceOf(properties[name]) ?? owner) === 'must',
        )
        if (names.length > 0) out.required = names
      } else if (key === 'properties') {
        const members = Object.entries(properties).map(([name, member]) => [
          name,
          typed(inner(member), member),
        ])
        out.properties = Object.fromEntries(members)
      } else if (key === 'items' || key === 'then' || key === 'else') out[key] = inner(value)
      else if (key === 'if') out.if = withItems(value)
      else if (key === 'allOf') out.allOf = (value as Schema[]).map(inner)
      else if (key === '$ref') out.$ref = renamed(String(value).split('/').at(-1) ?? '')
    }
    return listing(tidy(out))
  }

  return walk(schema, '')
}

/** Adds `items` to an array without it, because tools require it. */
function listing(schema: Schema): Schema {
  const isArray = [schema.type].flat().includes('array')
  return isArray && !('items' in schema) ? { ...schema, items: {} } : schema
}

/** The same for all schemas in a condition, which is otherwise copied unchanged. */
function withItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withItems)
  if (typeof value !== 'object' || value === null) return value
  return listing(
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withItems(one)])),
  )
}

/** The statement that owns the presence of a member. */
function presenceOf(member: Schema | undefined): string | undefined {
  const within = ((member?.allOf ?? []) as Schema[]).find(({ requirement }) => requirement)
  return (member?.presence ?? member?.requirement ?? within?.requirement) as string | undefined
}

/** Removes conditions without effect, and merges the parts of allOf where possible. */
function tidy(schema: Schema): Schema {
  const { if: condition, then: _, else: __, allOf, ...rest } = schema
  const out: Schema = { ...rest }
  const branches = ['then', 'else'].filter((branch) => says(schema[branch]))
  if (branches.length > 0) out.if = condition
  for (const branch of branches) out[branch] = schema[branch]
  const apart: Schema[] = []
  for (const part of (allOf ?? []) as Schema[]) {
    if (!merged(out, part)) apart.push(part)
  }
  if (apart.length > 0) out.allOf = apart
  return out
}

/** Tools treat a member without a type as an object; a member with a pattern is text. */
function typed(musts: Schema, member: Schema): Schema {
  const untyped = member.pattern !== undefined && member.type === undefined
  return untyped ? { type: ['string', 'null'], ...musts } : musts
}

function says(branch: unknown): boolean {
  return branch !== undefined && Object.keys(branch as Schema).length > 0
}

/** Merges one schema into another. Returns false and does nothing when both have the same keyword. */
function merged(into: Schema, part: Schema): boolean {
  const shared = Object.keys(part).filter((key) => key in into && !TOGETHER.has(key))
  if (shared.length > 0) return false
  for (const [key, value] of Object.entries(part)) {
    if (!(key in into)) into[key] = value
    else if (key === 'description') into.description = `${into.description}\n\n${value}`
    else into[key] = [...new Set([into[key], value].flat())]
  }
  return true
}

const TOGETHER = new Set(['description', 'x-requirements'])
