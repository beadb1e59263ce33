import { clip, quoted } from '../escape.ts'
import { byChapter, evidenceOf, hasCard, IN_ORDER, OUTCOMES } from '../queries.ts'
import type { CheckResult, Report, RequirementResult } from '../report.ts'
import { type Context, reading } from './failures.ts'
import { badge, checkLink, type Markup, markup } from './markup.ts'

/** Names of documents for a reader. */
const TITLES: Record<string, string> = {
  'account-information': 'Account information',
  'product-information': 'Product information',
}

/** All requirements by document and chapter; each opens to show its checks. Includes filters for the script. */
export function requirementsSection(report: Report, context: Context): Markup {
  const documents = byChapter(report)
  const chapters = documents.flatMap(({ document, chapters }) =>
    chapters.map(({ chapter }) => `${document}/${chapter}`),
  )
  return markup`<section id="requirements" aria-labelledby="h-requirements">
<h2 id="h-requirements">Requirements</h2>
${filters(report, chapters)}
${documents.map(
  ({
    document,
    chapters,
  }) => markup`<section class="document" aria-label="${TITLES[document] ?? document}"><h3>${TITLES[document] ?? document}</h3>
${chapters.map(
  ({
    chapter,
    requirements,
  }) => markup`<details class="chapter" data-chapter="${document}/${chapter}"${requirements.every(inOrder) ? '' : markup` open`}><summary><h4>${chapter}</h4> <span class="tally">${tally(requirements)}</span></summary>
${requirements.map((requirement) => requirementRow(requirement, context))}
</details>`,
)}
</section>`,
)}
</section>`
}

/** True if a reader need not act on anything in it. */
function inOrder({ outcome, notTested }: RequirementResult): boolean {
  return notTested !== undefined || IN_ORDER.includes(outcome)
}

function filters(report: Report, chapters: string[]): Markup {
  const tested = report.requirements.filter(({ notTested }) => notTested === undefined)
  const seen = new Set([...tested, ...report.checks].map(({ outcome }) => outcome))
  const present = OUTCOMES.filter((outcome) => seen.has(outcome))
  return markup`<form class="filters" role="search" aria-label="Filter requirements" hidden>
<label class="wide">Text <input type="search" name="text" placeholder="id, words of a requirement, a check, a message" autocomplete="off"></label>
<label>Show <select name="order"><option value="">everything</option><option value="open"${report.requirements.every(inOrder) ? '' : markup` selected`}>what is not in order</option></select></label>
<label>Level <select name="level"><option value="">every level</option><option>must</option><option>should</option><option>observe</option></select></label>
<label>Chapter <select name="chapter"><option value="">every chapter</option>${chapters.map((chapter) => markup`<option>${chapter}</option>`)}</select></label>
<fieldset><legend>Outcome</legend>${present.map((outcome) => markup`<label class="chip"><input type="checkbox" name="outcome" value="${outcome}"> ${badge(outcome)}</label>`)}<label class="chip"><input type="checkbox" name="fresh" value="1"> <span class="badge new">new</span></label></fieldset>
<p class="matches"><output aria-live="polite"></output> <button type="reset">Show all</button></p>
</form>`
}

function tally(requirements: RequirementResult[]): Markup[] {
  const ends = requirements.map((each) =>
    each.notTested === undefined ? each.outcome : 'not tested',
  )
  return [...OUTCOMES, 'not tested' as const]
    .filter((end) => ends.includes(end))
    .map(
      (end) =>
        markup`<span class="nowrap"><span class="dot ${end.replace(' ', '-')}"></span>${ends.filter((each) => each === end).length} ${end}</span> `,
    )
}

function requirementRow(requirement: RequirementResult, context: Context): Markup {
  const own = requirement.checks.flatMap((id) => context.checks.get(id) ?? [])
  const outcomes = [...new Set([requirement.outcome, ...own.map(({ outcome }) => outcome)])]
  const fresh = own.some((check) => context.fresh.has(check.id))
  const known = own.some((check) => check.deviation)
  return markup`<details class="requirement" id="${requirement.id}" data-level="${requirement.level}"${inOrder(requirement) && !own.some(({ outcome }) => hasCard(outcome)) ? markup` data-order` : ''} data-outcomes="${outcomes.join(' ')}"${fresh ? markup` data-fresh` : ''}>
<summary><span class="id">${requirement.id}</span> <span class="level ${requirement.level}">${requirement.level}</span> <span class="text">${requirement.text}</span> <span class="end">${fresh ? markup`<span class="badge new">new</span> ` : ''}${known ? markup`<span class="badge known">known</span> ` : ''}${requirement.notTested ? markup`<span class="badge not-run">not tested</span>` : badge(requirement.outcome)}</span></summary>
<div class="body">
<blockquote>${requirement.quote.map((quote) => markup`<p>${quoted(quote)}</p>`)}<footer>${requirement.source}</footer></blockquote>
${requirement.notTested ? markup`<p><b>Not tested:</b> ${requirement.notTested}</p>` : ''}
${reading(requirement)}
${own.length > 0 ? markup`<ul class="checks">${own.map((check) => checkRow(check, context))}</ul>` : ''}
</div></details>`
}

/** Checks with their own card are linked; the others are shown here. */
function checkRow(check: CheckResult, context: Context): Markup {
  const carded = hasCard(check.outcome)
  const evidence = evidenceOf({ ...check, exchanges: check.exchanges.slice(0, 5) })
  return markup`<li${carded ? '' : markup` id="check-${check.id}"`}>${badge(check.outcome)} ${
    carded ? checkLink(check.id) : markup`<span class="id">${check.id}</span>`
  } ${check.title}${check.kind === 'rule' && ' (rule over every exchange)'}${context.fresh.has(check.id) && markup` <span class="badge new">new</span>`}${check.message && markup`<br><span class="said">${clip(check.message, 500)}</span>`}${
    check.outcome === 'blocked' &&
    check.blockedBy &&
    markup`<br><span class="said">blocked by ${check.blockedBy}</span>`
  }${evidence.length > 0 && markup`<br><span class="said">evidence ${evidence.map((id) => markup`<a class="id" href="#exchange-${id}">${id}</a> `)}${check.exchanges.length > 5 ? `and ${check.exchanges.length - 5} more` : ''}</span>`}</li>`
}
