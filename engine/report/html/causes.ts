import { causeFacts, judgedParty, verdictWord, WHOSE } from '../counts.ts'
import { brief, counted } from '../escape.ts'
import type { Outcome, Report, ReportedCause } from '../report.ts'
import type { Context } from './failures.ts'
import { badge, checkLink, type Markup, markup } from './markup.ts'

/** Causes that stand in the list at once; the others are folded. */
const MOST = 12

/** What is wrong, a line each: what a reader must know first. */
export function wrongSection(report: Report, context: Context): Markup {
  if (report.preflight) return notJudged(report)
  const { causes } = report
  const lines = causes.map((cause, i) => causeLine(cause, i, context))
  const title =
    causes.length === 0 ? 'Nothing is wrong' : `What is wrong: ${counted(causes.length, 'cause')}`
  return markup`<section id="wrong" aria-labelledby="h-wrong"><h2 id="h-wrong">${title}</h2>
${causes.length === 0 ? markup`<p>Every check and rule that could fail was kept.</p>` : ''}
${lines.length > 0 ? markup`<ol class="wrong">${lines.slice(0, MOST)}</ol>` : ''}
${lines.length > MOST ? markup`<details><summary>${counted(lines.length - MOST, 'more cause')}</summary><ol class="wrong" start="${MOST + 1}">${lines.slice(MOST)}</ol></details>` : ''}
</section>`
}

/** Id, sentence, whose, where, what it explains, whether it is new or known; a link to the evidence. */
function causeLine(cause: ReportedCause, index: number, { checks, fresh }: Context): Markup {
  const { title, findings, known } = cause
  const check = checks.get(findings[0] ?? '')
  const outcome: Outcome = check?.outcome ?? 'blocked'
  const href = check ? `#check-${check.id}` : `#cause-${index + 1}`
  const isNew = findings.some((id) => fresh.has(id))
  return markup`<li class="${outcome}${known ? ' known' : ''}">${known ? markup`<span class="badge known">known</span>` : badge(outcome)}${isNew ? markup` <span class="badge new">new</span>` : ''} <a href="${encodeURI(href)}">${check ? markup`<span class="id">${check.id}</span> ` : ''}${brief(title, 220)}</a><br><span class="said">${causeFacts(cause).join(' · ')}</span></li>`
}

/** What is blocked by no finding, each with the checks that it keeps from being judged. */
export function blockedCauses({ causes }: Report, { checks }: Context): Markup {
  const rows = causes.flatMap(({ title, whose, findings, blocks }, i) =>
    findings.length > 0 || blocks.length === 0
      ? []
      : [
          markup`<li id="cause-${i + 1}"><details><summary>${badge('blocked')} <b>${counted(blocks.length, 'check')}</b> by ${WHOSE[whose]}: ${title}</summary><ul>${blocks.map((id) => markup`<li>${checkLink(id)} ${checks.get(id)?.title ?? ''}: ${checks.get(id)?.message ?? ''}</li>`)}</ul></details></li>`,
        ],
  )
  if (rows.length === 0) return markup``
  return markup`<h3>Why something could not be judged</h3><ul class="causes">${rows}</ul>`
}

function notJudged({ preflight = [] }: Report): Markup {
  const wrong = preflight.filter(({ level }) => level === 'wrong')
  return markup`<section id="wrong" aria-labelledby="h-wrong"><h2 id="h-wrong">What stands in the way</h2>
<ol class="wrong">${wrong.map(({ name, text, whose, mend }) => markup`<li><b>${text}</b><br><span class="said">${name}${whose ? ` · ${WHOSE[whose]}` : ''}</span>${mend ? markup`<br>${mend}` : ''}</li>`)}</ol>
<p>Nothing was judged, and nothing is said of the bank. <code>assay doctor</code> looks at the rest.</p></section>`
}

/** The words below the verdict. */
export function verdictMeaning(report: Report): string {
  const word = verdictWord(report)
  if (word === 'not judged') return report.preflight ? '' : 'No check came to a judgement.'
  if (word === 'conformant but for known deviations') return MEANINGS.known
  if (report.verdict === 'nonconformant' && report.musts.failed === 0) return MEANINGS.stale
  if (report.verdict === 'error')
    return `The suite itself failed; this says nothing about ${judgedParty(report)}.`
  return MEANINGS[report.verdict]
}

const MEANINGS = {
  conformant: 'Every must in scope passed or does not apply.',
  known: 'What is broken is known and tolerated until it expires.',
  nonconformant: 'At least one must is broken.',
  stale: 'A known deviation has expired or no longer occurs.',
  incomplete: 'No must failed, but at least one has no verdict.',
}
