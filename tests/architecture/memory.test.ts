import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'

const root = join(import.meta.dirname, '..', '..')

/** A node of the syntax tree, as far as it is looked at. */
interface Node {
  type: string
  [member: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string'

const childrenOf = (node: Node) => Object.values(node).flat().filter(isNode)

const isFunction = ({ type }: Node) =>
  type === 'ArrowFunctionExpression' || /^Function(Expression|Declaration)$/.test(type)

/** Names that a node says anywhere inside. */
function namesIn(node: Node): string[] {
  return [
    ...(node.type === 'Identifier' ? [String(node.name)] : []),
    ...childrenOf(node).flatMap(namesIn),
  ]
}

/** A request, or what a bank hands to what it makes for itself: such a function runs for one bank. */
const OF_ONE_BANK = ['ctx', 'correct', '_correct', 'tools', 'fired']

/** Names that a parameter gives, without those in its type. */
function namesGivenBy({ typeAnnotation: _, ...parameter }: Node): string[] {
  if (parameter.type === 'Identifier') return [String(parameter.name)]
  return childrenOf(parameter).flatMap(namesGivenBy)
}

const servesOneBank = (scope: Node) =>
  (scope.params as Node[]).flatMap(namesGivenBy).some((name) => OF_ONE_BANK.includes(name))

/** Can what the variable holds become another? Collections that begin empty, and every `let`. */
function changes(declaration: Node, { init }: Node): boolean {
  if (declaration.kind === 'let') return true
  if (!isNode(init) || init.type !== 'NewExpression') return false
  const [key] = isNode(init.typeArguments) ? (init.typeArguments.params as Node[]) : []
  // Contexts and connections are of one bank.
  if (key && namesIn(key).some((name) => /^(Context|Socket|HttpServer)$/.test(name))) return false
  const named = /^(Weak)?(Map|Set)$/.test(String((init.callee as Node).name))
  return named && (init.arguments as Node[]).length === 0
}

const functionsIn = (node: Node): Node[] =>
  childrenOf(node).flatMap((child) => (isFunction(child) ? [child] : functionsIn(child)))

/** Variables that keep what one bank wrote into them: of the module, and of closures. */
function memories(source: string): { name: string; closure: boolean }[] {
  const within = (node: Node, scope: Node | undefined): ReturnType<typeof memories> => {
    if (isFunction(node) && servesOneBank(node)) return []
    // What is made for each bank.
    if (node.type === 'CallExpression' && (node.callee as Node).name === 'ofEachBank') return []
    const around = isFunction(node) ? node : scope
    const declared =
      node.type === 'VariableDeclaration'
        ? (node.declarations as Node[]).filter((one) => changes(node, one))
        : []
    const kept = declared
      .flatMap(({ id }) => namesIn(id as Node).slice(0, 1))
      .filter((name) => !around || functionsIn(around).some((one) => namesIn(one).includes(name)))
    const found = kept.map((name) => ({ name, closure: around !== undefined }))
    return [...found, ...childrenOf(node).flatMap((child) => within(child, around))]
  }
  return within(parseAst(source, { lang: 'ts' }) as unknown as Node, undefined)
}

function memoriesOf(
  folder: string,
  { about = (_file: string, _source: string) => true, closures = true },
): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  const sources = files
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name, source: readFileSync(join(root, folder, name), 'utf8') }))
    .filter(({ name, source }) => about(name, source))
  expect(sources.length).toBeGreaterThan(20)
  return sources.flatMap((file) =>
    memories(file.source)
      .filter(({ closure }) => closures || !closure)
      .map(({ name }) => `${file.name} ${name}`),
  )
}

test.each([
  ['of the module', 'let count = 0'],
  ['a collection', 'const seen = new Map<string, number>()'],
  ['by bank', 'const seen = new WeakMap<Bank, string>()'],
  [
    'of a closure that is told what to do with requests',
    'function when(fits: (ctx: Context) => boolean) { let n = 0; return () => n++ }',
  ],
  ['of a closure', 'function slow() { let n = 0; return (ctx: Context) => { n += 1 } }'],
  ['of a function called at once', '(() => { const seen = new Set(); return () => seen })()'],
])('a memory is found: %s', (_where, source) => {
  expect(memories(source)).toHaveLength(1)
})

test.each([
  ['of each bank', 'const seen = ofEachBank(() => new Map<string, number>())'],
  ['by request', 'const seen = new WeakMap<Context, number>()'],
  ['of the policies of one bank', '({ policies(correct) { let n = 0; return () => n++ } })'],
  ['of one request', '({ middleware(ctx) { let n = 0; ctx.on(() => { n += 1 }) } })'],
  ['of one call', 'function sum() { let all = 0; all += 1; return all }'],
  ['a constant', "const KINDS = new Set(['a', 'b'])"],
])('what ends in time is none: %s', (_where, source) => {
  expect(memories(source)).toEqual([])
})

test('what alters a bank remembers nothing beyond it', () => {
  const about = (name: string, source: string) =>
    /^(cells|faults|scenarios|variants)\b/.test(name) ||
    (!name.startsWith('tpp') && /\b(stateOf|currentRequest)\(/.test(source))
  // Where the memory of each bank is kept; and what is made again for each.
  const others = /^(run\/each-bank|tables\/prove-table)\.ts/
  const found = memoriesOf('proof', { about }).filter((one) => !others.test(one))
  expect(found, 'keep it with ofEachBank of proof/run/each-bank.ts').toEqual([])
})

test('a bank shares nothing with others but the rows of a day, which are the same for all', () => {
  // Its closures are made with it.
  const found = memoriesOf('bank', { closures: false })
  expect(found).toEqual(['data/transactions.ts cache', 'data/transactions.ts cachedDay'])
})
