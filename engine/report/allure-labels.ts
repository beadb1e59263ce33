import { type Label, LabelName, Severity } from 'allure-js-commons'
import { oneLine, visible } from './escape.ts'
import { splitChapter } from './queries.ts'
import type { CheckResult, Level, RequirementResult } from './report.ts'

/** What a description says of a requirement. */
export type DescribedRequirement = Pick<
  RequirementResult,
  'id' | 'level' | 'source' | 'quote' | 'text' | 'open' | 'decision'
>

const SEVERITIES: Record<Level, Severity> = {
  must: Severity.CRITICAL,
  should: Severity.NORMAL,
  observe: Severity.TRIVIAL,
}

/** What Allure groups and filters by; `place` is the chapter: account-information/transactions. */
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

/** Plain words for a Markdown field: signs that Markdown would obey are escaped. */
export function allureDescription(requirement: DescribedRequirement): string {
  const plain = (words: string) => words.replace(/[\\`*_{}[\]<>#|!]/g, '\\$&')
  const lines = [
    ...requirement.quote.map((quote) => `> ${plain(oneLine(quote))}`),
    '',
    `${requirement.id} (${requirement.level}), ${plain(requirement.source)}: ${plain(requirement.text)}`,
    ...(requirement.decision
      ? ['', `How it is read (${requirement.decision.id}): ${plain(requirement.decision.text)}`]
      : []),
    ...(requirement.open ? ['', `Left open, never judged: ${plain(requirement.open)}`] : []),
  ]
  return visible(lines.join('\n'))
}
