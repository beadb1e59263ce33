import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import type { FormDocument } from '../../target/target.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** A form of a page, as a browser would send it untouched. */
export interface Form {
  method: string
  /** As written; empty: the page's own address. */
  action: string
  fields: Field[]
}

interface Field {
  name: string
  value: string
  kind: 'text' | 'checkbox' | 'button' | 'select'
  checked: boolean
}

interface Link {
  /** As written. */
  href: string
  text: string
}

/** What a customer finds on a page. */
export interface ReadPage {
  forms: Form[]
  links: Link[]
  text: string
}

/** Reads an HTML page. Never throws: any text is a page. */
export function readPage(html: string): ReadPage {
  const forms: Form[] = []
  const links: Link[] = []
  const words: string[] = []
  const walk = (node: Node, form: Form | undefined) => {
    if (node.nodeName === '#text') words.push((node as DefaultTreeAdapterTypes.TextNode).value)
    if (['script', 'style', 'template'].includes(node.nodeName)) return
    let inner = form
    if (isElement(node)) {
      if (node.tagName === 'form') {
        inner = {
          method: (attribute(node, 'method') ?? 'get').toLowerCase(),
          action: attribute(node, 'action') ?? '',
          fields: [],
        }
        forms.push(inner)
      }
      const href = node.tagName === 'a' && attribute(node, 'href')
      if (href) links.push({ href, text: textOf(node) })
      const field = inner && fieldOf(node)
      if (field) inner?.fields.push(field)
    }
    if ('childNodes' in node) for (const child of node.childNodes) walk(child, inner)
  }
  walk(parse(html), undefined)
  return { forms, links, text: inOneLine(words.join(' ')) }
}

function textOf(node: Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value
  return 'childNodes' in node ? inOneLine(node.childNodes.map(textOf).join(' ')) : ''
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isElement(node: Node): node is Element {
  return 'tagName' in node
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value
}

function fieldOf(element: Element): Field | undefined {
  const name = attribute(element, 'name')
  if (!name || attribute(element, 'disabled') !== undefined) return undefined
  const value = attribute(element, 'value') ?? ''
  const type = (attribute(element, 'type') ?? '').toLowerCase()
  if (element.tagName === 'button') {
    return type === 'reset' || type === 'button'
      ? undefined
      : { name, value, kind: 'button', checked: false }
  }
  if (element.tagName === 'textarea') return { name, value: '', kind: 'text', checked: true }
  if (element.tagName === 'select') {
    const options = element.childNodes.filter(isElement).filter((o) => o.tagName === 'option')
    const chosen = options.find((o) => attribute(o, 'selected') !== undefined) ?? options[0]
    return {
      name,
      value: chosen ? (attribute(chosen, 'value') ?? '') : '',
      kind: 'select',
      checked: true,
    }
  }
  if (element.tagName !== 'input') return undefined
  if (type === 'submit' || type === 'image') return { name, value, kind: 'button', checked: false }
  if (type === 'checkbox' || type === 'radio') {
    const checked = attribute(element, 'checked') !== undefined
    return { name, value: value || 'on', kind: 'checkbox', checked }
  }
  return { name, value, kind: 'text', checked: true }
}

/** What a description fits: a form that has all its names, or a link. */
export type Fitting = { description: FormDocument } & ({ form: Form } | { link: Link })

/** The first of the descriptions that fits something on the page. */
export function fitting(
  { forms, links }: ReadPage,
  described: FormDocument[],
): Fitting | undefined {
  for (const description of described) {
    const { has, follow } = description
    if (follow !== undefined) {
      const link = links.find(({ href, text }) => text === follow || href.endsWith(follow))
      if (link) return { link, description }
      continue
    }
    const form = forms.find(({ fields }) =>
      has?.every((name) => fields.some((field) => field.name === name)),
    )
    if (form) return { form, description }
  }
  return undefined
}

/** What a page offers, so that somebody can describe it. */
export function offered({ forms, links }: ReadPage): string {
  const fields = forms.flatMap((form) => form.fields.map(({ name }) => name))
  if (fields.length > 0) return `fields ${[...new Set(fields)].join(', ')}`
  const texts = links.map(({ href, text }) => `“${text || href}”`)
  return texts.length > 0 ? `no form, but the links ${texts.join(', ')}` : 'no form and no link'
}

/** The body that the form sends once a customer has filled it and pressed the button. */
export function filled(
  form: Form,
  description: FormDocument,
  decision: 'approve' | 'deny',
  credentials: Record<string, string>,
): URLSearchParams {
  const body = new URLSearchParams()
  for (const { name, value, kind, checked } of form.fields) {
    if (kind === 'button') continue
    const fill = description.fill?.[name]
    if (kind === 'checkbox') {
      if (name === description.tickAll || (fill !== undefined ? fill === value : checked)) {
        body.append(name, value)
      }
      continue
    }
    body.append(name, fill === undefined ? value : withCredentials(fill, credentials))
  }
  const button =
    decision === 'deny' ? (description.deny ?? description.approve) : description.approve
  if (button) body.append(button.name, button.value)
  return body
}

/** `{username}` becomes the customer's credential of that name. */
export function withCredentials(text: string, credentials: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => credentials[name] ?? whole)
}
