import { referenceEncoded } from '../../record/percent.ts'
import { ASSAY } from '../../record/program.ts'
import {
  addressWords,
  blockedBy,
  causeFacts,
  earlierWords,
  type Figure,
  isWatched,
  judgedMusts,
  judgedParty,
  littleJudged,
  mustFigures,
  NO_MUST,
  outcomeFigures,
  scopeWords,
  sizeFigures,
  verdictHeadline,
  verdictSentence,
  verdictWord,
  WHOSE,
} from '../counts.ts'
import { brief, count, counted, span } from '../escape.ts'
import { nearestTo } from '../nearest.ts'
import { checksWith, durationOf, grouped, isWrong } from '../queries.ts'
import type { CheckResult, Outcome, Report, ReportedCause } from '../report.ts'
import type { Context } from './failures.ts'
import { badge, checkLink, type Markup, markup } from './markup.ts'

/** Maximum number of causes that are listed openly; the others are folded. */
const MOST = 12

/** The head of the page: the verdict, the bank, and the basis of the verdict. */
export function verdictBanner(report: Report): Markup {
  const { name, host } = report.target
  const laidOut = addressWords(report.target)
  const word = verdictWord(report)
  const tone =
    report.recording || isWatched(report)
      ? report.verdict
      : word === 'not judged'
        ? 'unjudged'
        : word === report.verdict
          ? word
          : 'conformant known'
  const first = report.preflight?.find(({ level }) => level === 'wrong')
  return markup`<header class="banner ${tone}">
<p class="brand"><b>Assay</b> ${report.recording ? 'report on recorded traffic: no run, no verdict of conformance' : 'conformance report'}</p>
<h1><span class="verdict">${word}</span>${warnings(report)}${first ? markup`: ${first.text}` : ''}</h1>
<p class="bank"><b>${name}</b>${host ? markup` · ${host}` : ''}${laidOut && ` · ${laidOut}`} · ${scopeWords(report)}${earlierWords(report)} · <time datetime="${report.startedAt}">${report.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time></p>
${report.preflight ? '' : markup`<p class="lead">${verdictSentence(report)}</p>`}
<p class="meaning">${verdictMeaning(report)}${report.partial && !report.preflight && !report.recording ? markup` <strong>Partial run: ${report.partial}</strong>` : ''}</p>
</header>`
}

/** Broken shoulds, which do not affect the verdict. */
function warnings(report: Report): string {
  return verdictHeadline(report).slice(verdictWord(report).length)
}

/** What was run, and its size. */
export function aboutSection(report: Report): Markup {
  const facts: [name: string, value: string][] = [
    ['Scope', scopeWords(report)],
    ...sizeFigures(report).map(({ word, n, meaning }): [string, string] => [
      `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
      `${count(n)}, ${meaning}`,
    ]),
    ['Time', `${report.startedAt} to ${report.finishedAt}, ${span(durationOf(report))}`],
    ['Suite', `${report.assay.version} on Node ${report.assay.node}`],
    ...(report.assay.environment ?? []).map(({ name, effect }): [string, string] => [name, effect]),
    ['Requirements', report.assay.specsDigest],
    ['Configuration', report.target.configurationDigest],
    ['Exit code', String(report.exitCode)],
  ]
  return markup`<section id="about" aria-labelledby="h-about"><h2 id="h-about">About this run</h2>
<dl class="glossary">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`
}

/** The basis of the verdict: every must in scope in one row, and why some have no verdict. */
export function restsOn(report: Report, context: Context): Markup {
  const figures = mustFigures(report).filter(({ n, word }) => n > 0 || word === 'passed')
  return markup`<section id="rests-on" aria-labelledby="h-rests-on">
<h2 id="h-rests-on">What the verdict rests on</h2>
${bar(figures)}
<table class="musts"><caption class="visually-hidden">Musts in scope by outcome</caption>
<thead><tr><th scope="col">Musts</th><th scope="col" class="number">Count</th><th scope="col">Meaning</th></tr></thead>
<tbody>${figures.map(({ tone, word, n, meaning }) => markup`<tr><th scope="row"><span class="dot ${tone}"></span>${word}</th><td class="number">${count(n)}</td><td>${meaning}</td></tr>`)}</tbody>
</table>
<p class="counts"><span>All ${count(report.checks.length)} checks and rules:</span> ${outcomeFigures(report).map(({ tone, n }) => markup`<span class="nowrap">${badge(tone as Outcome)} ${count(n)}</span> `)}</p>
${blockedCauses(report, context)}
${notApplicable(report)}
</section>`
}

function bar(parts: Figure[]): Markup {
  const total = parts.reduce((sum, { n }) => sum + n, 0)
  if (total === 0) return markup``
  let at = 0
  const rects = parts.map(({ tone, n }) => {
    const rect = markup`<rect class="fill ${tone}" x="${((at / total) * 1000).toFixed(1)}" width="${((n / total) * 1000).toFixed(1)}" height="14"/>`
    at += n
    return rect
  })
  return markup`<svg class="bar" viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">${rects}</svg>`
}

function notApplicable(report: Report): Markup {
  const groups = grouped(checksWith(report, 'not-applicable'), ({ message }) => message)
  if (groups.size === 0) return markup``
  return markup`<h3>Why something is not applicable</h3>
<ul class="causes">${[...groups].map(
    ([reason, checks]) =>
      markup`<li><details><summary>${badge('not-applicable')} <b>${counted(checks.length, 'check')}</b> ${reason || 'no reason given'}</summary><p>${checks.map((check) => markup`${checkLink(check.id)} `)}</p></details></li>`,
  )}</ul>`
}

/** What is wrong, one line each: what a reader must know first. */
export function wrongSection(report: Report, context: Context): Markup {
  if (report.preflight) return notJudged(report)
  const causes = report.causes.filter(isWrong)
  const free = report.causes.reduce(
    (sum, cause) => sum + (isWrong(cause) ? 0 : cause.blocks.length),
    0,
  )
  const blocks = causes.some((cause) => cause.blocks.length > 0)
  const lines = report.causes.flatMap((cause, i) =>
    isWrong(cause) ? [causeLine(cause, i, context)] : [],
  )
  const title =
    causes.length === 0 ? 'Nothing is wrong' : `What is wrong: ${counted(causes.length, 'cause')}`
  return markup`<section id="wrong" aria-labelledby="h-wrong"><h2 id="h-wrong">${title}</h2>
${causes.length === 0 ? markup`<p>Every check and rule that could fail passed.</p>` : ''}
${lines.length > 0 ? markup`<ol class="wrong">${lines.slice(0, MOST)}</ol>` : ''}
${lines.length > MOST ? markup`<details><summary>${counted(lines.length - MOST, 'more cause')}</summary><ol class="wrong" start="${MOST + 1}">${lines.slice(MOST)}</ol></details>` : ''}
${free > 0 ? markup`<p>${counted(free, blocks ? 'more check' : 'check')} could not be judged, and nobody has to act.</p>` : ''}
</section>`
}

/** Id, sentence, who can fix it, where, what it explains, whether it is new or known; with a link to the evidence. */
function causeLine(cause: ReportedCause, index: number, context: Context): Markup {
  const { checks, fresh } = context
  const { title, findings, known } = cause
  const check = checks.get(findings[0] ?? '')
  const outcome: Outcome = check?.outcome ?? 'blocked'
  const href = check ? `#check-${check.id}` : `#cause-${index + 1}`
  const isNew = findings.some((id) => fresh.has(id))
  return markup`<li class="${outcome}${known ? ' known' : ''}">${known ? markup`<span class="badge known">known</span>` : badge(outcome)}${isNew ? markup` <span class="badge new">new</span>` : ''} <a href="${referenceEncoded(href)}">${check ? markup`<span class="id">${check.id}</span> ` : ''}${brief(title, 300)}</a>${check ? markup`<br>${requiredOf(check, context)}` : ''}<br><span class="said">${causeFacts(cause).join(' · ')}</span></li>`
}

/** What was expected, and how the request differs from those that were answered differently. */
function requiredOf(check: CheckResult, context: Context): string {
  const apart = nearestTo(check, context).map((words) => `; ${words}`)
  return `expected: ${brief(check.title, 300)}${apart.join('')}`
}

/** Causes of blocked checks that no finding blocks, each with the checks that it blocks. */
function blockedCauses({ causes }: Report, { checks }: Context): Markup {
  const rows = causes.flatMap(({ title, whose, mend, findings, blocks }, i) =>
    findings.length > 0 || blocks.length === 0
      ? []
      : [
          markup`<li id="cause-${i + 1}"><details><summary>${badge('blocked')} <b>${counted(blocks.length, 'check')}</b>${blockedBy(whose)}: ${title}</summary>${mend ? markup`<p>${mend}</p>` : ''}<ul>${blocks.map((id) => markup`<li>${checkLink(id)} ${checks.get(id)?.title ?? ''}: ${checks.get(id)?.message ?? ''}</li>`)}</ul></details></li>`,
        ],
  )
  if (rows.length === 0) return markup``
  return markup`<h3>Why something could not be judged</h3><ul class="causes">${rows}</ul>`
}

function notJudged(report: Report): Markup {
  const wrong = (report.preflight ?? []).filter(({ level }) => level === 'wrong')
  return markup`<section id="wrong" aria-labelledby="h-wrong"><h2 id="h-wrong">What stands in the way</h2>
<ol class="wrong">${wrong.map(({ name, text, whose, mend }) => markup`<li><b>${text}</b><br><span class="said">${name}${whose ? ` · ${WHOSE[whose]}` : ''}</span>${mend ? markup`<br>${mend}` : ''}</li>`)}</ol>
<p>${littleJudged(report)}: this says ${judgedMusts(report) > 0 ? 'little' : 'nothing'} about the conformance of ${judgedParty(report)}. Run <code>${ASSAY} doctor</code> to look at the rest of the target file and of the addresses.</p></section>`
}

function verdictMeaning(report: Report): string {
  const word = verdictWord(report)
  if (report.recording && report.verdict !== 'error') return MEANINGS.recording
  if (isWatched(report) && report.verdict !== 'error') return MEANINGS.watched
  if (word === 'not judged') return report.preflight ? '' : 'No check came to a judgement.'
  if (word === 'conformant but for known deviations') return MEANINGS.known
  if (report.verdict === 'nonconformant' && report.musts.failed === 0) return MEANINGS.stale
  if (report.verdict === 'error')
    return `The suite itself failed; this says nothing about ${judgedParty(report)}.`
  if (report.verdict === 'incomplete' && judgedMusts(report) === 0) return `${NO_MUST}.`
  return MEANINGS[report.verdict]
}

const MEANINGS = {
  conformant: 'Every must in scope passed or does not apply.',
  known: 'What is broken is known and tolerated until it expires.',
  nonconformant: 'At least one must is broken.',
  stale: 'A known deviation has expired or no longer occurs.',
  recording:
    'Rules judged what others sent. What nobody asked for, and what the recording does not tell, was not judged.',
  watched:
    'Rules judged the requests that the client sent. No scenario was played, so this is no certification.',
  incomplete: 'No must failed, but at least one has no verdict.',
}
