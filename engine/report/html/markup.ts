import { spelled, visible } from '../escape.ts'
import type { Outcome } from '../report.ts'

/** HTML that is safe to insert as it is; only `markup` and `raw` make it. */
export interface Markup {
  readonly html: string
}

type Part = Markup | Markup[] | string | number | undefined | false

/**
 * Tagged template for HTML: every value is escaped, but for markup that this tag made. Characters
 * that no reader sees are spelled out. Values stand in content or in quoted attributes, nowhere else.
 */
export function markup(strings: TemplateStringsArray, ...values: Part[]): Markup {
  return { html: strings.reduce((html, text, i) => html + written(values[i - 1]) + text) }
}

/** Text that is known to be HTML. Never of anything that a bank sent. */
export function raw(html: string): Markup {
  return { html }
}

function written(value: Part): string {
  if (value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.map((part) => part.html).join('')
  if (typeof value === 'object') return value.html
  // For content and quoted attributes; line feeds and tabs stay.
  return visible(String(value)).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}

/** JSON that can stand in a script element: no `<`, no line separator, no lone surrogate. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replace(/[<>\u2028\u2029]/g, spelled)
}

/** The word of an outcome in its colour. */
export function badge(outcome: Outcome): Markup {
  return markup`<span class="badge ${outcome}">${outcome}</span>`
}

/** A link to where a check stands on the page. */
export function checkLink(id: string): Markup {
  return markup`<a class="id" href="#${encodeURI(`check-${id}`)}">${id}</a>`
}
