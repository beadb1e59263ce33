import { parse } from 'parse5'
import { fitsStars } from '../configuration/star-pattern.ts'
import type { FormDocument } from '../configuration/target.ts'
import { type Control, controlOf, isButton } from './controls.ts'
import { usesCredentials } from './credentials.ts'
import type { Decision } from './driver.ts'
import {
  attribute,
  type Element,
  hasAttribute,
  inOneLine,
  isElement,
  isText,
  type Node,
  textOf,
  typeOf,
} from './elements.ts'
import { formCharset, nameOf } from './form-encoding.ts'

/** A form of a page, as a browser would send it untouched. */
export interface Form {
  method: string
  /** As written; empty: the page's own address. */
  action: string
  /** As written; empty: that of every form. */
  enctype: string
  /** In which its names and values are sent. */
  charset: string
  /** Those that have a name, in the order of the page. */
  fields: Control[]
  /** Its first button, which is pressed where the description names none. */
  first?: Control
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
  /** What its scripts say, as written. */
  scripts: string
  /** What addresses of the page are relative to, as written; absent: its own address. */
  base?: string
  /** What it says of where it leads by itself, as written. */
  refresh?: string
}

/** Characters of a page that are read: what a customer needs stands before. */
const LARGEST_PAGE = 500_000

/**
 * Reads an HTML page. Never throws: any text is a page.
 *
 * @param charset its encoding
 */
export function readPage(html: string, charset = 'utf-8'): ReadPage {
  const forms: Form[] = []
  const links: Link[] = []
  const words: string[] = []
  const scripts: string[] = []
  const named = new Map<string, Form>()
  const controls: { owner: Form | string; control: Control }[] = []
  let base: string | undefined
  let refresh: string | undefined
  // A page may be nested deeper than a stack is.
  const open: Place[] = [{ node: parse(html.slice(0, LARGEST_PAGE)), usable: true }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, usable } = next
    let { form } = next
    if (isText(node)) words.push(node.value)
    if (isElement(node)) scripts.push(...scriptsOf(node))
    if (UNSHOWN.has(node.nodeName)) continue
    if (isElement(node)) {
      if (node.tagName === 'form') {
        form = formOf(node, charset)
        forms.push(form)
        const id = attribute(node, 'id')
        if (id !== undefined && !named.has(id)) named.set(id, form)
      }
      words.push(saidBy(node))
      if (node.tagName === 'base') base ??= attribute(node, 'href')
      if (leadsOn(node)) refresh ??= attribute(node, 'content')
      const href = node.tagName === 'a' && attribute(node, 'href')
      if (href) links.push({ href, text: textOf(node) })
      const control = controlOf(node, usable)
      // A control may name its form instead of standing in it.
      const owner = attribute(node, 'form') ?? form
      if (control && owner !== undefined) controls.push({ owner, control })
    }
    if (!('childNodes' in node)) continue
    const isOut = isElement(node) && takesOutOfUse(node)
    const spared = isOut && node.childNodes.find(({ nodeName }) => nodeName === 'legend')
    for (let at = node.childNodes.length - 1; at >= 0; at -= 1) {
      const child = node.childNodes[at] as Node
      open.push({ node: child, form, usable: usable && (!isOut || child === spared) })
    }
  }
  for (const { owner, control } of controls) {
    const form = typeof owner === 'string' ? named.get(owner) : owner
    if (form) give(form, control)
  }
  const text = inOneLine(words.join(' '))
  const said = { text, scripts: scripts.join('\n') }
  return { forms, links, ...said, ...(base && { base }), ...(refresh && { refresh }) }
}

/** A script, and what happens once the page is there or something of it is pressed. */
function scriptsOf(element: Element): string[] {
  if (element.tagName === 'script') return [textOf(element)]
  return element.attrs.filter(({ name }) => name.startsWith('on')).map(({ value }) => value)
}

const UNSHOWN = new Set(['script', 'style', 'template', 'datalist'])

const leadsOn = (element: Element) =>
  element.tagName === 'meta' && attribute(element, 'http-equiv')?.toLowerCase() === 'refresh'

/** A node that is still to be read. */
interface Place {
  node: Node
  form?: Form
  /** Nothing around it takes it out of use. */
  usable: boolean
}

function formOf(element: Element, charset: string): Form {
  return {
    method: (attribute(element, 'method') ?? 'get').toLowerCase(),
    action: attribute(element, 'action') ?? '',
    enctype: (attribute(element, 'enctype') ?? '').toLowerCase(),
    charset: formCharset(attribute(element, 'accept-charset'), charset),
    fields: [],
  }
}

function give(form: Form, control: Control): void {
  if (isButton(control)) form.first ??= control
  if (control.name !== '') form.fields.push(control)
}

/** Nothing in it can be used, but for what stands in its first legend. */
function takesOutOfUse(element: Element): boolean {
  return element.tagName === 'fieldset' && hasAttribute(element, 'disabled')
}

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
function canBePressed(form: Form, description: FormDocument, decision: Decision): boolean {
  const button = buttonOf(description, decision)
  if (!button || button.added) return true
  return form.fields.some((field) => {
    if (field.name !== button.name) return false
    // Of an image only its name is sent, and where it was pressed.
    if (field.kind === 'text' || field.kind === 'image') return true
    return valuesOf(field).includes(button.value)
  })
}

/** The values that a customer can choose of it, or press. */
function valuesOf({ value, options = [value] }: Control): string[] {
  return options
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
    const own = form.fields.flatMap((field) => {
      const { kind, name } = field
      if (kind === 'image') return `${name} (an image)`
      const counts = kind === 'button' || name === button.name
      return counts ? valuesOf(field).map((one) => `${name}=${one}`) : []
    })
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

/** What the descriptions look for on a page: `authorisation.forms looks for fields user, secret`. */
export function lookedFor(described: FormDocument[]): string {
  const each = described.flatMap(({ has, follow }) =>
    follow === undefined ? `fields ${has?.join(', ')}` : `the link “${follow}”`,
  )
  return `authorisation.forms looks for ${[...new Set(each)].slice(0, MOST_LOOKED_FOR).join(', or for ')}`
}

const MOST_LOOKED_FOR = 6

/** How the form is sent once a customer has pressed the button, and where: as written. */
export function sending(form: Form, description: FormDocument, decision: Decision) {
  const sends = pressed(form, description, decision)?.sends
  return { method: form.method, action: form.action, enctype: form.enctype, ...sends }
}

function buttonOf({ approve, deny }: FormDocument, decision: Decision) {
  return decision === 'deny' ? (deny ?? approve) : approve
}

/** The button of the page that is pressed: the described one, or the first. */
function pressed(form: Form, description: FormDocument, decision: Decision): Control | undefined {
  const described = buttonOf(description, decision)
  if (!described) return form.first
  const own = form.fields.filter((field) => isButton(field) && field.name === described.name)
  return (
    own.find(({ kind, value }) => kind === 'button' && value === described.value) ??
    own.find(({ kind }) => kind === 'image')
  )
}

/** What the form sends once a customer has filled it and pressed the button. */
export function filled(
  form: Form,
  description: FormDocument,
  decision: Decision,
  credentials: Record<string, string>,
  oneAccount = false,
): URLSearchParams {
  const body = new URLSearchParams()
  const add = (name: string, value: string) => body.append(withLineEnds(name), withLineEnds(value))
  let isTicked = false
  for (const field of form.fields) {
    const { name } = field
    const boxes = boxesIn(field, description)
    const fill = description.fill?.[name]
    const own = sentBy(field, form, fill && filledIn(fill, credentials))
    for (const value of boxes ?? own) {
      if (boxes && oneAccount && isTicked) continue
      isTicked ||= boxes !== undefined
      add(name, value)
    }
  }
  const button = buttonOf(description, decision)
  const image = pressed(form, description, decision)
  if (image?.kind === 'image') {
    const prefix = image.name === '' ? '' : `${image.name}.`
    for (const at of ['x', 'y']) add(prefix + at, '0')
    return body
  }
  if (!button) return body
  // A button joins what the form sends; a choice between radio buttons replaces the one preselected.
  const joins = form.fields.every((field) => field.name !== button.name || isButton(field))
  if (joins) body.append(button.name, button.value)
  else body.set(button.name, button.value)
  return body
}

/** What a control sends untouched, or filled. */
function sentBy(field: Control, { charset }: Form, fill: string | undefined): string[] {
  const { kind, value, checked, chosen = [value] } = field
  if (isButton(field)) return []
  if (kind === 'checkbox') return (fill === undefined ? checked : fill === value) ? [value] : []
  if (fill !== undefined) return [fill]
  return kind === 'charset' ? [nameOf(charset)] : chosen
}

/** A form has the line ends of the network, whatever its page has. */
function withLineEnds(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

/** The values of the boxes that the description ticks; undefined where it ticks none of this name. */
function boxesIn(field: Control, { tickAll }: FormDocument): string[] | undefined {
  const isBox = field.kind === 'checkbox' || field.multiple === true
  return isBox && tickAll !== undefined && fitsStars(field.name, tickAll)
    ? valuesOf(field)
    : undefined
}

/** How many boxes of the page the description ticks all; undefined where it ticks none. */
export function boxesOf({ fields }: Form, description: FormDocument): number | undefined {
  if (description.tickAll === undefined) return undefined
  return fields.flatMap((field) => boxesIn(field, description) ?? []).length
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
