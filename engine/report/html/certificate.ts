import { ASSAY } from '../../record/program.ts'
import { qrCode } from '../../record/qr-code.ts'
import {
  addressWords,
  judgedParty,
  scopeWords,
  verdictHeadline,
  verdictSentence,
} from '../counts.ts'
import { brief, count, counted } from '../escape.ts'
import type { Verification } from '../evidence/verify-run.ts'
import { checksWith, grouped, untestedMusts } from '../queries.ts'
import type { CheckResult, Outcome, Report, RequirementResult } from '../report.ts'
import { document } from './document.ts'
import { type Markup, markup } from './markup.ts'

/** Maximum length, in characters, of a text from outside, so that it cannot displace the suite's own words. */
const MOST = 160

/** The content of the page: a verified run with a valid signature. */
export type Certified = Required<Pick<Verification, 'report' | 'key' | 'statementDigest'>> &
  Pick<Verification, 'signer' | 'exchanges'>

/**
 * certificate.html: one or two A4 pages about a signed and conformant run. Everything is derived from the signed
 * content and from the verifying key: the same run gives the same bytes. One file without a script, which loads
 * nothing.
 */
export function certificatePage(certified: Certified): string {
  const { report } = certified
  const { name, side } = report.target
  const party = side === 'TPP' ? 'a client of a TPP, as its file' : 'a bank, as its target file'
  const body = markup`<main>
<header class="banner conformant">
<p class="brand"><b>Assay</b> certificate of a run</p>
<h1><span class="verdict">${verdictHeadline(report)}</span></h1>
<p class="bank"><b>${brief(name, MOST)}</b>, ${party} names it</p>
<p class="lead">${verdictSentence(report)}</p>
</header>
${facts(certified)}
${byChapterTable(report)}
${notJudged(report)}
${deviations(report)}
${verifying(certified)}
</main>`
  return document(`Certificate of ${brief(name, MOST)}`, STYLES, body)
}

const STYLES = ['page.css', 'certificate.css']

const day = (time: string) => time.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')

function facts({ report, signer, key, statementDigest }: Certified): Markup {
  const { target, assay } = report
  const weaker = (assay.environment ?? []).filter((fact) => fact.weakens)
  const isNamed = signer !== undefined && signer !== key.thumbprint
  const who = isNamed ? brief(signer, MOST) : 'the key below'
  const rows: [name: string, value: string | undefined][] = [
    ['Judged', `${brief(target.name, MOST)}${target.side === 'TPP' ? ' (TPP)' : ''}`],
    ['Address', target.host && brief(target.host, MOST)],
    ['Environment', addressWords(target) || undefined],
    ['When', `${day(report.startedAt)} to ${day(report.finishedAt)}`],
    ['Suite', `Assay ${brief(assay.version, MOST)}`],
    ['Profile', scopeWords(report)],
    [
      'Surroundings',
      weaker.map(({ name, effect }) => `${name}: ${effect}`).join('; ') || undefined,
    ],
    ['Signed by', `${who}, ${SEEN[key.from]}`],
    ['Key', `${key.thumbprint} (thumbprint of RFC 7638)`],
    ['Digest of the requirements', brief(assay.specsDigest, MOST)],
    ['Digest of the configuration', brief(target.configurationDigest, MOST)],
  ]
  const shown = rows.filter(([, value]) => value !== undefined)
  return markup`<section class="facts" aria-label="Facts"><dl class="glossary">${shown.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<figure>${drawn(`sha256:${statementDigest}`)}<figcaption>Digest of the statement</figcaption></figure></section>`
}

/** A digest as a QR code that fills its container. */
function drawn(digest: string): Markup | undefined {
  const code = qrCode(digest)
  if (!code) return undefined
  const { size, light, dark } = code
  return markup`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of the digest ${digest}" shape-rendering="crispEdges"><path fill="#fff" d="${light}"/><path fill="#000" d="${dark}"/></svg>`
}

const SEEN = {
  caller: 'verified with the public key that was given',
  statement:
    'verified with the certificate in the statement; nobody checked who issued it or whose it is',
}

/** A column of the table by chapter, and which requirements it counts. */
const COLUMNS: [title: string, holds: (each: RequirementResult) => boolean][] = [
  ['Musts kept', (each) => isTested(each, 'must') && KEPT.includes(each.outcome)],
  ['Broken as known', (each) => isTested(each, 'must') && each.outcome === 'fail'],
  ['Excused', (each) => isTested(each, 'must') && each.outcome === 'blocked'],
  ['Not applicable', (each) => isTested(each, 'must') && each.outcome === 'not-applicable'],
  ['Not tested', ({ level, notTested }) => level === 'must' && notTested !== undefined],
  ['Shoulds kept', (each) => isTested(each, 'should') && KEPT_SHOULD.includes(each.outcome)],
  ['Shoulds broken', (each) => isTested(each, 'should') && each.outcome === 'warn'],
  ['Recorded', (each) => isTested(each, 'observe')],
]

const KEPT: Outcome[] = ['pass', 'warn', 'observed']
const KEPT_SHOULD: Outcome[] = ['pass', 'observed']

function isTested({ level, notTested }: RequirementResult, wanted: string): boolean {
  return level === wanted && notTested === undefined
}

/** Number of these requirements in each column: of a conformant run every must is in exactly one. */
export function certificateCounts(requirements: readonly RequirementResult[]): number[] {
  return COLUMNS.map(([, holds]) => requirements.filter(holds).length)
}

function byChapterTable({ requirements, checks }: Report): Markup {
  const chapters = grouped(requirements, ({ chapter }) => chapter)
  const totals = certificateCounts(requirements)
  const used = COLUMNS.map((_, at) => at).filter((at) => at === 0 || (totals[at] ?? 0) > 0)
  const row = (name: string, of: readonly RequirementResult[]) => {
    const counts = certificateCounts(of)
    return markup`<tr><th scope="row">${brief(name, MOST)}</th>${used.map((at) => markup`<td class="number">${counts[at] ? count(counts[at]) : '–'}</td>`)}</tr>`
  }
  return markup`<section aria-labelledby="h-judged"><h2 id="h-judged">What was judged</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="h-judged"><table><thead><tr><th scope="col">Chapter</th>${used.map((at) => markup`<th scope="col" class="number">${COLUMNS[at]?.[0]}</th>`)}</tr></thead>
<tbody>${[...chapters].map(([chapter, all]) => row(chapter, all))}</tbody>
<tfoot>${row('All requirements in scope', requirements)}</tfoot></table></div>
<p>${count(checks.length)} checks and rules judged them.</p></section>`
}

/** Musts without a check, what the target or the documents leave out, and what the selection left out. */
function notJudged(report: Report): Markup {
  const untested = untestedMusts(report)
  const { leftOut } = report.scope
  const freedoms = grouped(checksWith(report, 'not-applicable'), ({ message }) => message)
  const unknown = checksWith(report, 'blocked', 'not-run').length
  const lines: Markup[] = [
    ...(leftOut > 0
      ? [
          markup`<li>The profile ${report.scope.profile} leaves out ${counted(leftOut, 'check')}: this certificate says nothing of them.</li>`,
        ]
      : []),
    ...(unknown > 0
      ? [
          markup`<li>Without a verdict: ${counted(unknown, 'check')}, of shoulds and recorded values or because of known deviations alone.</li>`,
        ]
      : []),
    ...[...freedoms].map(
      ([reason, all]) =>
        markup`<li>Not applicable, ${counted(all.length, 'check')}: ${brief(reason || 'no reason given', MOST)}</li>`,
    ),
    ...untested.map(
      ({ id, text }) => markup`<li><span class="id">${id}</span> ${brief(text, MOST)}</li>`,
    ),
  ]
  if (lines.length === 0) return markup``
  return markup`<section aria-labelledby="h-not"><h2 id="h-not">What was not judged</h2>
${untested.length > 0 && markup`<p>${counted(untested.length, 'must')} cannot be judged by a test of the interface; the report gives the reason for each.</p>`}
<ul class="plain">${lines}</ul></section>`
}

function deviations(report: Report): Markup {
  const known = report.checks.filter((check) => check.deviation !== undefined)
  if (known.length === 0) {
    return markup`<section aria-labelledby="h-known"><h2 id="h-known">Known deviations</h2><p>None.</p></section>`
  }
  return markup`<section aria-labelledby="h-known"><h2 id="h-known">Known deviations <small>${count(known.length)}</small></h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="h-known"><table><thead><tr><th scope="col">Check</th><th scope="col">What ${judgedParty(report)} does not keep</th><th scope="col">Reason given</th><th scope="col">Until</th></tr></thead>
<tbody>${known.slice(0, MOST_KNOWN).map(deviationRow)}</tbody></table></div>
${known.length > MOST_KNOWN && markup`<p>And ${counted(known.length - MOST_KNOWN, 'more check')}, in the report.</p>`}</section>`
}

/** Maximum number of listed known deviations: more would need a third page. */
const MOST_KNOWN = 20

function deviationRow({ id, title, deviation }: CheckResult): Markup {
  const { reason = '', ticket, expires } = deviation ?? {}
  return markup`<tr><th scope="row"><span class="id">${id}</span></th><td>${brief(title, MOST)}</td><td>${brief(reason, MOST)}${ticket !== undefined && ` (${brief(ticket, 40)})`}</td><td>${expires}</td></tr>`
}

function verifying({ statementDigest, exchanges }: Certified): Markup {
  return markup`<section aria-labelledby="h-verify"><h2 id="h-verify">How to verify it</h2>
<p>This page is a summary and proves nothing by itself: anybody can print another. What proves it is the folder or the archive of the run, with ${counted(exchanges, 'recorded exchange')}. Ask for it, and take the public key from the signer, not from this page:</p>
<p><code>${ASSAY} verify RUN --key signer.pem</code></p>
<p>It must end with exit code 0 and name this digest of <code>statement.jws</code> (SHA-256):</p>
<p class="digest"><code>${statementDigest}</code></p>
<p>The signature shows that nothing was changed since the run was signed. It does not show that the run was honest: whoever runs the suite could have judged another server.</p></section>`
}
