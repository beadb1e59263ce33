import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'
import type { FormDocument } from '../configuration/target.ts'
import { usesCredentials } from './credentials.ts'
import type { Decision } from './driver.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const { isElementNode: isElement, isTextNode: isText } = defaultTreeAdapter

/** A form of a page, as a browser would send it untouched. */
export interface Form {
  method: string
  /** As written; empty: the page's own address. */
  action: string
  /** As written; empty: that of every form. */
  enctype: string
  fields: Field[]
  /** What its first button says of that, which is pressed where the description names none. */
  sends?: Field['sends']
}

interface Field {
  name: string
  value: string
  kind: 'text' | 'checkbox' | 'button' | 'select'
  checked: boolean
  /** Of a list: the values that may be chosen. */
  options?: string[]
  /** Of a button: where and how it sends the form, instead of what the form says. */
  sends?: { method?: string; action?: string; enctype?: string }
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
  /** What addresses of the page are relative to, as written; absent: its own address. */
  base?: string
}

/** Characters of a page that are read: what a customer needs stands before. */
const LARGEST_PAGE = 500_000

/** Reads an HTML page. Never throws: any text is a page. */
export function readPage(html: string): ReadPage {
  const forms: Form[] = []
  const links: Link[] = []
  const words: string[] = []
  const named = new Map<string, Form>()
  const apart: { owner: string; field: Field }[] = []
  let base: string | undefined
  // A page may be nested deeper than a stack is.
  const open: { node: Node; form: Form | undefined }[] = [
    { node: parse(html.slice(0, LARGEST_PAGE)), form: undefined },
  ]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node } = next
    let { form } = next
    if (isText(node)) words.push(node.value)
    if (UNSHOWN.has(node.nodeName)) continue
    if (isElement(node)) {
      if (node.tagName === 'form') {
        form = {
          method: (attribute(node, 'method') ?? 'get').toLowerCase(),
          action: attribute(node, 'action') ?? '',
          enctype: (attribute(node, 'enctype') ?? '').toLowerCase(),
          fields: [],
        }
        forms.push(form)
        const id = attribute(node, 'id')
        if (id !== undefined && !named.has(id)) named.set(id, form)
      }
      words.push(saidBy(node))
      if (node.tagName === 'base') base ??= attribute(node, 'href')
      const href = node.tagName === 'a' && attribute(node, 'href')
      if (href) links.push({ href, text: textOf(node) })
      const field = fieldOf(node)
      const owner = attribute(node, 'form')
      if (owner === undefined && form && sendsForms(node))
        form.sends ??= sendingOf(node).sends ?? {}
      if (field && owner !== undefined) apart.push({ owner, field })
      else if (field) form?.fields.push(field)
    }
    if (!('childNodes' in node)) continue
    for (let at = node.childNodes.length - 1; at >= 0; at -= 1) {
      open.push({ node: node.childNodes[at] as Node, form })
    }
  }
  // A field may name its form instead of standing in it.
  for (const { owner, field } of apart) named.get(owner)?.fields.push(field)
  return { forms, links, text: inOneLine(words.join(' ')), ...(base && { base }) }
}

const UNSHOWN = new Set(['script', 'style', 'template'])

/** What an element shows without any text in it: a picture that is described, a field that is filled. */
function saidBy(element: Element): string {
  const { tagName } = element
  const type = typeOf(element)
  if (tagName === 'img' || type === 'image') return attribute(element, 'alt') ?? ''
  const isShown = tagName === 'input' && !UNREAD.has(type)
  return isShown ? (attribute(element, 'value') ?? '') : ''
}

/** Kinds of input whose value nobody sees. */
export const UNREAD: ReadonlySet<string> = new Set(['hidden', 'password', 'checkbox', 'radio'])

function textOf(top: Node): string {
  const words: string[] = []
  const open: Node[] = [top]
  for (let node = open.pop(); node; node = open.pop()) {
    if (isText(node)) words.push(node.value)
    if ('childNodes' in node) open.push(...node.childNodes.slice(0, MOST_CHILDREN).reverse())
  }
  return inOneLine(words.join(' '))
}

/** Of one element within a link: more are no words to follow it by. */
const MOST_CHILDREN = 1000

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value
}

const typeOf = (element: Element) => (attribute(element, 'type') ?? '').toLowerCase()

/** Is it a button that sends a form, named or not? */
function sendsForms(element: Element): boolean {
  const type = typeOf(element)
  if (element.tagName === 'button') return type !== 'reset' && type !== 'button'
  return element.tagName === 'input' && (type === 'submit' || type === 'image')
}

function fieldOf(element: Element): Field | undefined {
  const { tagName } = element
  const name = attribute(element, 'name')
  const value = attribute(element, 'value') ?? ''
  const isButton = sendsForms(element)
  // A button may be out of use until something is ticked.
  if (!name || (!isButton && attribute(element, 'disabled') !== undefined)) return undefined
  if (isButton) return { name, value, kind: 'button', checked: false, ...sendingOf(element) }
  if (tagName === 'textarea') {
    return { name, value: writtenIn(element), kind: 'text', checked: true }
  }
  if (tagName === 'select') {
    const options = element.childNodes
      .filter(isElement)
      .flatMap((one) => (one.tagName === 'optgroup' ? one.childNodes.filter(isElement) : [one]))
      .filter((one) => one.tagName === 'option')
    const chosen = options.find((o) => attribute(o, 'selected') !== undefined) ?? options[0]
    // An option without a value sends its text.
    const sentBy = (option: Element) => attribute(option, 'value') ?? textOf(option)
    const sent = { value: chosen ? sentBy(chosen) : '', options: options.map(sentBy) }
    return { name, kind: 'select', checked: true, ...sent }
  }
  if (tagName !== 'input') return undefined
  const type = typeOf(element)
  if (type === 'checkbox' || type === 'radio') {
    const checked = attribute(element, 'checked') !== undefined
    return { name, value: value || 'on', kind: 'checkbox', checked }
  }
  return { name, value, kind: 'text', checked: true }
}

/** What stands in a textarea, with the line ends that a form sends. */
function writtenIn({ childNodes }: Element): string {
  const texts = childNodes.map((node) => (isText(node) ? node.value : ''))
  return texts.join('').replace(/\r?\n/g, '\r\n')
}

function sendingOf(button: Element): Pick<Field, 'sends'> {
  const action = attribute(button, 'formaction')
  const method = attribute(button, 'formmethod')?.toLowerCase()
  const enctype = attribute(button, 'formenctype')?.toLowerCase()
  const sends = {
    ...(action !== undefined && { action }),
    ...(method && { method }),
    ...(enctype && { enctype }),
  }
  return Object.keys(sends).length === 0 ? {} : { sends }
}

/** A form as the body of a POST, in the one of the two encodings that it asks for. */
export async function encoded(
  form: URLSearchParams,
  enctype: string,
): Promise<{ body: string; type: string }> {
  if (enctype !== 'multipart/form-data') {
    return { body: form.toString(), type: 'application/x-www-form-urlencoded' }
  }
  const data = new FormData()
  for (const [name, value] of form) data.append(name, value)
  const sent = new Response(data)
  return { body: await sent.text(), type: sent.headers.get('content-type') ?? enctype }
}

/** What a description fits: a form that has all its names and the button to press, or a link. */
export type Fitting = { description: FormDocument } & ({ form: Form } | { link: Link })

/** The first of the descriptions that fits something on the page, for a customer who decides so. */
export function fitting(
  { forms, links }: ReadPage,
  described: FormDocument[],
  decision: Decision,
): Fitting | undefined {
  for (const description of described) {
    const { has, follow, only } = description
    if (only !== undefined && only !== decision) continue
    if (follow !== undefined) {
      const link = links.find(({ href, text }) => text === follow || href.endsWith(follow))
      if (link) return { link, description }
      continue
    }
    const form = forms.find((one) => hasAll(one, has) && canBePressed(one, description, decision))
    if (form) return { form, description }
  }
  return undefined
}

function hasAll({ fields }: Form, names: string[] | undefined): boolean {
  return names?.every((name) => fields.some((field) => field.name === name)) ?? false
}

/** Can a customer send what the described button sends? */
function canBePressed({ fields }: Form, description: FormDocument, decision: Decision): boolean {
  const button = buttonOf(description, decision)
  if (!button || button.added) return true
  return fields.some(({ name, value, kind, options = [] }) => {
    if (name !== button.name) return false
    return kind === 'text' || value === button.value || options.includes(button.value)
  })
}

/** Has the form the button that denies? */
export function letsDeny(form: Form, description: FormDocument): boolean {
  return description.deny !== undefined && canBePressed(form, description, 'deny')
}

/** Is it on this page that the customer decides? Where no description names a denial, on one that asks for nothing secret. */
export function decides(form: Form, description: FormDocument, all: FormDocument[]): boolean {
  if (all.some(({ deny }) => deny !== undefined)) return letsDeny(form, description)
  return !usesCredentials(description)
}

/** Of a page that has the names of a description: which button it lacks, and which ones it has. */
export function lackedButton({ forms }: ReadPage, described: FormDocument[], decision: Decision) {
  for (const description of described) {
    const { has, only } = description
    const form = forms.find((one) => hasAll(one, has))
    const button = buttonOf(description, decision)
    if (!form || !button || (only !== undefined && only !== decision)) continue
    const own = form.fields.flatMap(({ kind, name, value, options = [value] }) =>
      kind === 'button' || name === button.name ? options.map((one) => `${name}=${one}`) : [],
    )
    const shown = own.length > 0 ? `but ${[...new Set(own)].join(', ')}` : 'nor any that has a name'
    return `the page with ${has?.join(', ')} has no button ${button.name}=${button.value}, ${shown}`
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

/** How the form is sent once a customer has pressed the button, and where: as written. */
export function sending(form: Form, description: FormDocument, decision: Decision) {
  const pressed = buttonOf(description, decision)
  const button = form.fields.find(
    ({ kind, name, value }) =>
      kind === 'button' && name === pressed?.name && value === pressed.value,
  )
  const sends = pressed ? button?.sends : form.sends
  return { method: form.method, action: form.action, enctype: form.enctype, ...sends }
}

function buttonOf({ approve, deny }: FormDocument, decision: Decision) {
  return decision === 'deny' ? (deny ?? approve) : approve
}

/** The body that the form sends once a customer has filled it and pressed the button. */
export function filled(
  form: Form,
  description: FormDocument,
  decision: Decision,
  credentials: Record<string, string>,
  oneAccount = false,
): URLSearchParams {
  const body = new URLSearchParams()
  for (const { name, value, kind, checked } of form.fields) {
    if (kind === 'button') continue
    const fill = description.fill?.[name]
    if (kind === 'checkbox') {
      if (oneAccount && name === description.tickAll && body.has(name)) continue
      if (name === description.tickAll || (fill !== undefined ? fill === value : checked)) {
        body.append(name, value)
      }
      continue
    }
    body.append(name, fill === undefined ? value : filledIn(fill, credentials))
  }
  const button = buttonOf(description, decision)
  if (!button) return body
  // A button joins what the form sends; a choice between radio buttons replaces the one preselected.
  const pressed = form.fields.every(({ name, kind }) => name !== button.name || kind === 'button')
  if (pressed) body.append(button.name, button.value)
  else body.set(button.name, button.value)
  return body
}

/** How many boxes of the page the description ticks all; undefined where it ticks none. */
export function boxesOf({ fields }: Form, { tickAll }: FormDocument): number | undefined {
  if (tickAll === undefined) return undefined
  return fields.filter(({ kind, name }) => kind === 'checkbox' && name === tickAll).length
}

/** `{username}` becomes the value of that name, spelt as it must stand there. */
export function filledIn(
  text: string,
  values: Record<string, string | undefined>,
  spelt: (value: string) => string = String,
): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : spelt(value)
  })
}
