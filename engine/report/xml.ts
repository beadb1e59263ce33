import { escapeMarkup } from './escape.ts'

const XML: unique symbol = Symbol('xml')

/** XML as it is to be read. Only this file makes any: a text from outside cannot be written as it is. */
export interface Xml {
  readonly [XML]: string
}

type Part = Xml | readonly Xml[] | string | number | undefined | false

/** Elements of ours around texts from anywhere, each escaped for content and for quoted attributes; what is absent is left out. */
export function xml(words: TemplateStringsArray, ...values: Part[]): Xml {
  return { [XML]: words.map((own, at) => own + partOf(values[at])).join('') }
}

/** As it goes into a file. */
export const xmlText = (part: Xml): string => part[XML]

function partOf(value: Part): string {
  if (value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.map(partOf).join('')
  return typeof value === 'object' ? (value as Xml)[XML] : escapeMarkup(String(value))
}
