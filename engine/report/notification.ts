import { littleJudged, verdictHeadline, verdictSentence, WHOSE } from './counts.ts'
import type { ReportDiff } from './diff.ts'
import { brief, counted } from './escape.ts'
import { isWrong } from './queries.ts'
import type { Report } from './report.ts'

/** Maximum number of causes, and of new or fixed checks, that one message names; the rest are counted. */
const MOST = 10

/** The message at the end of a run: only content of its report, and so no secret. */
export interface Notification {
  target: string
  /** `nonconformant, 2 warnings` */
  verdict: string
  /** The basis of the verdict. */
  sentence: string
  exitCode: number
  startedAt: string
  finishedAt: string
  causes: { title: string; whose: string; where?: string; findings: string[] }[]
  /** Number of causes that are not listed. */
  moreCauses: number
  /** Ids of checks that fail now and did not in the baseline; absent without a baseline. */
  new?: string[]
  fixed?: string[]
  /** For a monitor: what changed since its previous round. */
  changes?: string[]
  /** Link to the run in the pipeline. */
  link?: string
}

/** The message about a run, and about changes since its baseline. */
export function notificationOf(
  report: Report,
  { changes, link }: { changes?: ReportDiff; link?: string } = {},
): Notification {
  const causes = report.causes.filter((cause) => isWrong(cause) && !cause.known)
  const { exitCode, startedAt, finishedAt, target } = report
  return {
    target: brief(target.name, 200),
    verdict: verdictHeadline(report),
    sentence: report.preflight ? `${littleJudged(report)}.` : verdictSentence(report),
    exitCode,
    startedAt,
    finishedAt,
    causes: causes.slice(0, MOST).map(({ title, whose, where, findings }) => ({
      title: brief(title, 300),
      whose: WHOSE[whose],
      ...(where !== undefined && { where: brief(where, 200) }),
      findings,
    })),
    moreCauses: Math.max(0, causes.length - MOST),
    ...(changes && {
      new: changes.new.filter(({ known }) => !known).map(({ id }) => id),
      fixed: changes.fixed.map(({ id }) => id),
    }),
    ...(link !== undefined && { link }),
  }
}

/** The message about changes between two rounds of a monitor. */
export function changesOf(
  { exitCode, startedAt, finishedAt, target }: Report,
  changes: readonly { kind: string; text: string }[],
  link?: string,
): Notification {
  const kinds = [...new Set(changes.map(({ kind }) => kind))]
  return {
    target: brief(target.name, 200),
    verdict: kinds.join(', '),
    sentence: `${counted(changes.length, 'change')} since the round before.`,
    ...{ exitCode, startedAt, finishedAt, causes: [], moreCauses: 0 },
    changes: changes.slice(0, MOST).map(({ text }) => brief(text, 500)),
    ...(link !== undefined && { link }),
  }
}

/** The message as lines for a person. */
function linesOf(note: Notification): string[] {
  const ids = (list: string[]) =>
    `${list.slice(0, MOST).join(', ')}${list.length > MOST ? ` and ${list.length - MOST} more` : ''}`
  return [
    note.sentence,
    ...(note.changes ?? []),
    ...note.causes.map(({ title, whose, where, findings: [first] }) =>
      [first, title, `(${whose}${where === undefined ? '' : `, ${where}`})`]
        .filter(Boolean)
        .join(' '),
    ),
    ...(note.moreCauses > 0 ? [`and ${counted(note.moreCauses, 'more cause')}`] : []),
    ...(note.new && note.new.length > 0 ? [`New: ${ids(note.new)}`] : []),
    ...(note.fixed && note.fixed.length > 0 ? [`Fixed: ${ids(note.fixed)}`] : []),
  ]
}

/**
 * The body of a webhook request. `json` is the notification itself. For Slack and Microsoft Teams everything is plain
 * text, so that they find no mention, link or formatting from a bank.
 */
export const WEBHOOKS: Record<'json' | 'slack' | 'teams', (note: Notification) => unknown> = {
  json: (note) => note,
  slack: (note) => ({
    text: slackText(`${note.target}: ${note.verdict}`),
    blocks: [
      { type: 'header', text: plain(`${note.target}: ${note.verdict}`, 150) },
      ...linesOf(note).map((line) => ({ type: 'section', text: plain(line, 2900) })),
      ...(note.link === undefined
        ? []
        : [{ type: 'section', text: { type: 'mrkdwn', text: `<${note.link}|The run>` } }]),
    ],
  }),
  teams: (note) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            textRun(`${note.target}: ${note.verdict}`, { weight: 'Bolder', size: 'Medium' }),
            ...linesOf(note).map((line) => textRun(line)),
          ],
          ...(note.link !== undefined && {
            actions: [{ type: 'Action.OpenUrl', title: 'The run', url: note.link }],
          }),
        },
      },
    ],
  }),
}

const plain = (text: string, most: number) => ({
  type: 'plain_text',
  text: brief(text, most - 40),
  emoji: false,
})

/** The text that Slack shows instead of blocks; these three characters begin a link or a mention. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const textRun = (text: string, style: Record<string, string> = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
})
