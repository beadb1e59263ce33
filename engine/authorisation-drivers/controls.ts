import {
  attribute,
  type Element,
  hasAttribute,
  isElement,
  isText,
  textOf,
  typeOf,
} from './elements.ts'

/** What a form has to fill in, to choose or to press. */
export interface Control {
  /** Empty of a button alone. */
  name: string
  value: string
  kind: 'text' | 'charset' | 'checkbox' | 'button' | 'image' | 'select'
  checked: boolean
  /** Of a list: the values that may be chosen. */
  options?: string[]
  /** Of a list: the values that are chosen. */
  chosen?: string[]
  /** Of a list: several may be chosen. */
  multiple?: boolean
  /** Of a button: where and how it sends the form, instead of what the form says. */
  sends?: { method?: string; action?: string; enctype?: string }
}

/** Buttons that send their form. */
export const isButton = ({ kind }: Control) => kind === 'button' || kind === 'image'

/** Kinds of input that send nothing, whatever a customer does. */
const NEVER_SENT = new Set(['reset', 'button'])

/**
 * A control as an untouched page has it; undefined for what its form never sends.
 *
 * @param usable false: something around it takes it out of use.
 */
export function controlOf(element: Element, usable: boolean): Control | undefined {
  const name = attribute(element, 'name') ?? ''
  const button = buttonOf(element, name)
  // A button may be out of use until something is ticked.
  if (button) return button
  if (name === '' || !usable || hasAttribute(element, 'disabled')) return undefined
  if (element.tagName === 'select') return listOf(element, name)
  const text = { name, kind: 'text' as const, checked: true }
  if (element.tagName === 'textarea') return { ...text, value: writtenIn(element) }
  const type = typeOf(element)
  if (element.tagName !== 'input' || NEVER_SENT.has(type)) return undefined
  // A hidden field of this name says in which encoding its form is sent.
  if (type === 'hidden' && name.toLowerCase() === '_charset_') {
    return { ...text, kind: 'charset', value: '' }
  }
  if (type !== 'checkbox' && type !== 'radio') return { ...text, value: untouched(element, type) }
  const value = attribute(element, 'value') ?? 'on'
  return { name, kind: 'checkbox', checked: hasAttribute(element, 'checked'), value }
}

function buttonOf(element: Element, name: string): Control | undefined {
  const type = typeOf(element)
  const isInput = element.tagName === 'input' && (type === 'submit' || type === 'image')
  if (!isInput && (element.tagName !== 'button' || NEVER_SENT.has(type))) return undefined
  const kind = isInput && type === 'image' ? 'image' : 'button'
  const value = attribute(element, 'value') ?? ''
  return { name, value, kind, checked: false, ...sendingOf(element) }
}

function sendingOf(button: Element): Pick<Control, 'sends'> {
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

/** What stands in a textarea. */
function writtenIn({ childNodes }: Element): string {
  return childNodes.map((node) => (isText(node) ? node.value : '')).join('')
}

/** What an input has that nobody touched: of some kinds there is always something. */
function untouched(element: Element, type: string): string {
  const value = attribute(element, 'value') ?? ''
  if (value !== '') return value
  if (type === 'color') return '#000000'
  return type === 'range' ? middleOf(element) : ''
}

function middleOf(range: Element): string {
  const number = (name: string, usual: number) => {
    const value = Number.parseFloat(attribute(range, name) ?? '')
    return Number.isNaN(value) ? usual : value
  }
  const least = number('min', 0)
  const half = Math.max(0, number('max', 100) - least) / 2
  const step = attribute(range, 'step')?.toLowerCase() === 'any' ? 0 : number('step', 1)
  return String(least + (step > 0 ? Math.round(half / step) * step : half))
}

function listOf(list: Element, name: string): Control {
  const all = list.childNodes.filter(isElement).flatMap((one) => {
    if (one.tagName !== 'optgroup') return optionOf(one, true)
    return one.childNodes
      .filter(isElement)
      .flatMap((o) => optionOf(o, !hasAttribute(one, 'disabled')))
  })
  const usable = all.filter((option) => option.usable)
  const multiple = hasAttribute(list, 'multiple')
  const isOpen = multiple || Number.parseInt(attribute(list, 'size') ?? '1', 10) > 1
  const selected = all.filter((option) => option.selected)
  const shown = selected.length > 0 || isOpen ? selected : usable.slice(0, 1)
  // Of one choice the last one that is marked counts, also where it is out of use: a placeholder.
  const chosen = (multiple ? shown : shown.slice(-1)).filter((option) => option.usable)
  return {
    name,
    kind: 'select',
    checked: true,
    value: chosen[0]?.value ?? '',
    options: usable.map(({ value }) => value),
    chosen: chosen.map(({ value }) => value),
    multiple,
  }
}

function optionOf(option: Element, groupUsable: boolean) {
  if (option.tagName !== 'option') return []
  // An option without a value sends its text.
  const value = attribute(option, 'value') ?? textOf(option)
  const usable = groupUsable && !hasAttribute(option, 'disabled')
  return [{ value, usable, selected: hasAttribute(option, 'selected') }]
}
