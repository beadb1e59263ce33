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
  /** As written; empty: the default of all forms. */
  enctype: string
  /** Encoding of its names and values when sent. */
  charset: string
  /** Controls that have a name, in the order of the page. */
  fields: Control[]
  /** Its first button, which is pressed if the description names none. */
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
  /** Text of its scripts, as written. */
  scripts: string
  /** What addresses of the page are relative to, as written; absent: its own address. */
  base?: string
  /** Content of its meta refresh, as written. */
  refresh?: string
}

/** Maximum characters of a page that are read: everything that a customer needs comes before. */
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
  // No recursion: a page may be nested deeper than the call stack allows.
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
      // A control may name its form instead of being inside it.
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

/** The text of a script, or the event handlers of an element. */
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
  /** True if no element around it disables it. */
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

/** True for a disabled fieldset: nothing in it can be used, except in its first legend. */
function takesOutOfUse(element: Element): boolean {
  return element.tagName === 'fieldset' && hasAttribute(element, 'disabled')
}

/** What an element shows apart from its text: the description of a picture, the value of a field. */
function saidBy(element: Element): string {
  const { tagName } = element
  const type = typeOf(element)
  if (tagName === 'img' || type === 'image') return attribute(element, 'alt') ?? ''
  const isShown = tagName === 'input' && !UNREAD.has(type)
  return isShown ? (attribute(element, 'value') ?? '') : ''
}

/** Types of input whose value is not shown. */
export const UNREAD: ReadonlySet<string> = new Set(['hidden', 'password', 'checkbox', 'radio'])

/** What a description fits: a form that has all its names and the button to press, or a link. */
export type Fitting = { description: FormDocument } & ({ form: Form } | { link: Link })

/** The first description that fits something on the page, for a customer who makes this decision. */
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

/** True if a customer can send what the described button sends. */
function canBePressed(form: Form, description: FormDocument, decision: Decision): boolean {
  const button = buttonOf(description, decision)
  if (!button || button.added) return true
  return form.fields.some((field) => {
    if (field.name !== button.name) return false
    // For an image, only its name and the pressed position are sent.
    if (field.kind === 'text' || field.kind === 'image') return true
    return valuesOf(field).includes(button.value)
  })
}

/** The values of the control that a customer can choose or press. */
function valuesOf({ value, options = [value] }: Control): string[] {
  return options
}

/** True if the form has the button that denies. */
export function letsDeny(form: Form, description: FormDocument): boolean {
  return description.deny !== undefined && canBePressed(form, description, 'deny')
}

/** True if the customer decides here. If no description has a denial: on a page that asks for no credentials. */
export function decides(form: Form, description: FormDocument, all: FormDocument[]): boolean {
  if (all.some(({ deny }) => deny !== undefined)) return letsDeny(form, description)
  return !usesCredentials(description)
}

/** For a page that has the names of a description: which button it lacks, and which ones it has. */
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

/** Where and how the form is sent when a customer has pressed the button, as written. */
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

/** What the form sends when a customer has filled it in and pressed the button. */
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
  // A button is added to what the form sends; a choice of a radio button replaces the preselected one.
  const joins = form.fields.every((field) => field.name !== button.name || isButton(field))
  if (joins) body.append(button.name, button.value)
  else body.set(button.name, button.value)
  return body
}

/** What a control sends, untouched or filled in. */
function sentBy(field: Control, { charset }: Form, fill: string | undefined): string[] {
  const { kind, value, checked, chosen = [value] } = field
  if (isButton(field)) return []
  if (kind === 'checkbox') return (fill === undefined ? checked : fill === value) ? [value] : []
  if (fill !== undefined) return [fill]
  return kind === 'charset' ? [nameOf(charset)] : chosen
}

/** A form is sent with CRLF line ends, whatever its page has. */
function withLineEnds(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

/** The values of the boxes that the description ticks; undefined if it ticks none with this name. */
function boxesIn(field: Control, { tickAll }: FormDocument): string[] | undefined {
  const isBox = field.kind === 'checkbox' || field.multiple === true
  return isBox && tickAll !== undefined && fitsStars(field.name, tickAll)
    ? valuesOf(field)
    : undefined
}

/** Number of boxes on the page that the description ticks; undefined if it ticks none. */
export function boxesOf({ fields }: Form, description: FormDocument): number | undefined {
  if (description.tickAll === undefined) return undefined
  return fields.flatMap((field) => boxesIn(field, description) ?? []).length
}

/** The names of boxes on the page that the description leaves unticked, once each. */
export function untickedIn({ fields }: Form, description: FormDocument): string[] {
  const left = fields.filter(
    (field) =>
      field.kind === 'checkbox' &&
      !field.checked &&
      description.fill?.[field.name] === undefined &&
      boxesIn(field, description) === undefined,
  )
  return [...new Set(left.map(({ name }) => name))]
}

/** Replaces `{username}` with the value of that name, in the required spelling. */
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
