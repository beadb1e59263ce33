import type { CheckChange, ReportDiff } from './diff.ts'
import { brief, counted, oneLine } from './escape.ts'
import { code, linesOf, markdown, markdownText } from './markdown.ts'

const GROUPS = [
  ['new', 'new failure', 'new failures'],
  ['lost', 'failure without a verdict now', 'failures without a verdict now'],
  ['still', 'still failing', 'still failing'],
  ['fixed', 'fixed', 'fixed'],
  ['changed', 'otherwise changed', 'otherwise changed'],
  ['appeared', 'new check', 'new checks'],
  ['vanished', 'vanished check', 'vanished checks'],
] as const

/** Why checks that are in only one of the runs are not listed. */
const APART: Partial<Record<(typeof GROUPS)[number][0], string>> = {
  appeared: ': the earlier run was not asked to judge them',
  vanished: ': the later run was not asked to judge them',
}

/** The content of a comparison, independent of the format: a heading, or an item that may begin with an id. */
type Line = { heading: string } | { id?: string; words: string }

/** The comparison as text for a terminal. */
export function diffText(diff: ReportDiff): string {
  const head = [diff.from, diff.to].map(
    ({ target, startedAt, verdict }) => `${oneLine(target)} ${startedAt} ${verdict}`,
  )
  const lines = linesOfDiff(diff).flatMap((line) => {
    if ('heading' in line) return ['', line.heading]
    return [oneLine(`  ${line.id === undefined ? '' : `${line.id}  `}${line.words}`)]
  })
  const caveats = diff.caveats.map((caveat) => `note  ${oneLine(caveat)}`)
  return `${[...head, ...caveats, ...lines].join('\n')}\n`
}

/** The comparison as Markdown. */
export function diffMarkdown(diff: ReportDiff): string {
  const { from, to } = diff
  const lines = linesOfDiff(diff).map((line) => {
    if ('heading' in line) return markdown`\n### ${line.heading}\n`
    return markdown`- ${line.id !== undefined && markdown`${code(line.id)} `}${line.words}`
  })
  return markdownText(
    linesOf([
      markdown`## ${to.target}: ${from.verdict} → ${to.verdict}\n`,
      markdown`${from.startedAt} → ${to.startedAt}`,
      ...diff.caveats.map((caveat) => markdown`\n> ${caveat}`),
      ...lines,
      markdown``,
    ]),
  )
}

function linesOfDiff(diff: ReportDiff): Line[] {
  const lines: Line[] = []
  for (const [key, one, many] of GROUPS) {
    const { length } = diff[key]
    if (length === 0) continue
    const apart = diff.sameScope ? undefined : APART[key]
    lines.push({ heading: `${length} ${length === 1 ? one : many}${apart ?? ''}` })
    for (const change of apart ? [] : diff[key]) {
      const known = change.known ? ' (known deviation)' : ''
      const said = change.message ? `: ${short(change.message)}` : ''
      const words = `${move(change)}${known}  ${short(change.title)}${said}`
      lines.push({ id: change.id, words })
    }
  }
  if (diff.flaky.length > 0) lines.push({ heading: `${diff.flaky.length} flaky` })
  for (const { id, outcomes } of diff.flaky) {
    lines.push({ id, words: outcomes.map((outcome) => outcome ?? '–').join(' ') })
  }
  if (diff.observations.length > 0) {
    lines.push({ heading: counted(diff.observations.length, 'changed observation') })
  }
  for (const { requirement, what, before, after } of diff.observations) {
    const [old, now] = [before, after].map((list) => list.map(short).join(' | ') || 'not seen')
    lines.push({ words: `${short(requirement)}  ${short(what)}: ${old} → ${now}` })
  }
  // A continuing failure is not a change.
  const changed = GROUPS.some(([key]) => key !== 'still' && diff[key].length > 0)
  if (!changed && diff.observations.length === 0) lines.push({ heading: 'Nothing changed.' })
  return lines
}

function move({ before, after }: CheckChange): string {
  return before === after ? String(after) : `${before ?? 'absent'} → ${after ?? 'absent'}`
}

function short(text: string): string {
  return brief(text, 200)
}
