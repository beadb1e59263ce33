import type { Context } from 'koa'
import type { Consent } from '../state/consents.ts'
import { answerPage, html } from './frame.ts'
import { inWords, onDay } from './words.ts'

interface Listed {
  consent: Consent
  organisation: string
  onBehalfOf: string
  expired: boolean
}

/** The customer's consents: who may see what, and a button to revoke each. */
export function servicingPage(
  ctx: Context,
  {
    customer,
    listed,
    seal,
    path,
  }: { customer: string; listed: Listed[]; seal: string; path: string },
): void {
  const rows = listed.map(
    ({ consent, organisation, onBehalfOf, expired }) => html`<tr>
<td><strong>${organisation}</strong><br>on behalf of ${onBehalfOf}<br><small>${consent.id}</small></td>
<td>${consent.permissions.map((one) => html`${inWords(one)}<br>`)}${
      consent.debtorAccount &&
      html`Funds on the card ending ${consent.debtorAccount.Identification}`
    }</td>
<td>${wordFor(consent, expired)}<br><small>since ${onDay(consent.deleted ?? consent.statusUpdated)} (UTC)</small></td>
<td>${
      consent.status === 'Revoked'
        ? ''
        : html`<form method="post" action="${path}/consents/${consent.id}/revoke"><input type="hidden" name="seal" value="${seal}"><button type="submit">Revoke</button></form>`
    }</td>
</tr>\n`,
  )
  const table = html`<table><thead><tr><th>Who</th><th>What</th><th>State</th><th>Action</th></tr></thead>
<tbody>${rows}</tbody></table>`
  const content = html`<p>Hello ${customer}. These applications have asked for your information.</p>
${rows.length > 0 ? table : html`<p>None so far.</p>`}
<form method="post" action="${path}/logout"><input type="hidden" name="seal" value="${seal}"><button type="submit" class="quiet">Log out</button></form>`
  answerPage(ctx, 200, 'Your consents', content)
}

function wordFor({ deleted, status }: Consent, expired: boolean): string {
  if (status === 'Revoked') return 'Revoked by you'
  if (deleted !== undefined) return 'Ended by the application'
  return expired ? 'Expired' : status
}
