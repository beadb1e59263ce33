import { referenceEncoded } from '../../record/percent.ts'
import { doorOf, type Passed } from '../door.ts'
import { spelled, visible } from '../escape.ts'
import type { Outcome } from '../report.ts'

/** HTML that is safe to insert as it is; only `markup` and `raw` make it. */
export type Markup = Passed<'HTML'>

/** For content and quoted attributes; line feeds and tabs stay. */
const { tag, made, text } = doorOf('HTML', (words) =>
  visible(words).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
)

/**
 * Tagged template for HTML: every value is escaped, but for markup that this tag made. Characters
 * that no reader sees are spelled out. Values stand in content or in quoted attributes, nowhere else.
 */
export const markup = tag

/** Text that is known to be HTML. Never of anything that a bank sent. */
export const raw = made

/** As it goes into a file. */
export const htmlText = text

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
  return markup`<a class="id" href="#${referenceEncoded(`check-${id}`)}">${id}</a>`
}
