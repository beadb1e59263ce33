import type { Context } from 'koa'
import { answerPage, html } from './frame.ts'

/** Tells the customer that a request cannot be served. The status does not change. */
export function problemPage(ctx: Context, error: string, description?: string): void {
  const content = html`<p class="problem">${description ?? 'Something went wrong.'}</p>
<p>Please go back to the application you came from. Error: <code>${error}</code></p>`
  answerPage(ctx, ctx.status, 'This request cannot be served', content)
}
