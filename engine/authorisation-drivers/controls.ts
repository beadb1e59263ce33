import {
  attribute,
  type Element,
  hasAttribute,
  isElement,
  isText,
  textOf,
  typeOf,
} from './elements.ts'

/** A control of a form that can be filled in, chosen or pressed. */
export interface Control {
  /** Empty only for a button. */
  name: string
  value: string
  kind: 'text' | 'charset' | 'checkbox' | 'button' | 'image' | 'select'
  checked: boolean
  /** For a list: the values that may be chosen. */
  options?: string[]
  /** For a list: the values that are chosen. */
  chosen?: string[]
  /** For a list: true if several may be chosen. */
  multiple?: boolean
  /** For a button: where and how it sends the form, instead of what the form says. */
  sends?: { method?: string; action?: string; enctype?: string }
}

/** True for buttons that send their form. */
export const isButton = ({ kind }: Control) => kind === 'button' || kind === 'image'

/** Types of input or button that never send anything. */
const NEVER_SENT = new Set(['reset', 'button'])

/**
 * A control in the state that an untouched page has; undefined if its form never sends it.
 *
 * @param usable false: an element around it disables it.
 */
export function controlOf(element: Element, usable: boolean): Control | undefined {
  const name = attribute(element, 'name') ?? ''
  const button = buttonOf(element, name)
  // A disabled button counts: it may be enabled when something is ticked.
  if (button) return button
  if (name === '' || !usable || hasAttribute(element, 'disabled')) return undefined
  if (element.tagName === 'select') return listOf(element, name)
  const text = { name, kind: 'text' as const, checked: true }
  if (element.tagName === 'textarea') return { ...text, value: writtenIn(element) }
  const type = typeOf(element)
  if (element.tagName !== 'input' || NEVER_SENT.has(type)) return undefined
  // A hidden field with this name states the encoding in which its form is sent.
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

/** The text in a textarea. */
function writtenIn({ childNodes }: Element): string {
  return childNodes.map((node) => (isText(node) ? node.value : '')).join('')
}

/** The value of an untouched input; some types always have one. */
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
  // In a single choice the last selected option counts, even if it is disabled, as a placeholder is.
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
