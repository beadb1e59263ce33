/**
 * Parses the lists of specs/ once for all starts: dist/lists.json. A list is used only while the digest of its file and
 * schema is the same, so that editing specs/ does not require a build.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '..', 'dist', 'engine')
const { BUILT_LISTS, listDigest, listKey } = await import(join(dist, 'yaml', 'built-lists.js'))
const { parseList } = await import(join(dist, 'yaml', 'list.js'))
const { root } = await import(join(dist, 'record', 'root.js'))

const specs = join(root, 'specs')
const SCHEMAS = {
  'decisions.yaml': 'decisions',
  'operations.yaml': 'operations',
  'unquoted.yaml': 'unquoted',
  'field-defects.yaml': 'field-defects',
}

const lists = {}
for (const name of readdirSync(specs, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!name.endsWith('.yaml')) continue
  const schema = SCHEMAS[name] ?? 'requirements'
  const file = join(specs, name)
  const text = readFileSync(file, 'utf8')
  const problems = []
  const entries = parseList(name, schema, text, problems)
  // The code that reads the list reports its mistakes.
  if (problems.length > 0) continue
  lists[listKey(file, schema)] = { digest: listDigest(schema, text), entries }
}
writeFileSync(BUILT_LISTS, JSON.stringify(lists))
