import type { CheckChange } from '../diff.ts'
import { clip, counted } from '../escape.ts'
import { type BankOverview, GRAVEST_FIRST, type Overview } from '../overview.ts'
import type { Outcome } from '../report.ts'
import { document } from './document.ts'
import { type Markup, markup } from './markup.ts'

/**
 * overview.html: banks and TPPs × chapters as a heat map, what changed, the history of each check, what ends soon. One
 * file without a script, which loads nothing.
 *
 * @param problems what could not be read
 * @param pageOf the link from this page to the report of the run in a folder; undefined if it is not available
 */
export function overviewPage(
  overview: Overview,
  problems: readonly string[],
  pageOf: (folder: string) => string | undefined = () => undefined,
): string {
  const body = markup`<main>
<h1>${heading(overview)}</h1>
<p>Until <time datetime="${overview.until}">${when(overview.until)}</time>. ${headline(overview)}</p>
${problems.map((problem) => markup`<p class="notice">${problem}</p>`)}
${heatMap(overview)}
${ending(overview)}
${overview.banks.map((bank) => bankSection(bank, pageOf))}
</main>`
  return document(heading(overview), ['page.css', 'overview.css'], body)
}

/** 2 banks, 1 TPP. */
function heading({ banks }: Overview): string {
  const tpps = banks.filter(({ side }) => side === 'TPP').length
  const own = banks.length - tpps
  return [own > 0 && counted(own, 'bank'), tpps > 0 && counted(tpps, 'TPP')]
    .filter(Boolean)
    .join(', ')
}

function headline({ banks }: Overview): string {
  const count = (word: string) => banks.filter(({ verdict }) => verdict === word).length
  const words = GRAVEST_FIRST.filter((word) => count(word) > 0)
  return words.map((word) => `${count(word)} ${word}`).join(', ')
}

const LEGEND: [Outcome, string][] = [
  ['fail', 'failed'],
  ['error', 'our own error'],
  ['blocked', 'could not be judged'],
  ['warn', 'warned'],
  ['pass', 'passed'],
  ['observed', 'recorded'],
  ['not-run', 'not run, or not applicable'],
]

function heatMap({ banks, chapters }: Overview): Markup {
  return markup`<section aria-labelledby="h-heat"><h2 id="h-heat">By chapter</h2>
<p class="legend">${LEGEND.map(([outcome, words]) => markup`<span><i class="${outcome}"></i>${words}</span>`)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="By chapter"><table class="heat"><thead><tr><td class="none"></td>${chapters.map((chapter) => markup`<th scope="col">${shortName(chapter)}</th>`)}</tr></thead>
<tbody>${banks.map((bank) => markup`<tr><th scope="row"><a href="#${anchor(bank)}">${bank.name}</a> <small>${bank.side ? 'TPP, ' : ''}${bank.verdict}</small></th>${chapters.map((chapter) => cell(bank, chapter))}</tr>`)}</tbody></table></div></section>`
}

/** products, product errors, TPP token; for account information only the chapter. */
function shortName(chapter: string): string {
  const [document, name = ''] = chapter.split('/')
  if (document === 'tpp') return `TPP ${name}`
  return document === 'product-information' && name !== 'products' ? `product ${name}` : name
}

function cell(bank: BankOverview, chapter: string): Markup {
  const judged = bank.chapters[chapter]
  if (!judged) return markup`<td class="none" title="${chapter}: not in scope"></td>`
  const { worst, counts } = judged
  const words = Object.entries(counts).map(([outcome, n]) => `${n} ${outcome}`)
  const shown = worst === 'pass' || worst === 'observed' ? '' : String(counts[worst] ?? '')
  return markup`<td class="${worst}" title="${bank.name}, ${chapter}: ${words.join(', ')}">${shown}<span class="visually-hidden">${words.join(', ')}</span></td>`
}

function ending({ ending: ends }: Overview): Markup {
  if (ends.length === 0) return markup``
  return markup`<section aria-labelledby="h-ending"><h2 id="h-ending">Ends soon</h2><ul class="plain">${ends.map(
    ({ bank, what, at, daysLeft }) =>
      markup`<li><b>${daysLeft < 0 ? 'ended' : `in ${counted(daysLeft, 'day')}`}</b> ${bank}: ${what}, ${when(at)}</li>`,
  )}</ul></section>`
}

function bankSection(bank: BankOverview, pageOf: PageOf): Markup {
  const { changes, history } = bank
  const page = pageOf(bank.folder)
  const folder = markup`<code>${bank.folder}</code>`
  return markup`<section id="${anchor(bank)}" aria-labelledby="h-${anchor(bank)}"><h2 id="h-${anchor(bank)}">${bank.name} <small>${bank.side ? 'TPP, ' : ''}${bank.verdict}</small></h2>
<p>Last run <time datetime="${bank.startedAt}">${when(bank.startedAt)}</time>, in ${page === undefined ? folder : markup`<a href="${page}">${folder}</a>`}.${bank.partial ? ` It ended early: ${bank.partial}` : ''}</p>
<div class="strip" role="group" aria-label="Verdicts of ${counted(bank.runs.length, 'run')}, oldest first: ${bank.runs.map(({ verdict }) => verdict).join(', ')}">${bank.runs.map((run) => nightMark(run, pageOf(run.folder)))}</div>
${changes ? markup`<h3>Since ${when(changes.since)}</h3>${changed('new', changes.new)}${changed('fixed', changes.fixed)}${changed('without a verdict now', changes.lost)}${changes.new.length + changes.fixed.length + changes.lost.length === 0 ? markup`<p>Nothing changed.</p>` : ''}` : ''}
${history.length === 0 ? markup`<p>Every check was in order in every run that judged something.</p>` : markup`<details${history.length <= 12 ? markup` open` : ''}><summary><b>${counted(history.length, 'check')} not always in order</b></summary><table><tbody>${history.map((row) => markup`<tr><th scope="row"><span class="id">${row.id}</span></th><td>${row.title}${row.flaky && markup` <span class="badge flaky">flaky</span>`}</td><td>${strip(row.outcomes)}</td></tr>`)}</tbody></table></details>`}
</section>`
}

type PageOf = (folder: string) => string | undefined

/** One night: its verdict as a colour, with a link to its report. */
function nightMark({ verdict, startedAt }: BankOverview['runs'][number], page?: string): Markup {
  const mark = markup`<i class="${verdict.replace(' ', '-')}" title="${when(startedAt)}: ${verdict}"></i>`
  if (page === undefined) return mark
  return markup`<a href="${page}" aria-label="${when(startedAt)}: ${verdict}">${mark}</a>`
}

function strip(outcomes: (Outcome | null)[]): Markup {
  const words = outcomes.map((outcome) => outcome ?? 'not in the run').join(', ')
  return markup`<div class="strip" role="img" aria-label="${words}">${outcomes.map((outcome) => markup`<i class="${outcome ?? 'none'}" title="${outcome ?? 'not in the run'}"></i>`)}</div>`
}

function changed(title: string, changes: CheckChange[]): Markup {
  if (changes.length === 0) return markup``
  return markup`<p><b>${changes.length} ${title}</b></p><ul class="plain">${changes.map((change) => markup`<li><span class="id">${change.id}</span> ${change.title}${change.known ? ' (known deviation)' : ''}${change.message ? markup`<br><span class="said">${clip(change.message, 300)}</span>` : ''}</li>`)}</ul>`
}

function anchor({ name, side }: BankOverview): string {
  return `${side ?? 'bank'}-${Buffer.from(name).toString('base64url')}`
}

function when(time: string): string {
  return time.replace('T', ' ').replace(/(:\d\d)\.\d+Z$/, '$1Z')
}
