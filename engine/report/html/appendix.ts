import { judgedParty } from '../counts.ts'
import { counted } from '../escape.ts'
import { untested } from '../queries.ts'
import type { Report } from '../report.ts'
import { type Markup, markup } from './markup.ts'

/** What the bank does where the documents are silent. */
export function observationsSection(report: Report): Markup {
  if (report.observations.length === 0) return markup``
  return markup`<section id="observations" aria-labelledby="h-observations"><h2 id="h-observations">Recorded values <small>${report.observations.length}</small></h2>
<p>What ${judgedParty(report)} does where the documents say “not shown”. Recorded, never judged.</p>
<details${report.observations.length > 20 ? '' : markup` open`}><summary>Requirement, what, value</summary><div class="scroll" tabindex="0" role="region" aria-label="Observations"><table><thead><tr><th scope="col">Requirement</th><th scope="col">What</th><th scope="col">Value</th><th scope="col">Exchange</th></tr></thead>
<tbody>${report.observations.map(
    ({ requirement, what, value, exchange }) =>
      markup`<tr><td><a class="id" href="#${requirement}">${requirement}</a></td><th scope="row">${what}</th><td><code>${value}</code></td><td>${exchange ? markup`<a class="id" href="#exchange-${exchange}">${exchange}</a>` : ''}</td></tr>`,
  )}</tbody></table></div></details></section>`
}

/** Requirements that nothing tests, each with its reason. */
export function notTestedSection(report: Report): Markup {
  const own = untested(report)
  if (own.length === 0) return markup``
  return markup`<section id="not-tested" aria-labelledby="h-not-tested"><h2 id="h-not-tested">Not tested <small>${own.length}</small></h2>
<ul class="plain">${own.map(({ id, level, text, notTested }) => markup`<li><a class="id" href="#${id}">${id}</a> <span class="level ${level}">${level}</span> ${text} <em>${notTested}</em></li>`)}</ul></section>`
}

/** What the run left at the bank, and problems outside the checks. */
export function remainsSection(report: Report): Markup {
  if (report.leftBehind.length === 0 && report.problems.length === 0) return markup``
  return markup`<section id="remains" aria-labelledby="h-remains"><h2 id="h-remains">To clear up</h2>
${report.problems.length > 0 ? markup`<ul class="plain">${report.problems.map((problem) => markup`<li>${problem}</li>`)}</ul>` : ''}
${report.leftBehind.length > 0 && markup`<h3>${counted(report.leftBehind.length, 'thing')} left behind at the bank</h3><ul class="plain">${report.leftBehind.map(({ kind, id, why }) => markup`<li>${kind} <code>${id}</code>: ${why}</li>`)}</ul>`}</section>`
}

/** How to read the page, and how to object to a finding. */
export function appealSection(report: Report): Markup {
  return markup`<section id="appeal" aria-labelledby="h-appeal"><h2 id="h-appeal">How to read and appeal</h2>
<dl class="glossary">
<div><dt>fail</dt><dd>A must is broken: the document states it, and an exchange shows otherwise.</dd></div>
<div><dt>warn</dt><dd>A should is broken: implied by the document, and no reason for a verdict.</dd></div>
<div><dt>blocked</dt><dd>It could not be judged. The first cause is named: a failure, missing data, the environment. Never a pass.</dd></div>
<div><dt>observed</dt><dd>The document says “not shown”; the behaviour is recorded and never judged.</dd></div>
<div><dt>not applicable</dt><dd>Declared absent in the file that describes ${judgedParty(report)}, or a freedom of the document that it was seen to take.</dd></div>
<div><dt>not run</dt><dd>The run ended before. What a selection leaves out is not in scope, and is not listed.</dd></div>
<div><dt>error</dt><dd>The suite's own fault; it says nothing about ${judgedParty(report)}.</dd></div>
</dl>
<p>If you disagree with a finding, there are three cases. <b>You read the sentence differently:</b> quote the requirement's id and the words of the document. How ambiguous sentences are read is decided in <code>specs/decisions.yaml</code>; each decision has an id. <b>The exchange does not show what the finding says:</b> quote the check's id and the exchange's id; the control beside it shows the same request being accepted. <b>The finding is right and known:</b> enter a known deviation with reason, ticket, owner and expiry; it stays visible and does not fail the run until it expires.</p>
<p>Quote with every appeal: ${judgedParty(report)} <code>${report.target.name}</code>, run <code>${report.startedAt}</code>, suite <code>${report.assay.version}</code>, requirements <code>${report.assay.specsDigest}</code>.</p></section>`
}
