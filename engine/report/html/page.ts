import { createHash } from 'node:crypto'
import { checksWith, requirementsById, victimsByCause } from '../findings.ts'
import { counted } from '../legible.ts'
import type { ExchangeRecord, Report } from '../report.ts'
import { type Context, failureCard } from './failures.ts'
import { type Markup, markup, raw } from './markup.ts'
import { pageAsset } from './page-asset.ts'
import { requirementsSection } from './requirements.ts'
import { restsOn, verdictBanner } from './verdict.ts'

/**
 * report.html: one file that opens from disk and fetches nothing. Verdict, failures and requirements
 * stand in the page itself; its one script adds filters and shows exchanges. The policy in its head
 * allows that script and that style sheet by their hashes, and nothing else.
 */
export function html(report: Report, exchanges: ExchangeRecord[]): string {
  const style = pageAsset('page.css')
  const context: Context = {
    requirements: requirementsById(report),
    exchanges: new Map(exchanges.map((exchange) => [exchange.id, exchange])),
    victims: victimsByCause(report),
    fresh: new Set(),
  }
  const policy = `default-src 'none'; style-src '${sha256(style)}'; base-uri 'none'; form-action 'none'`
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${report.verdict}: ${report.target.name} · Assay</title>
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the findings</a>
${verdictBanner(report)}
<main id="main">
${restsOn(report)}
${failures(report, context)}
${requirementsSection(report, context)}
</main>
</body>
</html>
`.html
}

function failures(report: Report, context: Context): Markup {
  const failed = checksWith(report, 'error', 'fail')
  const warned = checksWith(report, 'warn')
  return markup`<section id="failures" aria-labelledby="h-failures">
<h2 id="h-failures">${failed.length > 0 ? counted(failed.length, 'failure') : 'No failure'}</h2>
${failed.map((check) => failureCard(check, context))}
</section>
${
  warned.length > 0
    ? markup`<section id="warnings" aria-labelledby="h-warnings"><h2 id="h-warnings">${counted(warned.length, 'warning')}</h2>
${warned.map((check) => failureCard(check, context))}</section>`
    : ''
}`
}

/** A source as a Content Security Policy names it. */
export function sha256(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
