import { blockedByCause, OUTCOMES, summaryKey, verdictSentence } from '../findings.ts'
import { count, counted, span } from '../legible.ts'
import type { CheckResult, Outcome, Report } from '../report.ts'
import { type Markup, markup } from './markup.ts'

const VERDICTS: Record<Report['verdict'], string> = {
  conformant: 'Every must in scope passed or does not apply.',
  nonconformant:
    'At least one must is broken, or a known deviation has expired or no longer occurs.',
  incomplete: 'No must failed, but at least one has no verdict.',
  error: 'The suite itself failed; this says nothing about the bank.',
}

/** The head of the page: the verdict, what it means, and the facts of the run. */
export function verdictBanner(report: Report): Markup {
  const took = Date.parse(report.finishedAt) - Date.parse(report.startedAt)
  const only = report.scope.only.length > 0 ? `, only ${report.scope.only.join(' ')}` : ''
  return markup`<header class="banner ${report.verdict}">
<p class="brand"><b>Assay</b> conformance report</p>
<h1><span class="verdict">${report.verdict}</span> <span class="target">${report.target.name}</span></h1>
<p class="lead">${verdictSentence(report)}</p>
<p>${VERDICTS[report.verdict]}${report.partial ? markup` <strong>Partial run: ${report.partial}</strong>` : ''}</p>
<dl class="facts">
<div><dt>Scope</dt><dd>${report.scope.profile}${only}: ${counted(report.scope.requirements, 'requirement')}, ${counted(report.scope.checks, 'check')}</dd></div>
<div><dt>Run</dt><dd><time datetime="${report.startedAt}">${report.startedAt.replace('T', ' ')}</time>, ${span(took)}</dd></div>
<div><dt>Sent</dt><dd>${counted(report.requests, 'request')}, ${counted(report.approvals.length, 'visit')} at the authorisation page</dd></div>
<div><dt>Suite</dt><dd>${report.assay.version} on Node ${report.assay.node}, requirements <code>${report.assay.specsDigest.slice(0, 12)}</code></dd></div>
<div><dt>Exit code</dt><dd>${report.exitCode}</dd></div>
</dl>
</header>`
}

/** What the verdict rests on: musts by outcome, and why some are without a verdict. */
export function restsOn(report: Report): Markup {
  const { musts } = report
  const rows: [string, string, number, string][] = [
    ['pass', 'passed', musts.passed, 'judged and kept'],
    ['fail', 'failed', musts.failed, 'judged and broken'],
    ['blocked', 'blocked', musts.blocked, 'could not be judged; the causes stand below'],
    ['not-run', 'not run', musts.notRun, 'selected, but the run did not get there'],
    [
      'not-applicable',
      'not applicable',
      musts.notApplicable,
      'the target declares that it has no such capability, or took a freedom of the document',
    ],
    ['observed', 'not tested', musts.notTested, 'no check tests it; each says why, below'],
  ]
  return markup`<section id="rests-on" aria-labelledby="h-rests-on">
<h2 id="h-rests-on">What the verdict rests on</h2>
${bar(rows.map(([outcome, , n]) => ({ outcome, n })))}
<table class="musts"><caption class="visually-hidden">Musts in scope by outcome</caption>
<thead><tr><th scope="col">Musts</th><th scope="col" class="number">Count</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(([outcome, name, n, meaning]) => markup`<tr><th scope="row"><span class="dot ${outcome}"></span>${name}</th><td class="number">${count(n)}</td><td>${meaning}</td></tr>`)}</tbody>
</table>
<p class="counts"><span>All checks and rules:</span> ${OUTCOMES.filter((o) => report.summary[summaryKey(o)] > 0).map((o) => markup`<span class="nowrap">${badge(o)} ${count(report.summary[summaryKey(o)])}</span> `)}</p>
${causes(report)}
${notApplicable(report)}
</section>`
}

/** The word of an outcome in its colour. */
export function badge(outcome: Outcome): Markup {
  return markup`<span class="badge ${outcome}">${outcome}</span>`
}

function bar(parts: { outcome: string; n: number }[]): Markup {
  const total = parts.reduce((sum, { n }) => sum + n, 0)
  if (total === 0) return markup``
  let at = 0
  const rects = parts.map(({ outcome, n }) => {
    const rect = markup`<rect class="fill ${outcome}" x="${((at / total) * 1000).toFixed(1)}" width="${((n / total) * 1000).toFixed(1)}" height="14"/>`
    at += n
    return rect
  })
  return markup`<svg class="bar" viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">${rects}</svg>`
}

function causes(report: Report): Markup {
  const blocked = blockedByCause(report)
  if (blocked.length === 0) return markup``
  const ids = new Set(report.checks.map((check) => check.id))
  return markup`<h3>Why something is blocked</h3>
<ul class="causes">${blocked.map(
    ({ cause, checks }) =>
      markup`<li><details><summary>${badge('blocked')} <b>${counted(checks.length, 'check')}</b> by ${
        ids.has(cause) ? checkLink(cause) : markup`<span>${cause}</span>`
      }</summary><ul>${checks.map((check) => markup`<li>${checkLink(check.id)} ${check.title}: ${check.message}</li>`)}</ul></details></li>`,
  )}</ul>`
}

function notApplicable(report: Report): Markup {
  const groups = new Map<string, CheckResult[]>()
  for (const check of report.checks) {
    if (check.outcome !== 'not-applicable') continue
    groups.set(check.message, [...(groups.get(check.message) ?? []), check])
  }
  if (groups.size === 0) return markup``
  return markup`<h3>Why something is not applicable</h3>
<ul class="causes">${[...groups].map(
    ([reason, checks]) =>
      markup`<li><details><summary>${badge('not-applicable')} <b>${counted(checks.length, 'check')}</b> ${reason || 'no reason given'}</summary><p>${checks.map((check) => markup`${checkLink(check.id)} `)}</p></details></li>`,
  )}</ul>`
}

/** A link to where a check stands on the page. */
export function checkLink(id: string): Markup {
  return markup`<a class="id" href="#${encodeURI(`check-${id}`)}">${id}</a>`
}
