import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { parseAst } from 'vitest/node'
import { refreshOf } from '../../engine/authorisation-drivers/refresh.ts'
import { fitsStars } from '../../engine/configuration/star-pattern.ts'
import { wordsOf } from '../../engine/record/page-words.ts'
import { oneLine } from '../../engine/report/escape.ts'
import { createBodies } from '../../engine/wire/bodies.ts'
import { createRedactor } from '../../engine/wire/redaction.ts'
import { superLinear } from './super-linear.ts'

const root = join(import.meta.dirname, '..', '..')

/** What meets texts of banks, TPPs, users and folders. */
const ROOMS = ['engine', 'cli', 'suites', 'bank', 'proof/tpp']

/** The user's own pattern, which vitest was given to choose tests by. */
const OF_THE_USER = ['engine/run/shared-judging.ts']

interface Node {
  type: string
  start: number
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
}

const sources = ROOMS.flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|js)$/.test(name))
    .map((name) => `${room}/${name}`),
).map((file) => ({ file, nodes: nodesOf(file) }))

function nodesOf(file: string): Node[] {
  const lang = file.endsWith('.ts') ? 'ts' : 'js'
  const within = (value: unknown): Node[] => {
    if (Array.isArray(value)) return value.flatMap(within)
    if (typeof value !== 'object' || value === null || value instanceof RegExp) return []
    const inner = Object.values(value).flatMap(within)
    return 'type' in value ? [value as Node, ...inner] : inner
  }
  return within(parseAst(readFileSync(join(root, file), 'utf8'), { lang }))
}

const literals = new Map<string, { pattern: RegExp; places: string[] }>()
for (const { file, nodes } of sources) {
  for (const { regex } of nodes) {
    if (!regex) continue
    const pattern = new RegExp(regex.pattern, regex.flags)
    const known = literals.get(String(pattern)) ?? { pattern, places: [] }
    known.places.push(file)
    literals.set(String(pattern), known)
  }
}

test('every pattern that is written in a source reads every text in linear time', () => {
  expect(literals.size).toBeGreaterThan(300)
  const found = [...literals.values()].flatMap(({ pattern, places }) => {
    const why = superLinear(pattern)
    return why === undefined ? [] : [`${pattern} of ${[...new Set(places)].join(', ')} is ${why}`]
  })
  expect(found).toEqual([])
})

afterAll(() => vi.unstubAllGlobals())

test('so does every pattern that a module makes', async () => {
  const makers = sources
    .filter(({ nodes }) =>
      nodes.some(({ type, callee }) => /^(New|Call)Exp/.test(type) && callee?.name === 'RegExp'),
    )
    .map(({ file }) => file)
    .filter((file) => !OF_THE_USER.includes(file))
  const made: RegExp[] = []
  vi.stubGlobal(
    'RegExp',
    new Proxy(RegExp, {
      construct(target, parts: [string, string?]) {
        made.push(new target(...parts))
        return new target(...parts)
      },
    }),
  )
  for (const file of makers) {
    const before = made.length
    await import(join(root, 'dist', `${file.slice(0, -3)}.js?made`))
    // What a function makes of what it is told can't be looked at here.
    expect(made.length, `${file} makes no pattern as it is loaded`).toBeGreaterThan(before)
  }
  vi.unstubAllGlobals()
  expect(made.length).toBeGreaterThan(15)
  const found = made.flatMap((pattern) => {
    const why = superLinear(pattern)
    return why === undefined ? [] : [`${pattern} is ${why}`]
  })
  expect(found).toEqual([])
})

test.each([
  /(a+)+$/,
  /^(a|a)*b/,
  /^(a*)*b/,
  /^(?:a?a?)*b/,
  /^(\w+\s?)*$/,
  /\s+$/,
  /\s*\n\s*/,
  /^a*a*b/,
  /^\s*(\d+)[\d.]*(?=;)/,
  /<input\b[^>]*\btype=password\b[^>]*\bvalue="/i,
  /"[^;]*";/,
  /<!--[\s\S]*?-->/,
  /x.*y/,
  /\d+(?!\d)\b/,
  /a(?=.*b)/,
  /(["'])[^;]*\1/,
  /[^/]+$/,
  /a{200}b/,
  /(?:xy.*)+z/,
])('%s is told to be slow', (pattern) => {
  expect(superLinear(pattern)).toMatch(/^(polynomial|exponential): /)
})

test.each([
  /a+/,
  /(?<!a)a+b/,
  /\b\w+:/,
  /^(a+)b/,
  /^a*b*c/,
  /<!--(?:(?!<!--)[^<])*-->/,
  /"(?:[^"\\]|\\.)*"?/s,
  /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s,
  /-----BEGIN X-----[\s\S]*?(?:-----END X-----|$)/,
  /(?<!\/)\/+$/,
  /\d{1,20}x/,
  /^(?:ab|ac)*d/,
])('%s is not', (pattern) => {
  expect(superLinear(pattern)).toBeUndefined()
})

const redactor = createRedactor(['Correct Horse 7', 's3cr3t-äöü'])
const bodies = createBodies()

/** What a text is given to, and a part of which a hostile text consists. */
const READERS: [what: string, read: (text: string) => unknown, ...parts: string[]][] = [
  [
    'redaction',
    (text) => redactor.redactText(text),
    '<input type=password ',
    '<input type="password" value=\'',
    'eyJaaaaaaa',
    'eyJaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----',
    '"password":"',
    '\\',
    '\\\\u0026amp;',
    '%25',
    '4A ',
    '1, ',
    'Bearer ',
    '4111 ',
    'QUJD\n',
    '=\r\n',
    '<!--',
    '<![CDATA[',
    '&amp',
    '+AGE-',
  ],
  ['a refresh', refreshOf, '0', '0.', ' ', '0;url='],
  ['one line', oneLine, ' ', '\t', ' \n', '\u001b'],
  ['words of a page', wordsOf, '<script', '<script>', '<'],
  ['a star pattern', (text) => fitsStars(text, '*a*a*a*a*a*a*b'), 'a'],
  ['a body', (text) => bodies.keep(Buffer.from(`[${text}0]`)), '{},', '[],', '{"a":{}},'],
]

test.each(
  READERS.flatMap(([what, read, ...parts]) => parts.map((part) => [what, part, read] as const)),
)('%s takes eight times as long for eight times %j', (_what, part, read) => {
  const short = Math.ceil(24_000 / part.length)
  const grown = () => {
    // One character more each time: nothing is remembered.
    const times = [1, 8].map((factor) => timed(() => read(part.repeat(short * factor))))
    return (times[1] as number) / Math.max(0.5, times[0] as number)
  }
  // A quadratic reader would take 64 times as long, each time; a busy machine may, now and then.
  let least = grown()
  for (let again = 0; again < 11 && least >= 28; again += 1) least = Math.min(least, grown())
  expect(least).toBeLessThan(28)
})

function timed(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}
