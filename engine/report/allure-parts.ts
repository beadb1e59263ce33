import { type Label, LabelName, Severity } from 'allure-js-commons'
import { curl } from './curl.ts'
import { brief, visible } from './escape.ts'
import { linesOf, markdown, markdownText } from './markdown.ts'
import { headline, splitChapter } from './queries.ts'
import type { CheckResult, ExchangeRecord, Level, RequirementResult } from './report.ts'
import { stableUuid } from './status-map.ts'

/** What a description contains of a requirement. */
export type DescribedRequirement = Pick<
  RequirementResult,
  'id' | 'level' | 'source' | 'quote' | 'text' | 'open' | 'decision'
>

const SEVERITIES: Record<Level, Severity> = {
  must: Severity.CRITICAL,
  should: Severity.NORMAL,
  observe: Severity.TRIVIAL,
}

/** The labels by which Allure groups and filters; `place` is the chapter: account-information/transactions. */
export function allureLabels(check: CheckResult, place: string): Label[] {
  const { document, chapter } = splitChapter(place)
  const tags = [
    check.outcome,
    check.level,
    check.kind,
    ...(check.deviation ? ['known-deviation'] : []),
  ]
  return [
    { name: LabelName.EPIC, value: document },
    { name: LabelName.FEATURE, value: chapter },
    { name: LabelName.STORY, value: check.requirement },
    { name: LabelName.PARENT_SUITE, value: document },
    { name: LabelName.SUITE, value: chapter },
    { name: LabelName.SUB_SUITE, value: check.requirement },
    { name: LabelName.SEVERITY, value: SEVERITIES[check.level] },
    ...(check.deviation?.owner
      ? [{ name: LabelName.OWNER, value: visible(check.deviation.owner) }]
      : []),
    ...tags.map((value) => ({ name: LabelName.TAG, value })),
  ]
}

/** The description of a requirement, as Markdown. */
export function allureDescription({
  id,
  level,
  source,
  text,
  quote,
  decision,
  open,
}: DescribedRequirement): string {
  return markdownText(
    linesOf([
      ...quote.map((words) => markdown`> ${words}`),
      markdown``,
      markdown`${id} (${level}), ${source}: ${text}`,
      ...(decision
        ? [markdown``, markdown`How it is read (${decision.id}): ${decision.text}`]
        : []),
      ...(open ? [markdown``, markdown`Left open, never judged: ${open}`] : []),
    ]),
  )
}

/** Maximum number of exchanges that are attached to one check. */
const MAX_ATTACHED = 5

export interface AttachmentFile {
  name: string
  type: string
  source: string
  content: string
}

/**
 * Exchanges, control and curl command of a check, as files of allure-results/. An exchange is stored once in the
 * folder, however many checks use it as evidence.
 */
export function evidence(
  check: CheckResult,
  exchanges: ReadonlyMap<string, ExchangeRecord>,
): AttachmentFile[] {
  const attached = (role: string, id = ''): AttachmentFile[] => {
    const exchange = exchanges.get(id)
    if (!exchange) return []
    const source = `${stableUuid(`exchange ${exchange.hash}`)}-attachment.json`
    const name = brief(`${role} ${exchange.id} ${headline(exchange)}`, 200)
    const content = `${JSON.stringify(exchange, null, 2)}\n`
    return [{ name, type: 'application/json', source, content }]
  }
  const ids = check.exchanges.slice(0, MAX_ATTACHED)
  const files = ids.flatMap((id, i) => attached(i === 0 ? 'exchange' : 'more evidence', id))
  files.push(...attached('control', check.control?.exchange))
  const first = exchanges.get(ids[0] ?? '')
  if (!first) return files
  const source = `${stableUuid(`curl ${first.hash}`)}-attachment.txt`
  const name = `curl of ${first.id}`
  return [...files, { name, type: 'text/plain', source, content: `${curl(first)}\n` }]
}
