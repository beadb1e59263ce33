import { verdictHeadline } from '../counts.ts'
import type { ReportDiff } from '../diff.ts'
import { count, counted } from '../escape.ts'
import type { HistoryEntry } from '../history.ts'
import { byCause, checksWith, indexed, untested } from '../queries.ts'
import type { ExchangeRecord, Outcome, Report } from '../report.ts'
import { appealSection, notTestedSection, observationsSection, remainsSection } from './appendix.ts'
import { changesSection } from './changes.ts'
import { document } from './document.ts'
import { exchangesSection } from './exchanges.ts'
import { type Context, failureCard } from './failures.ts'
import { machineSection } from './machine.ts'
import { type Markup, markup } from './markup.ts'
import { requirementsSection } from './requirements.ts'
import { timelineSection } from './timeline.ts'
import { trendSection } from './trend.ts'
import { aboutSection, restsOn, verdictBanner, wrongSection } from './verdict.ts'

/**
 * report.html: one file that opens from disk and loads nothing. Verdict, failures and requirements are in the page
 * itself; its only script adds filters and shows exchanges.
 */
export function html(
  whole: Report,
  exchanges: ExchangeRecord[],
  more: { diff?: ReportDiff; history?: HistoryEntry[]; folder?: string } = {},
): string {
  const run = indexed(whole, exchanges)
  const { report } = run
  const context: Context = {
    ...run,
    causes: new Map(
      report.causes.flatMap((cause) => cause.findings.map((id) => [id, cause] as const)),
    ),
    folder: more.folder,
    fresh: new Set(more.diff?.new.map(({ id }) => id)),
  }
  const body = markup`<a class="skip" href="#main">Skip to the findings</a>
${verdictBanner(report)}
${navigation(report, exchanges, more.diff)}
<main id="main">
${wrongSection(report, context)}
${
  !report.preflight &&
  markup`${restsOn(report, context)}
${changesSection(more.diff)}
${failuresSection(report, context)}
${remainsSection(report)}
${requirementsSection(report, context)}
${observationsSection(report)}
${timelineSection(report, exchanges)}
${machineSection(report)}
${exchangesSection(report, exchanges)}
${trendSection(report, more.history ?? [])}
${notTestedSection(report)}`
}
${aboutSection(report)}
${appealSection(report)}
</main>
<footer>Made by Assay ${report.assay.version} from report.json and exchanges.jsonl. Secrets are replaced by pseudonyms that mean nothing outside of this run.</footer>`
  return document(
    `${verdictHeadline(report)}: ${report.target.name}`,
    ['page.css'],
    body,
    'page/main.js',
  )
}

function navigation(report: Report, exchanges: ExchangeRecord[], diff?: ReportDiff): Markup {
  const n = (...outcomes: Outcome[]) => checksWith(report, ...outcomes).length
  const left = untested(report).length
  const judged = report.preflight === undefined
  const links: [id: string, name: string, shown: boolean][] = [
    ['wrong', 'What is wrong', true],
    ['rests-on', 'Verdict', judged],
    ['changes', `New ${diff?.new.length}`, diff !== undefined],
    ['failures', `Failures ${n('fail', 'error')}`, judged],
    ['warnings', `Warnings ${n('warn')}`, n('warn') > 0],
    ['remains', 'To clear up', report.leftBehind.length + report.problems.length > 0],
    ['requirements', `Requirements ${report.requirements.length}`, judged],
    [
      'observations',
      `Recorded ${count(report.observations.length)}`,
      report.observations.length > 0,
    ],
    ['timeline', 'Timeline', judged],
    ['exchanges', `Exchanges ${count(exchanges.length)}`, judged],
    ['not-tested', `Not tested ${left}`, judged && left > 0],
    ['about', 'About this run', true],
    ['appeal', 'How to read and appeal', true],
  ]
  return markup`<nav aria-label="Sections"><ul>${links
    .filter(([, , shown]) => shown)
    .map(([id, name]) => markup`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>`
}

function failuresSection(report: Report, context: Context): Markup {
  const failed = byCause(report, 'error', 'fail')
  const warned = byCause(report, 'warn')
  const known = failed.filter((c) => c.outcome === 'fail' && c.deviation).length
  const errors = failed.filter((check) => check.outcome === 'error').length
  const failures = failed.length - known - errors
  const title = [
    failures > 0 ? counted(failures, 'failure') : 'No failure',
    errors > 0 && `${counted(errors, 'error')} of the suite`,
    known > 0 && counted(known, 'known deviation'),
  ]
  return markup`<section id="failures" aria-labelledby="h-failures">
<h2 id="h-failures">${title.filter(Boolean).join(', ')}</h2>
${failed.map((check) => failureCard(check, context))}
</section>
${
  warned.length > 0 &&
  markup`<section id="warnings" aria-labelledby="h-warnings"><h2 id="h-warnings">${counted(warned.length, 'warning')}</h2>
${warned.map((check) => failureCard(check, context))}</section>`
}`
}
