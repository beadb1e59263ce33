import type { Context } from 'koa'
import type { Card } from '../data/customers.ts'
import type { Consent } from '../state/consents.ts'
import { answerPage, html } from './frame.ts'
import { inWords, onDay } from './words.ts'

interface Question {
  action: string
  consent: Consent
  /** As registered: the organisation, and on whose behalf it acts. */
  organisation: string
  onBehalfOf: string
  customer: string
  cards: (Card & { masked: string })[]
  /** Does the customer choose the cards? */
  choice: boolean
  problem?: string
}

/** The consent page: who asks, for what, for how long, about which cards. */
export function consentPage(ctx: Context, question: Question): void {
  const { action, consent, organisation, onBehalfOf, customer, cards, problem } = question
  const again = consent.customerId !== undefined
  const funds = consent.kind === 'funds-confirmation'
  const card = (one: Card & { masked: string }) => html`${one.description}, ${one.masked}`
  const boxes = html`<fieldset><legend>Which cards?</legend>
${cards.map(
  (one) =>
    html`<label><input type="checkbox" name="accounts" value="${one.key}"> ${card(one)}</label>\n`,
)}</fieldset>`
  const list = html`<p>Cards:</p><ul>${cards.map((one) => html`<li>${card(one)}</li>`)}</ul>`
  const content = html`<p>Hello ${customer}. <strong>${organisation}</strong>, on behalf of <strong>${onBehalfOf}</strong>, ${
    again ? 'asks you to confirm again that it may' : 'asks to'
  } ${funds ? 'check whether funds are available on your card' : 'see this information'}:</p>
${problem && html`<p class="problem" role="alert">${problem}</p>`}
${
  funds
    ? html`<p>Card ending ${consent.debtorAccount?.Identification}</p>`
    : html`<ul>${consent.permissions.map((one) => html`<li>${inWords(one)}</li>`)}</ul>`
}
<dl>
${periodOf(consent)}
<dt>Until</dt><dd>${consent.expires === undefined ? 'you revoke it' : `${onDay(consent.expires)} (UTC)`}</dd>
</dl>
<form method="post" action="${action}">
${question.choice ? boxes : list}
<button type="submit" name="decision" value="approve">Approve</button>
<button type="submit" name="decision" value="deny" class="quiet">Deny</button>
</form>`
  answerPage(ctx, 200, again ? 'Confirm your consent' : 'Give your consent', content)
}

function periodOf({ kind, transactionsFrom, transactionsTo }: Consent) {
  if (kind === 'funds-confirmation') return undefined
  if (transactionsFrom === undefined && transactionsTo === undefined) return undefined
  const from = transactionsFrom === undefined ? 'the beginning' : onDay(transactionsFrom)
  const to = transactionsTo === undefined ? 'today and later' : onDay(transactionsTo)
  return html`<dt>Transactions</dt><dd>from ${from} to ${to} (UTC)</dd>`
}
