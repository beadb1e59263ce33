import { createHash } from 'node:crypto'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { describe, expect, test } from 'vitest'
import { diffReports } from '../../engine/report/diff.ts'
import { historyEntry } from '../../engine/report/history.ts'
import { html } from '../../engine/report/html/page.ts'
import { visible } from '../../engine/report/legible.ts'
import { fixtureExchanges, fixtureReport } from './fixture.ts'
import { ATTACK, hostileRun, MEGABYTE } from './hostile.ts'

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
  const before = fixtureReport({ startedAt: '2026-03-01T02:00:00.000Z' })
  for (const check of before.checks) if (check.id === 'ACC-05/gbp') check.outcome = 'pass'
  return html(fixtureReport(), fixtureExchanges(40), {
    diff: diffReports(before, fixtureReport()),
    history: [historyEntry(before), historyEntry(fixtureReport())],
  })
}

describe('report.html', () => {
  test('is one file: nothing in it is fetched', () => {
    for (const page of [whole(), html(hostileRun().report, hostileRun().exchanges)]) {
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
    const all = elements(parse(html(hostileRun().report, hostileRun().exchanges)))
    const meta = named(all, 'meta').find(
      (m) => attribute(m, 'http-equiv') === 'Content-Security-Policy',
    )
    const policy = attribute(meta as Element, 'content') ?? ''
    const hash = (element: Element) =>
      `'sha256-${createHash('sha256').update(text(element)).digest('base64')}'`
    const scripts = named(all, 'script').filter((s) => attribute(s, 'type') !== 'application/json')
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
    expect(words).toContain('5 of 11 musts in scope passed, 3 failed')
    for (const requirement of fixtureReport().requirements)
      expect(words).toContain(requirement.text)
    for (const check of fixtureReport().checks) expect(words).toContain(check.title)
    expect(words).toContain('none of the 8 transactions booked after')
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
    const { report, exchanges } = hostileRun()
    const all = elements(parse(html(report, exchanges)))
    const actual = all
      .filter((e) => attribute(e, 'class') === 'actual')
      .map((e) => text(named(elements(e), 'pre')[0] as Element))
    expect(actual.length).toBeGreaterThan(3)
    for (const words of actual) expect(words).toBe(visible(ATTACK))
    const data = named(all, 'script').filter((s) => attribute(s, 'type') === 'application/json')
    const records = data
      .filter((s) => attribute(s, 'id') !== 'exchange-index')
      .flatMap((s) => JSON.parse(text(s)) as { id: string; request: { body: string } }[])
    expect(records).toHaveLength(40)
    expect(records.every(({ request }) => request.body === ATTACK)).toBe(true)
  })

  test('is bounded when every string is a megabyte, and says so', () => {
    const { report, exchanges } = hostileRun(MEGABYTE)
    const page = html(report, exchanges)
    expect(page.length).toBeLessThan(8 * 1024 * 1024)
    expect(page).toContain('more characters)')
  })

  test('leaves out exchange data that no page could hold, evidence last, and says how much', () => {
    const big = 'x'.repeat(60_000)
    const exchanges = fixtureExchanges(1500, (record) => ({
      ...record,
      response: { status: 200, headers: [], body: big, bytes: big.length },
    }))
    const page = html(fixtureReport(), exchanges)
    expect(page.length).toBeLessThan(52 * 1024 * 1024)
    expect(page).toMatch(/Headers and bodies of [0-9,]+ exchanges are in exchanges\.jsonl only/)
    const index = /id="exchange-index">(.*?)<\/script>/.exec(page)?.[1] ?? '[]'
    const rows = JSON.parse(index) as (string | number)[][]
    expect(rows).toHaveLength(1500)
    expect(rows.find(([id]) => id === 'x22')?.at(-1)).toBeGreaterThanOrEqual(0)
    expect(rows.at(-1)?.at(-1)).toBe(-1)
  })
})
