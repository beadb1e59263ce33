import { junitXml } from '@allurereport/reader'
import { BufferResultFile } from '@allurereport/reader-api'
import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { junit } from '../../engine/report/junit.ts'
import { fixtureReport } from './fixture.ts'
import { ATTACK, hostileRun, MEGABYTE } from './hostile.ts'

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
  return root.children.flatMap((suite) => suite.children)
}

describe('junit.xml', () => {
  test('has a case per check with a unique, stable name, and the verdict', () => {
    const report = fixtureReport()
    const all = cases(parse(junit(report)))
    const names = all.map(({ attributes }) => `${attributes.classname} ${attributes.name}`)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain('assay.account-information.transactions TXN-17/to-alone')
    expect(names).toHaveLength(report.checks.length + 1)
    const later = fixtureReport({ startedAt: '2027-01-01T00:00:00Z' })
    for (const check of later.checks) check.title = 'another title'
    expect(
      cases(parse(junit(later))).map((c) => `${c.attributes.classname} ${c.attributes.name}`),
    ).toEqual(names)
  })

  test('has the message in the attribute and in the body, with expected and actual', () => {
    const failed = cases(parse(junit(fixtureReport()))).find(
      (c) => c.attributes.name === 'ACC-05/gbp',
    )
    const failure = failed?.children[0]
    expect(failure?.name).toBe('failure')
    expect(failure?.attributes.message).toContain('Currency of the second account is "EUR".')
    expect(failure?.text).toContain('Currency of the second account is "EUR".')
    expect(failure?.text).toContain('expected: "GBP"')
    expect(failure?.text).toContain('actual: "EUR"')
  })

  test('counts what it holds, and nothing that was not judged is green', () => {
    const report = fixtureReport()
    const root = parse(junit(report))
    const all = cases(root)
    const holding = (name: string) =>
      all.filter((c) => c.children.some((child) => child.name === name))
    expect(Number(root.attributes.tests)).toBe(all.length)
    expect(Number(root.attributes.failures)).toBe(holding('failure').length)
    expect(Number(root.attributes.errors)).toBe(holding('error').length)
    expect(Number(root.attributes.skipped)).toBe(holding('skipped').length)
    const green = all.filter((c) => c.children.every((child) => child.name === 'system-out'))
    const judged = report.checks.filter(({ outcome }) => outcome === 'pass' || outcome === 'warn')
    expect(green.map((c) => c.attributes.name).sort()).toEqual(judged.map(({ id }) => id).sort())
  })

  test('is never green for a run that judged nothing', () => {
    const nothing = fixtureReport({
      checks: [],
      requirements: [],
      verdict: 'incomplete',
      exitCode: 3,
    })
    expect(Number(parse(junit(nothing)).attributes.errors)).toBe(1)
  })

  test('is legal and bounded whatever a bank sends', () => {
    const { report } = hostileRun(MEGABYTE)
    const xml = junit(report)
    expect(xml.length).toBeLessThan(2 * 1024 * 1024)
    const failure = cases(parse(xml)).find((c) => c.attributes.name === 'ACC-05/gbp')?.children[0]
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
    const file = new BufferResultFile(Buffer.from(junit(hostileRun().report)), 'junit.xml')
    expect(await junitXml.read(visitor as never, file)).toBe(true)
    expect(results).toHaveLength(fixtureReport().checks.length + 1)
  })
})
