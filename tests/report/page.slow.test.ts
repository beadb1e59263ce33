import { createHash, randomBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { describe, expect, test } from 'vitest'
import { verdictSentence } from '../../engine/report/counts.ts'
import { diffReports } from '../../engine/report/diff.ts'
import { visible } from '../../engine/report/escape.ts'
import { historyEntry } from '../../engine/report/history.ts'
import { html } from '../../engine/report/html/page.ts'
import { ATTACK, hostileRun, MEGABYTE } from './hostile.ts'
import { copied, recorded } from './recorded.ts'

const every = await recorded('every')
const hostile = await hostileRun()

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

function elements(node: Node): Element[] {
  const own = 'tagName' in node ? [node as Element] : []
  const children = 'childNodes' in node ? node.childNodes : []
  return [...own, ...children.flatMap(elements)]
}

function text(node: Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value
  return 'childNodes' in node ? node.childNodes.map(text).join('') : ''
}

const attribute = (element: Element, name: string) =>
  element.attrs.find((attr) => attr.name === name)?.value
const named = (all: Element[], ...tags: string[]) =>
  all.filter(({ tagName }) => tags.includes(tagName))

function whole(): string {
  const { report: before } = copied(every, { startedAt: '2026-03-01T02:00:00.000Z' })
  for (const check of before.checks) if (check.id === 'ACC-05/gbp') check.outcome = 'pass'
  return html(every.report, every.exchanges, {
    diff: diffReports(before, every.report),
    history: [historyEntry(before), historyEntry(every.report)],
  })
}

describe('report.html', () => {
  test('is one file: nothing in it is fetched', () => {
    for (const page of [whole(), html(hostile.report, hostile.exchanges)]) {
      const all = elements(parse(page))
      expect(
        named(all, 'img', 'link', 'iframe', 'object', 'embed', 'video', 'audio', 'base', 'source'),
      ).toEqual([])
      for (const element of all) {
        expect(attribute(element, 'src')).toBeUndefined()
        expect(attribute(element, 'style')).toBeUndefined()
        expect(element.attrs.filter(({ name }) => name.startsWith('on'))).toEqual([])
        expect(attribute(element, 'href') ?? '#').toMatch(/^#/)
      }
    }
  })

  test('allows its one script and one style sheet by their hashes, and nothing else', () => {
    const all = elements(parse(html(hostile.report, hostile.exchanges)))
    const meta = named(all, 'meta').find(
      (m) => attribute(m, 'http-equiv') === 'Content-Security-Policy',
    )
    const policy = attribute(meta as Element, 'content') ?? ''
    const hash = (element: Element) =>
      `'sha256-${createHash('sha256').update(text(element)).digest('base64')}'`
    const scripts = named(all, 'script').filter((s) => attribute(s, 'type') === undefined)
    const styles = named(all, 'style')
    expect([scripts.length, styles.length]).toEqual([1, 1])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`script-src ${hash(scripts[0] as Element)};`)
    expect(policy).toContain(`style-src ${hash(styles[0] as Element)};`)
    expect(policy).not.toContain('unsafe')
  })

  test('shows verdict, requirements and failures without its script', () => {
    const all = elements(parse(whole()))
    const words = text(named(all, 'body')[0] as Element)
    expect(words).toContain(verdictSentence(every.report))
    for (const requirement of every.report.requirements) expect(words).toContain(requirement.text)
    for (const check of every.report.checks) expect(words).toContain(check.title)
    expect(words).toContain('row 2: BookingDateTime')
  })

  test('has landmarks, one h1, headings in order, unique ids, and links that lead somewhere', () => {
    const all = elements(parse(whole()))
    for (const tag of ['header', 'nav', 'main', 'h1'])
      expect(named(all, tag).length, tag).toBeGreaterThan(0)
    expect(named(all, 'h1')).toHaveLength(1)
    expect(named(all, 'main')).toHaveLength(1)
    let level = 1
    for (const heading of named(all, 'h1', 'h2', 'h3', 'h4')) {
      const own = Number(heading.tagName.slice(1))
      expect(own).toBeLessThanOrEqual(level + 1)
      level = own
    }
    const ids = all.map((e) => attribute(e, 'id')).filter((id) => id !== undefined)
    expect(new Set(ids).size).toBe(ids.length)
    const known = new Set(ids)
    for (const link of named(all, 'a')) {
      const target = decodeURIComponent((attribute(link, 'href') ?? '').slice(1))
      if (!target.startsWith('exchange-')) expect(known.has(target), target).toBe(true)
    }
  })

  test('writes an attack as text, exactly', () => {
    const { report, exchanges } = hostile
    const all = elements(parse(html(report, exchanges)))
    const actual = all
      .filter((e) => attribute(e, 'class') === 'actual')
      .map((e) => text(named(elements(e), 'pre')[0] as Element))
    expect(actual.length).toBeGreaterThan(3)
    for (const words of actual) expect(words).toBe(visible(ATTACK))
    const packed = named(all, 'script').filter(
      (s) => attribute(s, 'type') === 'application/octet-stream',
    )
    const records = packed.flatMap(
      (s) =>
        JSON.parse(inflateRawSync(Buffer.from(text(s), 'base64')).toString()) as {
          id: string
          request: { body: string }
        }[],
    )
    expect(records).toHaveLength(exchanges.length)
    expect(records.every(({ request }) => request.body === ATTACK)).toBe(true)
  })

  test('is bounded when every string is a megabyte, and says so', async () => {
    const { report, exchanges } = await hostileRun(MEGABYTE)
    const page = html(report, exchanges)
    expect(page.length).toBeLessThan(8 * 1024 * 1024)
    expect(page).toContain('more characters)')
  })

  test('leaves out exchange data that no page could hold, evidence last, and says how much', () => {
    // Nothing that packing makes smaller.
    const evidence = every.report.checks.find(({ id }) => id === 'TXN-17/to-alone')?.exchanges[0]
    const at = every.exchanges.findIndex(({ id }) => id === evidence)
    const from = Math.max(0, at - 1000)
    const exchanges = every.exchanges.slice(from, from + 1500).map((record) => {
      const body = randomBytes(32_000).toString('base64')
      return { ...record, response: { status: 200, headers: [], body, bytes: body.length } }
    })
    const page = html(every.report, exchanges)
    expect(page.length).toBeLessThan(26 * 1024 * 1024)
    expect(page).toMatch(/Headers and bodies of [0-9,]+ exchanges are in exchanges\.jsonl only/)
    const index = /id="exchange-index">(.*?)<\/script>/.exec(page)?.[1] ?? '{}'
    const { rows } = JSON.parse(index) as { rows: (string | number)[][] }
    expect(rows).toHaveLength(1500)
    expect(rows.find(([id]) => id === evidence)?.at(-1)).toBeGreaterThanOrEqual(0)
    const leftOut = rows.filter((row) => row.at(-1) === -1).map(([id]) => id)
    const shown = every.report.checks.flatMap(({ outcome, exchanges: ids }) =>
      outcome === 'fail' ? ids : [],
    )
    expect(leftOut.length).toBeGreaterThan(0)
    expect(shown.filter((id) => leftOut.includes(id))).toEqual([])
  })
})
