import { referenceEncoded } from '../../record/percent.ts'
import { doorOf, type Passed } from '../door.ts'
import { spelled, visible } from '../escape.ts'
import type { Outcome } from '../report.ts'

/** HTML that is safe to insert; only `markup` and `raw` create it. */
export type Markup = Passed<'HTML'>

/** Escapes for content and quoted attributes; line feeds and tabs are kept. */
const { tag, made, text } = doorOf('HTML', (words) =>
  visible(words).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
)

/**
 * Tagged template for HTML: every value is escaped, except for markup that this tag made. Invisible characters are
 * spelled out. Values may only be in content or in quoted attributes.
 */
export const markup = tag

/** Marks text as HTML. Never use it for anything that a bank sent. */
export const raw = made

/** The text as it is written to a file. */
export const htmlText = text

/** JSON that is safe in a script element: no `<`, no line separator, no lone surrogate. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replace(/[<>\u2028\u2029]/g, spelled)
}

/** An outcome as a coloured word. */
export function badge(outcome: Outcome): Markup {
  return markup`<span class="badge ${outcome}">${outcome}</span>`
}

/** A link to a check on the page. */
export function checkLink(id: string): Markup {
  return markup`<a class="id" href="#${referenceEncoded(`check-${id}`)}">${id}</a>`
}
