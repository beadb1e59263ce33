import { type DefaultTreeAdapterTypes, defaultTreeAdapter } from 'parse5'

/** Helpers that read the elements of a page. */

export type Node = DefaultTreeAdapterTypes.Node
export type Element = DefaultTreeAdapterTypes.Element

export const isElement = (node: Node): node is Element => defaultTreeAdapter.isElementNode(node)

export const isText = (node: Node): node is DefaultTreeAdapterTypes.TextNode =>
  defaultTreeAdapter.isTextNode(node)

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value
}

export function hasAttribute(element: Element, name: string): boolean {
  return attribute(element, name) !== undefined
}

export const typeOf = (element: Element) => (attribute(element, 'type') ?? '').toLowerCase()

export function textOf(top: Node): string {
  const words: string[] = []
  const open: Node[] = [top]
  for (let node = open.pop(); node; node = open.pop()) {
    if (isText(node)) words.push(node.value)
    if ('childNodes' in node) open.push(...node.childNodes.slice(0, MOST_CHILDREN).reverse())
  }
  return inOneLine(words.join(' '))
}

/** Limit for one element within a link: text beyond it is not used to find the link. */
const MOST_CHILDREN = 1000

export function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
