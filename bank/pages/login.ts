import type { Context } from 'koa'
import { answerPage, html } from './frame.ts'

/** The login page; the form is sent to `action`. After a wrong password the status is still 200. */
export function loginPage(
  ctx: Context,
  {
    action,
    purpose,
    username,
    failed,
  }: {
    action: string
    purpose: string
    username?: string
    failed?: boolean
  },
): void {
  const content = html`<p>${purpose}</p>
${failed && html`<p class="problem" role="alert">The username or the password is not right.</p>`}
<form method="post" action="${action}">
<label>Username
<input type="text" name="username" value="${username ?? ''}" autocomplete="username" autocapitalize="none" required autofocus></label>
<label>Password
<input type="password" name="password" autocomplete="current-password" required></label>
<button type="submit">Log in</button>
</form>`
  answerPage(ctx, 200, 'Log in', content)
}
