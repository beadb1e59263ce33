import {
  type Figure,
  mustFigures,
  outcomeFigures,
  scopeWords,
  sizeFigures,
  verdictSentence,
  verdictWord,
} from '../counts.ts'
import { count, counted, span } from '../escape.ts'
import { checksWith, durationOf, grouped } from '../queries.ts'
import type { Outcome, Report } from '../report.ts'
import { blockedCauses, verdictMeaning } from './causes.ts'
import type { Context } from './failures.ts'
import { badge, checkLink, type Markup, markup } from './markup.ts'

/** The head of the page: the verdict, of which bank, and what it rests on. */
export function verdictBanner(report: Report): Markup {
  const { name, host, environment } = report.target
  const word = verdictWord(report)
  const tone =
    word === 'not judged' ? 'unjudged' : word === report.verdict ? word : 'conformant known'
  const first = report.preflight?.find(({ level }) => level === 'wrong')
  return markup`<header class="banner ${tone}">
<p class="brand"><b>Assay</b> conformance report</p>
<h1><span class="verdict">${word}</span>${first ? markup`: ${first.text}` : ''}</h1>
<p class="bank"><b>${name}</b>${host ? markup` · ${host}` : ''}${environment ? markup` · ${environment} addresses` : ''} · ${scopeWords(report)} · <time datetime="${report.startedAt}">${report.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time></p>
${report.preflight ? '' : markup`<p class="lead">${verdictSentence(report)}</p>`}
<p class="meaning">${verdictMeaning(report)}${report.partial && !report.preflight ? markup` <strong>Partial run: ${report.partial}</strong>` : ''}</p>
</header>`
}

/** What was run, and how much of it. */
export function aboutSection(report: Report): Markup {
  const facts: [name: string, value: string][] = [
    ['Scope', scopeWords(report)],
    ...sizeFigures(report).map(({ word, n, meaning }): [string, string] => [
      `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
      `${count(n)}, ${meaning}`,
    ]),
    ['Time', `${report.startedAt} to ${report.finishedAt}, ${span(durationOf(report))}`],
    ['Suite', `${report.assay.version} on Node ${report.assay.node}`],
    ['Requirements', report.assay.specsDigest],
    ['Configuration', report.target.configurationDigest],
    ['Exit code', String(report.exitCode)],
  ]
  return markup`<section id="about" aria-labelledby="h-about"><h2 id="h-about">About this run</h2>
<dl class="glossary">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`
}

/** What the verdict rests on: every must in scope in one row, and why some have no verdict. */
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
