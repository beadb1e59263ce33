import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { builtValidator } from '../record/built-validators.ts'
import { root } from '../record/root.ts'
import { chunks, placeIn } from './array-chunks.ts'
import { isOverruled } from './literals.ts'
import type { Finding, Literals } from './rule.ts'
import {
  findingOf,
  isRepetition,
  ruleOf,
  strangerFinding,
  strangersAmong,
} from './schema-findings.ts'
import { ajvOfSchemas, createPass, type Pass } from './schema-keywords.ts'
import { instrument } from './schema-requirements.ts'

/** A compiled schema of schemas/ with the responses to which it applies. */
export type ResponseSchema = ReturnType<typeof compile>

/** Maximum number of violations kept per rule. */
const KEEP = 20

/**
 * Loads schemas/account-information and schemas/product-information.
 *
 * @param wanted selects files by their path below the folder; all by default.
 */
export function loadSchemas(
  folder: string = join(root, 'schemas'),
  wanted: (file: string) => boolean = () => true,
) {
  return filesIn(folder)
    .filter(wanted)
    .map((file) => compile(join(folder, file), file))
}

function filesIn(folder: string): string[] {
  return ['account-information', 'product-information'].flatMap((document) =>
    readdirSync(join(folder, document), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => `${document}/${name}`),
  )
}

export interface SchemaVerdict extends Pick<Pass, 'visited' | 'observed'> {
  /** Violations by rule id, at most the first 20 of each. */
  findings: Map<string, Finding[]>
  /** The rule that is violated by a list of the wrong kind of item: nothing inside it can be judged. */
  within?: string
}

function compile(path: string, file: string) {
  const text = readFileSync(path, 'utf8')
  const { responses, instrumented, stated } = instrumentedOf(text)
  if (!Array.isArray(responses)) throw new Error(`${file}: no responses`)
  const pass = createPass()
  let compiled: ValidateFunction | undefined
  /** Compiled on first use: `assay plan` needs none of the validators. */
  const validator = (): ValidateFunction => {
    try {
      compiled ??=
        builtValidator(validatorName(file), text, pass) ?? ajvOfSchemas(pass).compile(instrumented)
      return compiled
    } catch (error) {
      throw new Error(`${file}: ${(error as Error).message}`)
    }
  }

  /** Answers that are identical byte by byte share one object: see engine/wire/bodies.ts. */
  const known = new WeakMap<object, { literals: Literals; result: SchemaVerdict }>()

  /** Validates again to record where in the instance each statement applies. */
  const place = (part: unknown) => {
    const { observed } = pass
    Object.assign(pass, { placing: true, places: new Map(), observed: [] })
    validator()(part)
    Object.assign(pass, { placing: false, observed })
  }

  return {
    /** account-information/accounts.schema.json */
    file,
    /** Endpoint and status: `accounts 2xx`, `products error`. */
    responses: responses.map(String),
    /** Every statement of the schema: rule id, title and position. */
    stated,
    validate(instance: unknown, literals: Literals): SchemaVerdict {
      const before = known.get(instance as object)
      if (before?.literals === literals) return before.result
      Object.assign(pass, { literals, visited: new Set(), observed: [] })
      const findings = new Map<string, Finding[]>()
      let within: string | undefined
      for (const { part, offset, path: arrayPath } of chunks(instance)) {
        const judge = validator()
        if (judge(part)) continue
        place(part)
        const errors = judge.errors ?? []
        const strangers = strangersAmong(errors)
        for (const error of errors) {
          const { instancePath, schemaPath, parentSchema } = error
          if (isRepetition(error) || isOverruled(error, literals)) continue
          const stranger = strangers.get(instancePath)
          if (stranger && stranger !== error) continue
          const own = stranger && (parentSchema?.requirement as string)
          const id = own ?? ruleOf(error, pass.places)
          if (!id) throw new Error(`${file}: ${schemaPath} belongs to no stated place`)
          if (own) within ??= own
          const list = findings.get(id) ?? []
          findings.set(id, list)
          if (list.length >= KEEP) continue
          const at = placeIn(instancePath, arrayPath, offset)
          list.push(own ? strangerFinding(error, at) : findingOf(error, at))
        }
      }
      const result = {
        ...{ findings, visited: pass.visited, observed: pass.observed },
        ...(within !== undefined && { within }),
      }
      if (typeof instance === 'object' && instance !== null)
        known.set(instance, { literals, result })
      return result
    },
  }
}

function instrumentedOf(text: string) {
  const { responses, ...schema } = JSON.parse(text) as Record<string, unknown>
  return { responses, ...instrument(schema) }
}

/** account-information/accounts */
const validatorName = (file: string) => file.replace(/\.schema\.json$/, '')

/** The sources from which the validators of schemas/ are compiled. */
export function* schemaSources(folder: string = join(root, 'schemas')) {
  for (const file of filesIn(folder)) {
    const text = readFileSync(join(folder, file), 'utf8')
    const { instrumented, stated } = instrumentedOf(text)
    yield { file, name: validatorName(file), text, schema: instrumented, stated }
  }
}
