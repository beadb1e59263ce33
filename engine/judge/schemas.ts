import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { _, Ajv2020, Name, str, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { root } from '../record/root.ts'
import { chunks, placeIn } from './array-chunks.ts'
import { isOverruled, matchesLiteral } from './literals.ts'
import type { Finding, Literals } from './rule.ts'
import { findingOf, isRepetition, ruleOf } from './schema-findings.ts'
import { instrument, type Stated } from './schema-requirements.ts'

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

/** Violations of one rule that are kept. */
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
    // That each file is a schema is shown by tests, once, not at every start.
    validateSchema: false,
  })
  addFormats.default(ajv, ['date-time', 'uri'])
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
    code({ gen, schema, parentSchema, it }) {
      // Says only that a member is not null: what is wrong inside of it is another node's.
      if (parentSchema.not !== undefined) return
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
  let compiled: ValidateFunction | undefined
  /** Compiled when the first answer comes: `assay plan` needs none of them. */
  const validator = (): ValidateFunction => {
    try {
      compiled ??= ajv.compile(instrumented)
      return compiled
    } catch (error) {
      throw new Error(`${file}: ${(error as Error).message}`)
    }
  }

  /** Answers that are the same to the byte are one object: see engine/wire/bodies.ts. */
  const known = new WeakMap<object, { literals: Literals; result: SchemaVerdict }>()

  /** Once more, for where in the instance each statement stands. */
  const place = (part: unknown) => {
    const { observed } = pass
    Object.assign(pass, { placing: true, places: new Map(), observed: [] })
    validator()(part)
    Object.assign(pass, { placing: false, observed })
  }

  return {
    file,
    responses: responses.map(String),
    stated,
    validate(instance, literals) {
      const before = known.get(instance as object)
      if (before?.literals === literals) return before.result
      Object.assign(pass, { literals, visited: new Set(), observed: [] })
      const findings = new Map<string, Finding[]>()
      for (const { part, offset, path: arrayPath } of chunks(instance)) {
        const judge = validator()
        if (judge(part)) continue
        place(part)
        for (const error of judge.errors ?? []) {
          if (isRepetition(error) || isOverruled(error, literals)) continue
          const id = ruleOf(error, pass.places)
          if (!id) throw new Error(`${file}: ${error.schemaPath} belongs to no stated place`)
          const list = findings.get(id) ?? []
          findings.set(id, list)
          if (list.length < KEEP)
            list.push(findingOf(error, placeIn(error.instancePath, arrayPath, offset)))
        }
      }
      const result = { findings, visited: pass.visited, observed: pass.observed }
      if (typeof instance === 'object' && instance !== null)
        known.set(instance, { literals, result })
      return result
    },
  }
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
