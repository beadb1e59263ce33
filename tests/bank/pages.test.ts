import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { afterEach, expect, test } from 'vitest'
import { directoryOfFile, openForFile } from './opened.ts'

const directory = await directoryOfFile()
const { bank, first } = await openForFile({ directory })
type Element = DefaultTreeAdapterTypes.Element

afterEach(() => expect(bank.problems).toEqual([]))

function elements(node: DefaultTreeAdapterTypes.Node): Element[] {
  const children = 'childNodes' in node ? node.childNodes : []
  return [...('tagName' in node ? [node] : []), ...children.flatMap(elements)]
}

/** Well-formed, titled, every input labelled, every form with a button, no script. */
function expectAccessible(text: string) {
  const mistakes: string[] = []
  const document = parse(text, { onParseError: ({ code }) => mistakes.push(code) })
  expect(mistakes).toEqual([])
  const all = elements(document)
  const named = (name: string) => all.filter(({ tagName }) => tagName === name)
  const attribute = (of: Element, name: string) => of.attrs.find((one) => one.name === name)?.value
  expect(attribute(named('html')[0] as Element, 'lang')).toBe('en')
  expect(named('title')).toHaveLength(1)
  expect(named('h1')).toHaveLength(1)
  expect(named('main')).toHaveLength(1)
  expect(named('script')).toEqual([])
  for (const form of named('form')) {
    expect(elements(form).some(({ tagName }) => tagName === 'button')).toBe(true)
  }
  const labelled = named('label').flatMap(elements)
  for (const input of named('input')) {
    if (attribute(input, 'type') !== 'hidden') expect(labelled).toContain(input)
  }
}

test('every page is fit for a person', async () => {
  const consentId = await first.consent({ ExpirationDateTime: '2031-05-06T07:08:09Z' })
  expectAccessible((await first.approve(consentId, { password: 'wrong' })).answer.text)
  expectAccessible((await first.approve(consentId, { only: 0 })).answer.text)
  const { answer } = await first.visit(first.authoriseUrl('x', { client_id: 'nobody' }))
  expectAccessible(answer.text)
  await first.approve(consentId)
  const gone = await first.consent()
  await first.approve(gone, { decision: 'deny' })
  const servicing = (path: string, body?: string, cookie = '') =>
    first.send(`${bank.servicingUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
      ...(body === undefined ? {} : { body }),
      certificate: 'none',
    })
  expectAccessible((await servicing('')).text)
  const form = new URLSearchParams(bank.target.customers.first.credentials).toString()
  const cookie = String((await servicing('/login', form)).headers['set-cookie']).split(';')[0]
  expectAccessible((await servicing('', undefined, cookie)).text)
})

test('what the TPP and the customer say is escaped', async () => {
  const name = '<b>&"\'</b>'
  const text = bank.services.directory.clients.first
  const consentId = await first.consent()
  const client = bank.services.records.peek('Client', String(first.client.client_id))
  if (client) client.org_name = name
  const { answer } = await first.approve(consentId, { only: 0 })
  expect(answer.text).toContain('&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;')
  expect(answer.text).not.toContain(name)
  if (client) client.org_name = text.organisationId
})
