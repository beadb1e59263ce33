import type { CheckChange, ReportDiff } from './diff.ts'
import { brief, counted, escapeMarkup, oneLine } from './escape.ts'

const GROUPS = [
  ['new', 'new failure', 'new failures'],
  ['lost', 'failure without a verdict now', 'failures without a verdict now'],
  ['still', 'still failing', 'still failing'],
  ['fixed', 'fixed', 'fixed'],
  ['changed', 'otherwise changed', 'otherwise changed'],
  ['appeared', 'new check', 'new checks'],
  ['vanished', 'vanished check', 'vanished checks'],
] as const

/** Why checks that only one of the runs knows are not listed. */
const APART: Partial<Record<(typeof GROUPS)[number][0], string>> = {
  appeared: ': the earlier run was not asked to judge them',
  vanished: ': the later run was not asked to judge them',
}

export function diffText(diff: ReportDiff): string {
  const head = [diff.from, diff.to].map(
    ({ target, startedAt, verdict }) => `${oneLine(target)} ${startedAt} ${verdict}`,
  )
  const caveats = diff.caveats.map((caveat) => `note  ${oneLine(caveat)}`)
  return written(diff, [...head, ...caveats], false)
}

export function diffMarkdown(diff: ReportDiff): string {
  const { from, to } = diff
  const head = [
    `## ${md(to.target)}: ${from.verdict} → ${to.verdict}`,
    '',
    `${from.startedAt} → ${to.startedAt}`,
  ]
  const caveats = diff.caveats.map((caveat) => `\n> ${md(caveat)}`)
  return written(diff, [...head, ...caveats], true)
}

function written(diff: ReportDiff, lines: string[], markdown: boolean): string {
  const text = markdown ? md : short
  const gap = markdown ? ' ' : '  '
  const item = markdown ? '- ' : '  '
  const code = (id: string) => (markdown ? `- <code>${md(id)}</code> ` : `  ${id}  `)
  const heading = (words: string) => lines.push('', ...(markdown ? [`### ${words}`, ''] : [words]))
  for (const [key, one, many] of GROUPS) {
    const { length } = diff[key]
    if (length === 0) continue
    const apart = diff.sameScope ? undefined : APART[key]
    heading(`${length} ${length === 1 ? one : many}${apart ?? ''}`)
    for (const change of apart ? [] : diff[key]) {
      const known = change.known && !markdown ? ' (known deviation)' : ''
      const said = change.message ? `: ${text(change.message)}` : ''
      lines.push(`${code(change.id)}${move(change)}${known}${gap}${text(change.title)}${said}`)
    }
  }
  if (diff.flaky.length > 0) heading(`${diff.flaky.length} flaky`)
  for (const { id, outcomes } of diff.flaky) {
    lines.push(`${code(id)}${outcomes.map((outcome) => outcome ?? '–').join(' ')}`)
  }
  if (diff.observations.length > 0) {
    heading(counted(diff.observations.length, 'changed observation'))
  }
  for (const { requirement, what, before, after } of diff.observations) {
    const [old, now] = [before, after].map((list) => {
      const values = list.map(short).join(' | ') || 'not seen'
      return markdown ? md(values) : values
    })
    lines.push(`${item}${text(requirement)}${gap}${text(what)}: ${old} → ${now}`)
  }
  // What still fails is no change.
  const changed = GROUPS.some(([key]) => key !== 'still' && diff[key].length > 0)
  if (!changed && diff.observations.length === 0) lines.push('', 'Nothing changed.')
  return `${lines.join('\n')}\n`
}

function move({ before, after }: CheckChange): string {
  return before === after ? String(after) : `${before ?? 'absent'} → ${after ?? 'absent'}`
}

function md(words: string): string {
  return escapeMarkup(short(words)).replace(/[|`*_[\]\\@!#]/g, (c) => `&#${c.charCodeAt(0)};`)
}

function short(text: string): string {
  return brief(text, 200)
}
