import type { CheckChange, ReportDiff } from './diff.ts'
import { brief, counted, escapeMarkup, oneLine } from './escape.ts'

const GROUPS: [
  key: 'new' | 'lost' | 'still' | 'fixed' | 'changed' | 'appeared' | 'vanished',
  one: string,
  many: string,
][] = [
  ['new', 'new failure', 'new failures'],
  ['lost', 'failure without a verdict now', 'failures without a verdict now'],
  ['still', 'still failing', 'still failing'],
  ['fixed', 'fixed', 'fixed'],
  ['changed', 'otherwise changed', 'otherwise changed'],
  ['appeared', 'new check', 'new checks'],
  ['vanished', 'vanished check', 'vanished checks'],
]

/** A diff for a terminal. */
export function diffText(diff: ReportDiff): string {
  const lines = [
    `${oneLine(diff.from.target)} ${diff.from.startedAt} ${diff.from.verdict}`,
    `${oneLine(diff.to.target)} ${diff.to.startedAt} ${diff.to.verdict}`,
    ...diff.caveats.map((caveat) => `note  ${oneLine(caveat)}`),
  ]
  for (const [key, one, many] of GROUPS) {
    const { length } = diff[key]
    if (length === 0) continue
    lines.push('', `${length} ${length === 1 ? one : many}${apart(diff, key)}`)
    if (apart(diff, key) !== '') continue
    for (const change of diff[key]) lines.push(`  ${line(change)}`)
  }
  if (diff.flaky.length > 0) lines.push('', `${diff.flaky.length} flaky`)
  for (const { id, outcomes } of diff.flaky) {
    lines.push(`  ${id}  ${outcomes.map((outcome) => outcome ?? '–').join(' ')}`)
  }
  if (diff.observations.length > 0)
    lines.push('', counted(diff.observations.length, 'changed observation'))
  for (const { requirement, what, before, after } of diff.observations) {
    lines.push(`  ${requirement}  ${short(what)}: ${values(before)} → ${values(after)}`)
  }
  if (nothing(diff)) lines.push('', 'Nothing changed.')
  return `${lines.join('\n')}\n`
}

/** A diff as Markdown. */
export function diffMarkdown(diff: ReportDiff): string {
  const md = (words: string) =>
    escapeMarkup(short(words)).replace(/[|`*_[\]\\@!#]/g, (c) => `&#${c.charCodeAt(0)};`)
  const lines = [
    `## ${md(diff.to.target)}: ${diff.from.verdict} → ${diff.to.verdict}`,
    '',
    `${diff.from.startedAt} → ${diff.to.startedAt}`,
    ...diff.caveats.map((caveat) => `\n> ${md(caveat)}`),
  ]
  for (const [key, one, many] of GROUPS) {
    const { length } = diff[key]
    if (length === 0) continue
    lines.push('', `### ${length} ${length === 1 ? one : many}${apart(diff, key)}`, '')
    if (apart(diff, key) !== '') continue
    for (const change of diff[key]) {
      const said = change.message ? `: ${md(change.message)}` : ''
      lines.push(`- <code>${md(change.id)}</code> ${move(change)} ${md(change.title)}${said}`)
    }
  }
  if (diff.flaky.length > 0) {
    lines.push('', `### ${diff.flaky.length} flaky`, '')
    for (const { id, outcomes } of diff.flaky) {
      lines.push(`- <code>${md(id)}</code> ${outcomes.map((outcome) => outcome ?? '–').join(' ')}`)
    }
  }
  if (diff.observations.length > 0) {
    lines.push('', `### ${counted(diff.observations.length, 'changed observation')}`, '')
    for (const { requirement, what, before, after } of diff.observations) {
      lines.push(`- ${md(requirement)} ${md(what)}: ${md(values(before))} → ${md(values(after))}`)
    }
  }
  if (nothing(diff)) lines.push('', 'Nothing changed.')
  return `${lines.join('\n')}\n`
}

/** Why checks that only one of the runs knows are not listed; empty where they are. */
function apart({ sameScope }: ReportDiff, key: (typeof GROUPS)[number][0]): string {
  if (sameScope || !['appeared', 'vanished'].includes(key)) return ''
  return key === 'appeared'
    ? ': the earlier run was not asked to judge them'
    : ': the later run was not asked to judge them'
}

/** Nothing to tell but what still fails. */
function nothing(diff: ReportDiff): boolean {
  return (
    GROUPS.every(([key]) => key === 'still' || diff[key].length === 0) &&
    diff.observations.length === 0
  )
}

function line(change: CheckChange): string {
  const known = change.known ? ' (known deviation)' : ''
  const said = change.message ? `: ${short(change.message)}` : ''
  return `${change.id}  ${move(change)}${known}  ${short(change.title)}${said}`
}

function move({ before, after }: CheckChange): string {
  return before === after ? String(after) : `${before ?? 'absent'} → ${after ?? 'absent'}`
}

function values(list: string[]): string {
  return list.length === 0 ? 'not seen' : list.map(short).join(' | ')
}

function short(text: string): string {
  return brief(text, 200)
}
