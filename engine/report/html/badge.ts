import type { Outcome } from '../report.ts'
import { type Markup, markup } from './markup.ts'

/** The word of an outcome in its colour. */
export function badge(outcome: Outcome): Markup {
  return markup`<span class="badge ${outcome}">${outcome}</span>`
}

/** A link to where a check stands on the page. */
export function checkLink(id: string): Markup {
  return markup`<a class="id" href="#${encodeURI(`check-${id}`)}">${id}</a>`
}
