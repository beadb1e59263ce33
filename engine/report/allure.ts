import { createHash } from 'node:crypto'
import {
  type Label,
  LabelName,
  LinkType,
  Severity,
  Stage,
  Status,
  type TestResult,
} from 'allure-js-commons'
import { evidence } from './allure-evidence.ts'
import { CATEGORIES, environment } from './allure-facts.ts'
import { boundedReport } from './bounded-report.ts'
import { splitChapter } from './findings.ts'
import { clip, oneLine, visible } from './legible.ts'
import { chapterOf, machineDetail, machineMessage, machineStatus } from './machine-status.ts'
import type { CheckResult, ExchangeRecord, Level, Report, RequirementResult } from './report.ts'
import { stableUuid } from './stable-uuid.ts'

const SEVERITIES: Record<Level, Severity> = {
  must: Severity.CRITICAL,
  should: Severity.NORMAL,
  observe: Severity.TRIVIAL,
}

export interface AllureOptions {
  /** Address of a requirement; default: its place in report.html, beside DIR/allure-report.html. */
  requirementLink?: (id: string) => string
}

/**
 * The files of allure-results/ in the Allure 2 format, name → content: a result per check with stable
 * historyId, epic / feature / story = document / chapter / requirement, the evidence of what didn't
 * pass as attachments, categories and the environment.
 */
export function allureResults(
  whole: Report,
  exchanges: ExchangeRecord[],
  options: AllureOptions = {},
): Map<string, string> {
  const report = boundedReport(whole)
  const files = new Map<string, string>()
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]))
  const requirements = new Map(
    report.requirements.map((requirement) => [requirement.id, requirement]),
  )
  const chapter = chapterOf(report)
  const link = options.requirementLink ?? ((id: string) => `report.html#${encodeURIComponent(id)}`)
  for (const check of report.checks) {
    const attachments = check.outcome === 'pass' ? [] : evidence(check, byId)
    for (const { source, content } of attachments) files.set(source, content)
    const requirement = requirements.get(check.requirement)
    const result = testResult(
      report,
      check,
      requirement,
      chapter(check),
      startOf(report, check, byId),
    )
    result.links = [{ type: LinkType.TMS, name: check.requirement, url: link(check.requirement) }]
    result.attachments = attachments.map(({ name, type, source }) => ({ name, type, source }))
    files.set(`${result.uuid}-result.json`, json(result))
  }
  files.set('categories.json', json(CATEGORIES))
  files.set('environment.properties', environment(report))
  return files
}

function testResult(
  report: Report,
  check: CheckResult,
  requirement: RequirementResult | undefined,
  place: string,
  start: number,
): TestResult {
  const { document, chapter } = splitChapter(place)
  return {
    uuid: stableUuid(`${report.target.name} ${report.startedAt} ${check.id}`),
    historyId: createHash('md5').update(check.id).digest('hex'),
    testCaseId: createHash('md5').update(check.id).digest('hex'),
    fullName: visible(`${place}: ${check.id}`),
    name: oneLine(`${check.id} ${check.title}`),
    titlePath: ['assay', document, chapter],
    status: STATUSES[machineStatus(check)],
    statusDetails: {
      ...(check.outcome === 'pass'
        ? {}
        : { message: machineMessage(check), trace: visible(machineDetail(check)) }),
      ...(check.expected ? { expected: visible(clip(check.expected, 4000)) } : {}),
      ...(check.actual ? { actual: visible(clip(check.actual, 4000)) } : {}),
    },
    stage: check.outcome === 'not-run' ? Stage.PENDING : Stage.FINISHED,
    description: requirement ? visible(description(requirement)) : '',
    labels: labels(check, document, chapter),
    links: [],
    steps: [],
    attachments: [],
    parameters: [],
    start,
    stop: start + Math.round(check.durationMs),
  }
}

/** When the check sent its first exchange; a rule has no time of its own but the run's. */
function startOf(
  report: Report,
  check: CheckResult,
  exchanges: Map<string, ExchangeRecord>,
): number {
  const first = check.kind === 'check' ? exchanges.get(check.exchanges[0] ?? '') : undefined
  return Date.parse(first?.startedAt ?? report.startedAt)
}

const STATUSES: Record<ReturnType<typeof machineStatus>, Status> = {
  passed: Status.PASSED,
  failed: Status.FAILED,
  broken: Status.BROKEN,
  skipped: Status.SKIPPED,
}

function labels(check: CheckResult, document: string, chapter: string): Label[] {
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
    { name: LabelName.FRAMEWORK, value: 'assay' },
    ...(check.deviation?.owner
      ? [{ name: LabelName.OWNER, value: visible(check.deviation.owner) }]
      : []),
    ...tags.map((value) => ({ name: LabelName.TAG, value })),
  ]
}

/** Plain words for a Markdown field: signs that Markdown would obey are escaped. */
function description(requirement: RequirementResult): string {
  const plain = (words: string) => words.replace(/[\\`*_{}[\]<>#|!]/g, '\\$&')
  return [
    ...requirement.quote.map((quote) => `> ${plain(oneLine(quote))}`),
    '',
    `${requirement.id} (${requirement.level}), ${plain(requirement.source)}: ${plain(requirement.text)}`,
    ...(requirement.decision
      ? ['', `How it is read (${requirement.decision.id}): ${plain(requirement.decision.text)}`]
      : []),
    ...(requirement.open ? ['', `Left open, never judged: ${plain(requirement.open)}`] : []),
  ].join('\n')
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
