import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..')

type Graph = ReadonlyMap<string, readonly string[]>

/** File → the files that it imports, types included. */
function importsOf(room: string): Graph {
  const names = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.ts')).map((name) => join(root, room, name))
  const imported = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)/g)]
      .map(([, from, dynamic]) => resolve(dirname(file), from ?? dynamic ?? ''))
      .filter((target) => files.includes(target))
  return new Map(files.map((file) => [file, imported(file)]))
}

/** Strongly connected components of more than one file (Tarjan 1972), each a circle or several. */
function circles(graph: Graph): string[][] {
  const found: string[][] = []
  const order = new Map<string, number>()
  const stack: string[] = []
  const visit = (file: string): number => {
    order.set(file, order.size)
    let low = order.get(file) as number
    stack.push(file)
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, order.get(next) as number)
    }
    if (low === order.get(file)) {
      const component = stack.splice(stack.indexOf(file))
      if (component.length > 1) found.push(component.map((each) => relative(root, each)).sort())
    }
    return low
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return found
}

test('a circle is found, however long', () => {
  const graph = new Map([
    [join(root, 'a'), [join(root, 'b')]],
    [join(root, 'b'), [join(root, 'c'), join(root, 'd')]],
    [join(root, 'c'), [join(root, 'a')]],
    [join(root, 'd'), []],
  ])
  expect(circles(graph)).toEqual([['a', 'b', 'c']])
})

test.each(['bank', 'engine', 'suites', 'proof', 'authoring', 'cli'])(
  'no circles in %s, not even of types',
  (room) => {
    const graph = importsOf(room)
    expect(graph.size).toBeGreaterThan(5)
    expect(circles(graph)).toEqual([])
  },
)
