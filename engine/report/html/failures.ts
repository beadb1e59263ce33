import { curl } from '../curl.ts'
import { headline } from '../findings.ts'
import { clip, counted, quoted } from '../legible.ts'
import type { CheckResult, ExchangeRecord, RequirementResult } from '../report.ts'
import { type Markup, markup } from './markup.ts'
import { badge, checkLink } from './verdict.ts'

export interface Context {
  requirements: Map<string, RequirementResult>
  exchanges: Map<string, ExchangeRecord>
  /** Checks by the cause that blocks them. */
  victims: Map<string, CheckResult[]>
  /** Checks that did not end like this in the run before. */
  fresh: Set<string>
}

/** Most that is written out of one text of a bank. */
const MAX_TEXT = 4000

/**
 * One check that a reader must act on: the sentence, expected beside actual, the exchange, the
 * control, a curl command, what it blocks, how the sentence is read, how to appeal.
 */
export function failureCard(check: CheckResult, context: Context): Markup {
  const requirement = context.requirements.get(check.requirement)
  const victims = context.victims.get(check.id) ?? []
  const first = context.exchanges.get(check.exchanges[0] ?? '')
  return markup`<article class="card ${check.outcome}" id="check-${check.id}" data-check="${check.id}">
<h3>${badge(check.outcome)} <span class="id">${check.id}</span> ${check.title}${context.fresh.has(check.id) ? markup` <span class="badge new">new</span>` : ''}</h3>
${deviation(check)}
${sentence(requirement)}
${message(check.message)}
${comparison(check)}
${evidence(check, context)}
${
  first
    ? markup`<details class="curl"><summary>Send it again with curl</summary>
<p>Set the variables first. Signatures, nonces and single-use codes can't be redone by curl.</p>
<pre tabindex="0"><code>${curl(first)}</code></pre></details>`
    : ''
}
${
  victims.length > 0
    ? markup`<details class="victims"><summary>It blocks ${victims.length} other ${victims.length === 1 ? 'check' : 'checks'}</summary>
<ul>${victims.map((victim) => markup`<li>${checkLink(victim.id)} ${victim.title}</li>`)}</ul></details>`
    : ''
}
${reading(requirement)}
<p class="appeal">Not so? See <a href="#appeal">how to appeal</a>.</p>
</article>`
}

function deviation(check: CheckResult): Markup {
  const known = check.deviation
  if (!known) return markup``
  const details = [known.ticket, known.owner].filter((word) => word !== undefined && word !== '')
  return markup`<p class="deviation"><b>Known deviation</b> until <time>${known.expires}</time>: ${known.reason}${details.length > 0 ? ` (${details.join(', ')})` : ''}</p>`
}

function sentence(requirement: RequirementResult | undefined): Markup {
  if (!requirement) return markup``
  return markup`<blockquote>${requirement.quote.map((quote) => markup`<p>${quoted(quote)}</p>`)}
<footer><a class="id" href="#${requirement.id}">${requirement.id}</a> <b>${requirement.level}</b> · ${requirement.chapter} · ${requirement.source}<br>${requirement.text}</footer></blockquote>`
}

/** The first line in bold; the rest, a trace of our own error, closed. */
function message(words: string): Markup {
  const [first = '', ...rest] = words.split('\n')
  return markup`<p class="message">${clip(first, MAX_TEXT)}</p>${
    rest.length > 0
      ? markup`<details><summary>${counted(rest.length, 'more line')}</summary><pre tabindex="0">${clip(rest.join('\n'), MAX_TEXT)}</pre></details>`
      : ''
  }`
}

function comparison(check: CheckResult): Markup {
  if (!check.expected && !check.actual) return markup``
  return markup`<dl class="compare"><div class="expected"><dt>Expected</dt><dd><pre tabindex="0">${clip(check.expected ?? 'not stated', MAX_TEXT)}</pre></dd></div>
<div class="actual"><dt>Actual</dt><dd><pre tabindex="0">${clip(check.actual ?? 'not stated', MAX_TEXT)}</pre></dd></div></dl>`
}

function evidence(check: CheckResult, context: Context): Markup {
  const [first, ...more] = check.exchanges
  return markup`${first ? exchangeSlot(first, 'The exchange', context, check.place, true) : ''}
${check.control ? exchangeSlot(check.control, 'Its control: the same request without the deviation, accepted', context) : ''}
${more.slice(0, 20).map((id) => exchangeSlot(id, 'More evidence', context))}
${more.length > 20 ? markup`<p>and ${more.length - 20} more exchanges: <code>${clip(more.slice(20).join(' '), 1000)}</code></p>` : ''}`
}

/** Where the script shows an exchange once it is opened; without script its head stands there. */
function exchangeSlot(
  id: string,
  title: string,
  context: Context,
  place?: string,
  open?: boolean,
): Markup {
  const exchange = context.exchanges.get(id)
  const facts = exchange ? clip(headline(exchange), 300) : 'not in exchanges.jsonl'
  return markup`<details class="exchange" data-exchange="${id}"${place ? markup` data-place="${place}"` : ''}${open ? markup` data-open` : ''}><summary>${title} <span class="id">${id}</span> <code>${facts}</code></summary>
<p class="elsewhere">Headers and bodies are shown by this page's script; they also stand in exchanges.jsonl, id ${id}.${place ? markup` Offending place: <code>${place}</code>` : ''}</p></details>`
}

/** How an ambiguous sentence is read, and what it leaves open. */
export function reading(requirement: RequirementResult | undefined): Markup {
  if (!requirement) return markup``
  return markup`${requirement.decision ? markup`<p class="decision"><b>How the sentence is read</b> (${requirement.decision.id}): ${requirement.decision.text}</p>` : ''}${requirement.open ? markup`<p class="open"><b>Left open, never judged:</b> ${requirement.open}</p>` : ''}`
}
