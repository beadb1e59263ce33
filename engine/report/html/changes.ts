import type { CheckChange, ReportDiff } from '../diff.ts'
import { clip, counted } from '../escape.ts'
import { badge, checkLink, type Markup, markup } from './markup.ts'

/** What changed since the previous run, if one was given. */
export function changesSection(diff: ReportDiff | undefined): Markup {
  if (!diff) return markup``
  const groups: [title: string, changes: CheckChange[]][] = [
    ['new', diff.new],
    ['broken before, without a verdict now', diff.lost],
    ['fixed', diff.fixed],
    ['still failing', diff.still],
    ['otherwise changed', diff.changed],
    ['checks that are new', diff.appeared],
    ['checks that are gone', diff.vanished],
  ]
  const told = groups.filter(([, changes]) => changes.length > 0)
  return markup`<section id="changes" aria-labelledby="h-changes"><h2 id="h-changes">Since the run before</h2>
<p>Compared with the run of <time datetime="${diff.from.startedAt}">${diff.from.startedAt.replace('T', ' ')}</time>, which was ${diff.from.verdict}. ${told.length === 0 && diff.observations.length === 0 ? 'Nothing changed.' : ''}</p>
${diff.caveats.map((caveat) => markup`<p class="notice">${caveat}</p>`)}
${told.map(
  ([
    title,
    changes,
  ]) => markup`<details${['new', 'fixed'].includes(title) ? markup` open` : ''}><summary><b>${changes.length} ${title}</b></summary>
<ul class="plain">${changes.map((change) => markup`<li>${change.before ? badge(change.before) : ''} → ${change.after ? badge(change.after) : 'gone'} ${change.after ? checkLink(change.id) : markup`<span class="id">${change.id}</span>`} ${change.title}${change.known ? ' (known deviation)' : ''}${change.message ? markup`<br><span class="said">${clip(change.message, 300)}</span>` : ''}</li>`)}</ul></details>`,
)}
${diff.flaky.length > 0 && markup`<details open><summary><b>${diff.flaky.length} flaky</b></summary><ul class="plain">${diff.flaky.map(({ id, outcomes }) => markup`<li>${checkLink(id)} ${outcomes.map((outcome) => (outcome ? badge(outcome) : markup`–`))}</li>`)}</ul></details>`}
${diff.observations.length > 0 && markup`<details open><summary><b>${counted(diff.observations.length, 'changed observation')}</b></summary><ul class="plain">${diff.observations.map(({ requirement, what, before, after }) => markup`<li><a class="id" href="#${requirement}">${requirement}</a> ${what}: <code>${values(before)}</code> → <code>${values(after)}</code></li>`)}</ul></details>`}
</section>`
}

function values(list: string[]): string {
  return list.length === 0 ? 'not seen' : clip(list.join(' | '), 300)
}
