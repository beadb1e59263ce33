import { junitXml } from '@allurereport/reader'
import { BufferResultFile } from '@allurereport/reader-api'
import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { junit } from '../../engine/report/junit.ts'
import type { Report } from '../../engine/report/report.ts'
import { ATTACK, hostileRun, MEGABYTE } from './hostile.ts'
import { copied, recorded } from './recorded.ts'

const { report, exchanges } = await recorded('every')
const xmlOf = (of: Report = report) => junit(of, exchanges)

interface Element {
  name: string
  attributes: Record<string, string>
  text: string
  children: Element[]
}

/** Strict XML 1.0: throws at a character that is not legal. */
function parse(xml: string): Element {
  const root: Element = { name: '', attributes: {}, text: '', children: [] }
  const stack = [root]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, text: '', children: [] }
    stack.at(-1)?.children.push(element)
    stack.push(element)
  })
  parser.on('text', (text) => {
    const top = stack.at(-1)
    if (top) top.text += text
  })
  parser.on('closetag', () => stack.pop())
  parser.write(xml).close()
  return root.children[0] as Element
}

function cases(root: Element): Element[] {
  const all = root.children.flatMap((suite) => suite.children)
  return all.filter(({ name }) => name === 'testcase')
}

describe('junit.xml', () => {
  test('has a case per check, named by id and sentence, and the verdict', () => {
    const all = cases(parse(xmlOf()))
    const names = all.map(({ attributes }) => `${attributes.classname} ${attributes.name}`)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain(
      'assay.account-information.transactions TXN-17/to-alone toBookingDateTime alone drops what was booked after it and keeps the rest',
    )
    expect(names).toHaveLength(report.checks.length + 1)
    const { report: later } = copied({ report, exchanges }, { startedAt: '2027-01-01T00:00:00Z' })
    expect(
      cases(parse(xmlOf(later))).map((c) => `${c.attributes.classname} ${c.attributes.name}`),
    ).toEqual(names)
  })

  test('has the message in the attribute and in the body, with expected, actual and the marked excerpt', () => {
    const failed = cases(parse(xmlOf())).find((c) => c.attributes.name?.startsWith('ACC-05/gbp '))
    const failure = failed?.children[0]
    expect(failure?.name).toBe('failure')
    expect(failure?.attributes.message).toContain('Currency is "EUR", not "GBP"')
    expect(failure?.text).toContain('Currency is "EUR", not "GBP"')
    expect(failure?.text).toContain('expected: "GBP"')
    expect(failure?.text).toContain('actual: "EUR"')
    expect(failure?.text).toMatch(/\n {2} *\d+ .*\n> *\d+ +"Currency": "EUR",\n {2} *\d+ /)
  })

  test('counts what it holds, and nothing that was not judged is green', () => {
    const root = parse(xmlOf())
    const all = cases(root)
    const holding = (name: string) =>
      all.filter((c) => c.children.some((child) => child.name === name))
    expect(Number(root.attributes.tests)).toBe(all.length)
    expect(Number(root.attributes.failures)).toBe(holding('failure').length)
    expect(Number(root.attributes.errors)).toBe(holding('error').length)
    expect(Number(root.attributes.skipped)).toBe(holding('skipped').length)
    const green = all.filter((c) => c.children.every((child) => child.name === 'system-out'))
    const judged = report.checks.filter(({ outcome }) => outcome === 'pass' || outcome === 'warn')
    const ids = green.map((c) => c.attributes.name?.split(' ')[0])
    expect(ids.sort()).toEqual(judged.map(({ id }) => id).sort())
  })

  test('is never green for a run that judged nothing', { timeout: 120_000 }, async () => {
    const nothing = await recorded('absent')
    const root = parse(junit(nothing.report, nothing.exchanges))
    expect(Number(root.attributes.errors)).toBeGreaterThan(0)
    expect(cases(root).filter(({ children }) => children[0]?.name === 'system-out')).toEqual([])
  })

  test('is legal and bounded whatever a bank sends', async () => {
    const hostile = await hostileRun(MEGABYTE)
    const xml = junit(hostile.report, hostile.exchanges)
    expect(xml.length).toBeLessThan(2 * 1024 * 1024)
    const failure = cases(parse(xml)).find((c) => c.attributes.name?.startsWith('ACC-05/gbp '))
      ?.children[0]
    expect(failure?.children).toEqual([])
    expect(failure?.text).toContain(ATTACK.slice(0, 40))
    expect(failure?.text).toContain('\\u001b[2J')
  })

  test('is read by the JUnit reader of Allure', async () => {
    const results: { status?: string; name?: string }[] = []
    const visitor = {
      visitTestResult: async (result: object) => void results.push(result),
      visitAttachmentFile: async () => {},
    }
    const hostile = await hostileRun()
    const xml = junit(hostile.report, hostile.exchanges)
    const file = new BufferResultFile(Buffer.from(xml), 'junit.xml')
    expect(await junitXml.read(visitor as never, file)).toBe(true)
    expect(results).toHaveLength(hostile.report.checks.length + 1)
  })
})
