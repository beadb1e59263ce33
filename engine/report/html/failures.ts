import { ASSAY } from '../../record/program.ts'
import { curl } from '../curl.ts'
import { clip, counted, quoted } from '../escape.ts'
import { excerptOf } from '../excerpt.ts'
import { nearestTo, roleOfControl } from '../nearest.ts'
import { certificateWords, headline, type Indexed, repeatCommand } from '../queries.ts'
import type { CheckResult, ReportedCause, RequirementResult } from '../report.ts'
import { badge, checkLink, type Markup, markup } from './markup.ts'

export interface Context extends Indexed {
  /** Causes by the ids of the findings that they explain. */
  causes: Map<string, ReportedCause>
  /** Checks that are newly broken since the previous run. */
  fresh: Set<string>
  /** Folder of the run, as the user would type it. */
  folder?: string
}

/** Maximum number of characters shown of one text from a bank. */
const MAX_TEXT = 4000

/**
 * One check that a reader must act on: the sentence, what was sent and received, the place in the body, the control;
 * folded: messages, how to repeat it, what it blocks; how to appeal. A known deviation is folded as a whole, and so is
 * a finding with the same cause as another one.
 */
export function failureCard(check: CheckResult, context: Context): Markup {
  const { outcome, id, title, deviation: known } = check
  const [first = id] = context.causes.get(id)?.findings ?? []
  const folded = known
    ? [known.owner, known.ticket, `until ${known.expires}`].filter(Boolean).join(' · ')
    : first !== id && `the same cause as ${first}`
  const head = markup`${known ? markup`<span class="badge known">known</span>` : badge(outcome)} <span class="id">${id}</span> ${title}${context.fresh.has(id) ? markup` <span class="badge new">new</span>` : ''}`
  if (folded) {
    return markup`<details class="card ${known ? 'known' : outcome}" id="check-${id}" data-check="${id}"><summary>${head} <span class="said">${folded}</span></summary>
${cardBody(check, context)}</details>`
  }
  return markup`<article class="card ${outcome}" id="check-${id}" data-check="${id}">
<h3>${head}</h3>
${cardBody(check, context)}</article>`
}

function cardBody(check: CheckResult, context: Context): Markup {
  const requirement = context.requirements.get(check.requirement)
  return markup`${deviation(check)}
${
  requirement &&
  markup`<blockquote>${requirement.quote.map((quote) => markup`<p>${quoted(quote)}</p>`)}
<footer><a class="id" href="#${requirement.id}">${requirement.id}</a> <b>${requirement.level}</b> · ${requirement.chapter} · ${requirement.source}<br>${requirement.text}</footer></blockquote>`
}
${message(check.message)}
${sentAndCame(check, context)}
${comparison(check)}
${excerpt(check, context)}
${nearestTo(check, context).map((words) => markup`<p class="said">What sets it apart: ${words}.</p>`)}
${check.control && exchangeSlot(check.control.exchange, `Its control, ${roleOfControl(check, context)}`, context)}
${evidence(check, context)}
${repeating(check, context)}
${explains(check, context)}
${requirement && reading(requirement)}
<p class="appeal">Do you disagree? See <a href="#appeal">how to appeal</a>.</p>
`
}

/** `GET /accounts → 200`, its deliberate fault, and its certificate. */
function sentAndCame(check: CheckResult, { exchanges }: Context): Markup {
  const exchange = exchanges.get(check.exchanges[0] ?? '')
  if (!exchange) return markup``
  const { about, connection } = exchange
  const deviates = typeof about.deviation === 'string' ? ` · ${about.deviation}` : ''
  const certificate = /certificate/.test(deviates)
    ? ''
    : ` · ${certificateWords(connection.identity)}`
  const client = typeof about.client === 'string' ? ` · client ${about.client}` : ''
  return markup`<p class="sent"><code>${clip(headline(exchange), 300)}</code> <span class="said">${clip(deviates, 300)}${client}${certificate} · ${exchange.id}</span></p>`
}

function excerpt(check: CheckResult, { exchanges }: Context): Markup {
  const found = excerptOf(check, exchanges.get(check.exchanges[0] ?? ''))
  if (!found) return markup``
  return markup`<figure class="excerpt"><figcaption>${check.place ?? ''}, from line ${found.from} of the body</figcaption><pre tabindex="0">${found.lines.map(({ text, marked }) => markup`<span class="${marked ? 'line mark' : 'line'}">${text}</span>`)}</pre></figure>`
}

/** How to send it again: with the suite itself, and with curl. */
function repeating(check: CheckResult, { exchanges, folder, report }: Context): Markup {
  if (report.target.side === 'TPP') {
    return markup`<details class="curl"><summary>Repeat it</summary>
<pre tabindex="0"><code>${ASSAY} tpp --tpp FILE --only ${check.id}</code></pre></details>`
  }
  const first = exchanges.get(check.exchanges[0] ?? '')
  const command = repeatCommand(check, folder ?? 'FOLDER')
  return markup`<details class="curl"><summary>Repeat it</summary>
<pre tabindex="0"><code>${command}</code></pre>
${
  first &&
  markup`<p>Or with curl: <code>${ASSAY} credentials</code> writes the files and variables that it names. Signatures, nonces and single-use codes can't be redone by curl.</p>
<pre tabindex="0"><code>${curl(first)}</code></pre>`
}</details>`
}

/** Findings with the same cause, and what the cause keeps from being judged. */
function explains(check: CheckResult, { causes, checks }: Context): Markup {
  const cause = causes.get(check.id)
  const [first, ...others] = cause?.findings ?? []
  if (!cause || first !== check.id) return markup``
  const list = (ids: string[]) =>
    markup`<ul>${ids.map((id) => markup`<li>${checkLink(id)} ${checks.get(id)?.title ?? ''}</li>`)}</ul>`
  return markup`${others.length > 0 ? markup`<details class="victims"><summary>The same cause explains ${counted(others.length, 'other finding')}: ${cause.evidence ?? ''}</summary>${list(others)}</details>` : cause.evidence !== undefined && markup`<p class="said">${cause.evidence}</p>`}
${cause.blocks.length > 0 ? markup`<details class="victims"><summary>It keeps ${counted(cause.blocks.length, 'check')} from being judged</summary>${list(cause.blocks)}</details>` : ''}`
}

function deviation(check: CheckResult): Markup {
  const known = check.deviation
  if (!known) return markup``
  const details = [known.ticket, known.owner].filter(Boolean)
  return markup`<p class="deviation"><b>Known deviation</b> until <time>${known.expires}</time>: ${known.reason}${details.length > 0 ? ` (${details.join(', ')})` : ''}</p>`
}

/** The first line in bold; the rest, a stack trace of Assay's own error, closed. */
function message(words: string): Markup {
  const [first = '', ...rest] = words.split('\n')
  return markup`<p class="message">${clip(first, MAX_TEXT)}</p>${rest.length > 0 && markup`<details><summary>${counted(rest.length, 'more line')}</summary><pre tabindex="0">${clip(rest.join('\n'), MAX_TEXT)}</pre></details>`}`
}

function comparison(check: CheckResult): Markup {
  if (!check.expected && !check.actual) return markup``
  return markup`<dl class="compare"><div class="expected"><dt>Expected</dt><dd><pre tabindex="0">${clip(check.expected ?? 'not stated', MAX_TEXT)}</pre></dd></div>
<div class="actual"><dt>Actual</dt><dd><pre tabindex="0">${clip(check.actual ?? 'not stated', MAX_TEXT)}</pre></dd></div></dl>`
}

function evidence(check: CheckResult, context: Context): Markup {
  const [first, ...more] = check.exchanges
  return markup`${first ? exchangeSlot(first, 'Messages of the exchange', context, check.place, true) : ''}
${more.slice(0, 20).map((id) => exchangeSlot(id, 'More evidence', context))}
${more.length > 20 ? markup`<p>and ${more.length - 20} more exchanges: <code>${clip(more.slice(20).join(' '), 1000)}</code></p>` : ''}`
}

/** Place where the script shows an exchange once it is opened; without a script its headline is shown. */
function exchangeSlot(
  id: string,
  title: string,
  context: Context,
  place?: string,
  open?: boolean,
): Markup {
  const exchange = context.exchanges.get(id)
  const facts = exchange ? clip(headline(exchange), 300) : 'not in exchanges.jsonl'
  return markup`<details class="exchange" data-exchange="${id}"${place ? markup` data-place="${place}"` : ''}${open ? markup` data-print` : ''}><summary>${title} <span class="id">${id}</span> <code>${facts}</code></summary>
<p class="elsewhere">Headers and bodies are shown by this page's script; they also stand in exchanges.jsonl, id ${id}.${place ? markup` Offending place: <code>${place}</code>` : ''}</p></details>`
}

/** How an ambiguous sentence is read, and what it leaves open. */
export function reading({ decision, open }: RequirementResult): Markup {
  return markup`${decision && markup`<p class="decision"><b>How the sentence is read</b> (${decision.id}): ${decision.text}</p>`}${open && markup`<p class="open"><b>Left open, never judged:</b> ${open}</p>`}`
}
