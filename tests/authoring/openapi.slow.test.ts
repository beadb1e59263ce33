import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import postman from 'openapi-to-postmanv2'
import { generateApi } from 'swagger-typescript-api'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { EXAMPLES } from '../../authoring/openapi/examples.ts'
import { loadOperations, placed } from '../../authoring/openapi/operations.ts'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { loadSchemas } from '../../engine/judge/schemas.ts'
import { loadSuites } from '../../engine/run/suites.ts'
import { fits, mutants } from '../../proof/run/mutants.ts'
import { observed } from '../observed.ts'

/** The descriptions in docs/openapi, in the hands of those for whom they are made. */

const root = resolve(import.meta.dirname, '..', '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const run = promisify(execFile)
const scratch = mkdtempSync(join(tmpdir(), 'assay-openapi-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const operations = placed(loadOperations())
const documents = ['account-information', 'product-information'] as const
const fileOf = (document: string) => join(root, 'docs', 'openapi', `${document}.yaml`)

interface Description {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, unknown> }
}
interface Described {
  operationId: string
  responses: Responses
  requestBody?: { content: Record<string, Shown> }
}
interface Shown {
  schema: object
  example?: unknown
}
type Responses = Record<string, { content?: { 'application/json': { schema: object } } }>

const described = (document: string): Description => parse(readFileSync(fileOf(document), 'utf8'))

test('the operations are those of the documents, each with words of its row', () => {
  for (const { document, quote, id } of operations) {
    const text = readFileSync(join(root, 'documents', `${document}.md`), 'utf8')
    expect(text.includes(quote), `${id}: ${quote}`).toBe(true)
  }
  const rows = documents.flatMap((document) =>
    readFileSync(join(root, 'documents', `${document}.md`), 'utf8')
      .split('\n')
      .filter((line) => /^\| (GET|POST|DELETE) \|/.test(line)),
  )
  const unnamed = rows.filter((row) => !operations.some(({ quote }) => row.includes(quote)))
  expect(unnamed).toEqual([])
})

test('every schema of an answer describes an operation, but that of keys', () => {
  const known = new Set(operations.map(({ id }) => id as string))
  const responses = loadSchemas().flatMap((schema) => schema.responses)
  const strange = responses.filter((response) => !known.has(response.split(' ')[0] ?? ''))
  expect(strange).toEqual(['jwks 2xx'])
})

describe.each(documents)('%s', (document) => {
  const own = operations.filter((operation) => operation.document === document)

  test('Redocly finds nothing', async () => {
    const config = join(root, 'docs', 'openapi', 'redocly.yaml')
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const lint = ['lint', '--config', config, '--format', 'json', fileOf(document)]
    const { stdout } = await run(bin('redocly'), lint, { env })
    const { totals, problems } = JSON.parse(stdout)
    expect(problems).toEqual([])
    expect(totals).toMatchObject({ errors: 0, warnings: 0 })
  })

  test('a generator makes a client of it that compiles and has every operation', async () => {
    await generateApi({
      input: fileOf(document),
      output: scratch,
      fileName: `${document}.ts`,
      silent: true,
      generateClient: true,
    })
    const client = join(scratch, `${document}.ts`)
    const source = readFileSync(client, 'utf8')
    for (const { operationId } of own) expect(source).toContain(`${operationId}: (`)
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'ES2022',
      '--lib',
      'ES2022,DOM',
    ]
    await run(bin('tsc'), [...options, '--ignoreConfig', client])
  })

  test("Postman's importer makes a request of every operation", async () => {
    const data = readFileSync(fileOf(document), 'utf8')
    const complaints = vi.spyOn(console, 'error')
    const collection = await new Promise<unknown>((done, failed) => {
      postman.convert({ type: 'string', data }, {}, (error, made) => {
        if (made?.result) done(made.output?.[0]?.data)
        else failed(error ?? new Error(made?.reason))
      })
    })
    expect(complaints.mock.calls).toEqual([])
    expect(requestsIn(collection).sort()).toEqual(own.map(({ summary }) => summary).sort())
  })
})

interface Item {
  name: string
  request?: unknown
  item?: Item[]
}

function requestsIn(collection: unknown): string[] {
  return ((collection as Item).item ?? []).flatMap((item) =>
    item.request ? [item.name] : requestsIn(item),
  )
}

test('each example is a message in which nothing is wrong', () => {
  const schemas = loadSchemas()
  const wrong = operations.flatMap((operation) => {
    const { id, success } = operation
    const { paths, components } = described(operation.document)
    const { responses = {}, requestBody } = paths[operation.path]?.[operation.method] ?? {}
    const ajv = addFormats.default(new Ajv2020({ strict: false }))
    const shown = Object.values({ ...requestBody?.content, ...responses[success]?.content })
    const invalid = (shown as Shown[]).filter(
      ({ schema, example }) =>
        example !== undefined && !ajv.compile({ ...schema, components })(example),
    )
    const example = EXAMPLES[id]?.response
    const ours = schemas.filter((schema) =>
      schema.responses.some((one) => fits(one, id, Number(success))),
    )
    expect(example === undefined, id).toBe(ours.length === 0)
    const findings = example
      ? ours.flatMap((schema) => [...schema.validate(example, {}).findings.keys()])
      : []
    return [...findings, ...invalid].map((each) => ({ id, each }))
  })
  expect(wrong).toEqual([])
})

/** The table of docs/schemas.md, and a body of each row. */
const UNSTATED: Record<string, { of: string; change(body: never): unknown }> = {
  'ENV-07/one-page': {
    of: 'transactions',
    change: (body: { Links: object }) => ({
      ...body,
      Links: { ...body.Links, Next: 'https://api.bank.example/transactions?page=2' },
    }),
  },
  'ACC-03/unique': {
    of: 'accounts',
    change: (body: { Data: { Account: object[] } }) => ({
      ...body,
      Data: { Account: [...body.Data.Account, ...body.Data.Account] },
    }),
  },
  'PROD-08/equals-length': {
    of: 'products',
    change: (body: { meta: object }) => ({ ...body, meta: { ...body.meta, TotalResults: 7 } }),
  },
}

test('what docs/schemas.md says that no schema can state is valid, and breaks its rule', async () => {
  const page = readFileSync(join(root, 'docs', 'schemas.md'), 'utf8')
  const rows = [...page.matchAll(/^\| ([A-Z]+-\d+\/[a-z-]+) \|/gm)].map(([, id]) => id)
  expect(rows).toEqual(Object.keys(UNSTATED))
  const { rules } = await loadSuites(join(root, 'suites'), loadCatalogue())
  for (const [id, { of, change }] of Object.entries(UNSTATED)) {
    const operation = operations.find((each) => each.id === of)
    const { paths, components } = described(operation?.document ?? '')
    const { responses } = paths[operation?.path ?? '']?.get ?? {}
    const ajv = addFormats.default(new Ajv2020({ strict: false }))
    const schema = responses?.['200']?.content?.['application/json'].schema
    const json = change(structuredClone(EXAMPLES[of]?.response) as never)
    expect(ajv.compile({ ...schema, components })(json), id).toBe(true)
    const request = { method: 'GET', url: `https://api.bank.example${operation?.path}` }
    const answer = {
      endpoint: of,
      about: {},
      request,
      response: { status: 200, headers: [], json },
    }
    const rule = rules.find((each) => each.id === id)
    expect(rule?.judge(answer as never, {} as never), id).toHaveLength(1)
  }
})

test('an answer is valid if and only if it breaks no must that a schema states', {
  timeout: 240_000,
}, async () => {
  const { answers } = await observed()
  const { owners } = loadCatalogue()
  const schemas = loadSchemas()
  let [valid, invalid] = [0, 0]

  for (const operation of operations) {
    const { paths, components } = described(operation.document)
    const { responses } = paths[operation.path]?.[operation.method] ?? {}
    for (const [status, { content }] of Object.entries(responses ?? {})) {
      if (!content) continue
      const ajv = addFormats.default(new Ajv2020({ strict: false }))
      const validate = ajv.compile({ ...content['application/json'].schema, components })
      const ours = schemas.filter((schema) =>
        schema.responses.some((one) => fits(one, operation.id, Number(status))),
      )
      expect(ours.length).toBeGreaterThan(0)
      const broken = (json: unknown) =>
        ours
          .flatMap((schema) => [...schema.validate(json, {}).findings.keys()])
          .filter((id) => owners.get(id)?.level === 'must')
      const seeds = answers
        .filter((answer) => answer.endpoint === operation.id && String(answer.status) === status)
        .map(({ json }) => ({ json, length: JSON.stringify(json).length }))
        .sort((one, other) => one.length - other.length)
      for (const seed of new Set([seeds.at(0)?.json, seeds.at(seeds.length >> 1)?.json])) {
        if (seed === undefined) continue
        for (const { mutant, path, how } of [
          { mutant: seed, path: '', how: 'as is' },
          ...mutants(seed),
        ]) {
          const musts = broken(mutant)
          expect(validate(mutant), `${operation.id} ${status}: ${path} ${how}, ${musts}`).toBe(
            musts.length === 0,
          )
          if (musts.length === 0) valid += 1
          else invalid += 1
        }
      }
    }
  }
  expect(valid).toBeGreaterThan(500)
  expect(invalid).toBeGreaterThan(500)
})
