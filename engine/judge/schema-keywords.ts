import { createRequire } from 'node:module'
import type { Ajv2020, Options } from 'ajv/dist/2020.js'
import type addFormats from 'ajv-formats'
import { loadAjv } from '../record/built-validators.ts'
import type { Observation } from '../record/check-result.ts'
import { matchesLiteral } from './literals.ts'
import type { Literals } from './rule.ts'

/** What a validator writes to while it validates an answer. */
export type Pass = ReturnType<typeof createPass>

export function createPass() {
  const pass = {
    literals: {} as Literals,
    /** Pointers to the schema nodes that some part of the instance reached. */
    visited: new Set<string>(),
    /** True while places are collected. That happens only after a violation, because most answers are correct. */
    placing: false,
    /** Instance path → rule id stated there. */
    places: new Map<string, string>(),
    /** What the schema asks to record: the description and the JSON type found. */
    observed: [] as Omit<Required<Observation>, 'exchange'>[],
    observe(what: { requirement: string; what: string }, data: unknown): void {
      pass.observed.push({ ...what, value: typeName(data) })
    },
    matches: (name: string, data: unknown): boolean =>
      typeof data !== 'string' || matchesLiteral(name, data, pass.literals),
  }
  return pass
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/**
 * Ajv with the formats and keywords of schemas/. The keywords are compiled into the validator for speed: they apply to
 * every member of every row.
 *
 * @param pass what its validators write to; standalone code names it `pass` instead.
 */
export function ajvOfSchemas(pass: Pass, code: Options['code'] = {}): Ajv2020 {
  const { _, Ajv2020, Name, str } = loadAjv()
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    messages: true,
    // Tests verify once that each file is a valid schema; there is no need to do so at every start.
    validateSchema: false,
    code,
  })
  const formats: { default: typeof addFormats.default } = createRequire(import.meta.url)(
    'ajv-formats',
  )
  formats.default(ajv, ['date-time', 'uri'])
  /** The name that a compiled validator gives to the path of its instance. */
  const instancePath = new Name('instancePath')
  const noted = { ref: pass, code: _`pass` }
  ajv.addKeyword({
    keyword: 'visit',
    schemaType: 'string',
    code: ({ gen, schema }) => {
      gen.code(_`${gen.scopeValue('obj', noted)}.visited.add(${schema})`)
    },
  })
  ajv.addKeyword({
    keyword: 'requirement',
    schemaType: 'string',
    code({ gen, schema, parentSchema, it }) {
      // This node only states that a member is not null; another node states what is inside it.
      if (parentSchema.not !== undefined) return
      const at = gen.scopeValue('obj', noted)
      const place = str`${instancePath}${it.errorPath}`
      gen.if(_`${at}.placing`, () => gen.code(_`${at}.places.set(${place}, ${schema})`))
    },
  })
  ajv.addKeyword({ keyword: 'presence', schemaType: 'string' })
  ajv.addKeyword({
    keyword: 'observe',
    schemaType: 'object',
    code: ({ gen, schemaValue, data }) => {
      gen.code(_`${gen.scopeValue('obj', noted)}.observe(${schemaValue}, ${data})`)
    },
  })
  ajv.addKeyword({
    keyword: 'literal',
    schemaType: 'string',
    code(context) {
      const { gen, schema, data } = context
      context.pass(_`${gen.scopeValue('obj', noted)}.matches(${schema}, ${data})`)
    },
  })
  return ajv
}
