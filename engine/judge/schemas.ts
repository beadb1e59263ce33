import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { _, Ajv2020, type ErrorObject, Name, str, type ValidateFunction } from 'ajv/dist/2020.js'
import { root } from '../catalogue/root.ts'
import { isAbsoluteUrl, isDateTime, isDecimal, isHttpsUrl, isUtcDateTime } from './formats.ts'
import { matchesLiteral } from './literals.ts'
import type { Finding, Literals } from './rule.ts'
import { instrument, type Stated } from './stated.ts'

/** A schema of schemas/ with the responses to which it applies. */
export interface ResponseSchema {
  /** account-information/accounts.schema.json */
  file: string
  /** Endpoint and status: `accounts 2xx`, `products error`. */
  responses: string[]
  /** Every statement of the schema: rule id, title, where. */
  stated: Stated[]
  validate(instance: unknown, literals: Literals): SchemaVerdict
}

export interface SchemaVerdict {
  /** Violations by rule id, at most the first 20 of each. */
  findings: Map<string, Finding[]>
  /** Pointers into the schema that some part of the instance reached. */
  visited: Set<string>
  /** What the schema asks to record: what, JSON type found. */
  observed: { requirement: string; what: string; value: string }[]
}

/** Members at which large arrays are split, so that a wrong bank cannot make validation quadratic. */
const CHUNK = 200
const KEEP = 20

/** What a compiled validator calls the path of the instance that it was given. */
const INSTANCE_PATH = new Name('instancePath')

/**
 * Loads schemas/account-information and schemas/product-information.
 *
 * @param wanted which of the files, by their path below the folder; all of them by default.
 */
export function loadSchemas(
  folder: string = join(root, 'schemas'),
  wanted: (file: string) => boolean = () => true,
): ResponseSchema[] {
  const files = ['account-information', 'product-information'].flatMap((document) =>
    readdirSync(join(folder, document), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .filter((name) => wanted(`${document}/${name}`))
      .sort()
      .map((name) => join(folder, document, name)),
  )
  return files.map((file) => compile(file, relative(folder, file)))
}

interface Pass {
  literals: Literals
  visited: Set<string>
  /** Are places wanted? Only where something is wrong: most answers are right. */
  placing: boolean
  /** Instance path → rule id stated there. */
  places: Map<string, string>
  observed: SchemaVerdict['observed']
}

function compile(path: string, file: string): ResponseSchema {
  const source = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  const { responses, ...schema } = source
  if (!Array.isArray(responses)) throw new Error(`${file}: no responses`)
  const { instrumented, stated } = instrument(schema)
  const pass: Pass = {
    literals: {},
    visited: new Set(),
    placing: false,
    places: new Map(),
    observed: [],
  }
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    messages: true,
  })
  ajv.addFormat('utc-date-time', isUtcDateTime)
  ajv.addFormat('date-time-any', isDateTime)
  ajv.addFormat('absolute-url', isAbsoluteUrl)
  ajv.addFormat('https-url', isHttpsUrl)
  ajv.addFormat('decimal', isDecimal)
  // Both are written into the validator: they are met at every member of every row.
  ajv.addKeyword({
    keyword: 'visit',
    schemaType: 'string',
    code({ gen, schema }) {
      const noted = gen.scopeValue('obj', { ref: pass })
      gen.code(_`${noted}.visited.add(${schema})`)
    },
  })
  ajv.addKeyword({
    keyword: 'requirement',
    schemaType: 'string',
    code({ gen, schema, it }) {
      const noted = gen.scopeValue('obj', { ref: pass })
      const place = str`${INSTANCE_PATH}${it.errorPath}`
      gen.if(_`${noted}.placing`, () => gen.code(_`${noted}.places.set(${place}, ${schema})`))
    },
  })
  ajv.addKeyword({ keyword: 'presence', schemaType: 'string' })
  ajv.addKeyword({
    keyword: 'observe',
    schemaType: 'object',
    validate: (what: { requirement: string; what: string }, data: unknown) => {
      pass.observed.push({ ...what, value: typeName(data) })
      return true
    },
  })
  ajv.addKeyword({
    keyword: 'literal',
    schemaType: 'string',
    validate: (name: string, data: unknown) =>
      typeof data !== 'string' || matchesLiteral(name, data, pass.literals),
  })
  let validator: ValidateFunction
  try {
    validator = ajv.compile(instrumented)
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`)
  }

  /** Once more, for where in the instance each statement stands. */
  const place = (part: unknown) => {
    const { observed } = pass
    Object.assign(pass, { placing: true, places: new Map(), observed: [] })
    validator(part)
    Object.assign(pass, { placing: false, observed })
  }

  return {
    file,
    responses: responses.map(String),
    stated,
    validate(instance, literals) {
      Object.assign(pass, { literals, visited: new Set(), observed: [] })
      const findings = new Map<string, Finding[]>()
      for (const { part, offset, path: arrayPath } of chunks(instance)) {
        if (validator(part)) continue
        place(part)
        for (const error of validator.errors ?? []) {
          if (STRUCTURAL.has(error.keyword)) continue
          const id = owner(error, pass.places)
          if (!id) throw new Error(`${file}: ${error.schemaPath} belongs to no stated place`)
          const list = findings.get(id) ?? []
          findings.set(id, list)
          if (list.length < KEEP) list.push(findingOf(error, shifted(error, arrayPath, offset)))
        }
      }
      return { findings, visited: pass.visited, observed: pass.observed }
    },
  }
}

/** Keywords that only repeat what a nested one has said. */
const STRUCTURAL = new Set(['if', 'allOf'])

/** The rule that a violation belongs to: the nearest stated place in the instance. */
function owner(error: ErrorObject, places: Map<string, string>): string | undefined {
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

function findingOf(error: ErrorObject, place: string): Finding {
  if (error.keyword === 'required') {
    const name = error.params.missingProperty as string
    return {
      message: `${name} is missing`,
      expected: `a member ${name}`,
      actual: 'no such member',
      place: `${place}/${name}`,
    }
  }
  return {
    message: `${place || 'the body'} ${error.message ?? 'is not as stated'}`,
    expected: expectation(error),
    actual: brief(error.data),
    place,
  }
}

function expectation(error: ErrorObject): string {
  const { schema, keyword } = error
  if (keyword === 'const') return JSON.stringify(schema)
  if (keyword === 'enum')
    return `one of ${(schema as unknown[]).map((v) => JSON.stringify(v)).join(', ')}`
  if (keyword === 'type') return [schema].flat().join(' or ')
  return `${keyword} ${typeof schema === 'object' ? JSON.stringify(schema) : String(schema)}`
}

/** A value as a short piece of JSON. */
export function brief(value: unknown, limit = 200): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The instance with its longest array cut into chunks, each in the place of the whole array. */
function* chunks(instance: unknown): Generator<{ part: unknown; offset: number; path: string }> {
  const long = longArray(instance, '')
  if (!long) {
    yield { part: instance, offset: 0, path: '' }
    return
  }
  for (let offset = 0; offset < long.array.length; offset += CHUNK) {
    const slice = long.array.slice(offset, offset + CHUNK)
    yield {
      part: replaced(instance, long.path.split('/').slice(1), slice),
      offset,
      path: long.path,
    }
  }
}

function longArray(value: unknown, path: string): { array: unknown[]; path: string } | undefined {
  if (Array.isArray(value)) return value.length > CHUNK ? { array: value, path } : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    if (key.includes('/') || key.includes('~')) continue
    const found = longArray(member, `${path}/${key}`)
    if (found) return found
  }
  return undefined
}

function replaced(value: unknown, keys: string[], array: unknown[]): unknown {
  const [key, ...rest] = keys
  if (key === undefined) return array
  const object = value as Record<string, unknown>
  return { ...object, [key]: replaced(object[key], rest, array) }
}

function shifted(error: ErrorObject, path: string, offset: number): string {
  if (offset === 0 || !error.instancePath.startsWith(`${path}/`)) return error.instancePath
  const [index, ...rest] = error.instancePath.slice(path.length + 1).split('/')
  return [path, Number(index) + offset, ...rest].join('/')
}
