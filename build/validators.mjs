/**
 * Compiles the schemas of answers and of the files that commands read once for all starts: dist/validators/, ajv's
 * standalone code. A validator is used only while the digest of its schema is the same.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '..', 'dist', 'engine')
const { BUILT_VALIDATORS, builtValidatorFile, validatorModule } = await import(
  join(dist, 'record', 'built-validators.js')
)
const { schemaSources } = await import(join(dist, 'judge', 'schemas.js'))
const { ajvOfSchemas, createPass } = await import(join(dist, 'judge', 'schema-keywords.js'))
const { ajvOfFiles, assayValidator, schemaFile, wholeSchema } = await import(
  join(dist, 'record', 'validators.js')
)
const { default: standaloneCode } = createRequire(import.meta.url)('ajv/dist/standalone')

rmSync(BUILT_VALIDATORS, { recursive: true, force: true })
mkdirSync(BUILT_VALIDATORS, { recursive: true })

const write = (name, text, ajv, schema) => {
  const code = standaloneCode(ajv, ajv.compile(schema))
  writeFileSync(builtValidatorFile(name), validatorModule(text, code))
}

for (const { name, text, schema } of schemaSources()) {
  write(name, text, ajvOfSchemas(createPass(), { source: true }), schema)
}
/** The definitions that are used; undefined means the schema itself. */
const OF_FILES = {
  target: ['target', 'embedded'],
  tpp: [undefined, 'command', 'browser', 'ask'],
  deviations: [undefined],
  policy: [undefined],
  report: [undefined, 'check'],
  exchange: [undefined],
  statement: [undefined, 'header'],
  history: [undefined],
  clients: [undefined],
  journal: [undefined],
}
for (const [name, definitions] of Object.entries(OF_FILES)) {
  const text = readFileSync(schemaFile(name), 'utf8')
  for (const definition of definitions) {
    const ajv = ajvOfFiles(name, { source: true })
    write(assayValidator(name, definition), text, ajv, wholeSchema(text, definition))
  }
}
