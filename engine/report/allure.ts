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
import { boundedReport } from './bounded-report.ts'
import { curl } from './curl.ts'
import { headline, splitChapter } from './findings.ts'
import { brief, clip, oneLine, visible } from './legible.ts'
import { chapterOf, machineDetail, machineMessage, machineStatus } from './machine-status.ts'
import type { CheckResult, ExchangeRecord, Level, Report, RequirementResult } from './report.ts'
import { stableUuid } from './stable-uuid.ts'

/** Exchanges that are attached to one check. */
const MAX_ATTACHED = 5

const SEVERITIES: Record<Level, Severity> = {
  must: Severity.CRITICAL,
  should: Severity.NORMAL,
  observe: Severity.TRIVIAL,
}

export interface AllureOptions {
  /** Address of a requirement; default: its place in report.html, seen from DIR/allure-report. */
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
  const link =
    options.requirementLink ?? ((id: string) => `../report.html#${encodeURIComponent(id)}`)
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

interface AttachmentFile {
  name: string
  type: string
  source: string
  content: string
}

/** An exchange stands once in the folder, however many checks it is evidence of. */
function evidence(check: CheckResult, exchanges: Map<string, ExchangeRecord>): AttachmentFile[] {
  const ids = check.exchanges.slice(0, MAX_ATTACHED)
  const files = ids.flatMap((id, i) =>
    attached(i === 0 ? 'exchange' : 'more evidence', exchanges.get(id)),
  )
  if (check.control) files.push(...attached('control', exchanges.get(check.control)))
  const first = exchanges.get(ids[0] ?? '')
  if (first) {
    files.push({
      name: `curl of ${first.id}`,
      type: 'text/plain',
      source: `${stableUuid(`curl ${first.hash}`)}-attachment.txt`,
      content: `${curl(first)}\n`,
    })
  }
  return files
}

function attached(role: string, exchange: ExchangeRecord | undefined): AttachmentFile[] {
  if (!exchange) return []
  const source = `${stableUuid(`exchange ${exchange.hash}`)}-attachment.json`
  const name = brief(`${role} ${exchange.id} ${headline(exchange)}`, 200)
  return [{ name, type: 'application/json', source, content: json(exchange) }]
}

const CATEGORIES = [
  { name: 'Broken musts', matchedStatuses: ['failed'] },
  {
    name: 'Musts without a verdict',
    matchedStatuses: ['broken'],
    messageRegex: '^blocked[\\s\\S]*',
  },
  { name: 'Errors of the suite', matchedStatuses: ['broken'], messageRegex: '^error[\\s\\S]*' },
  { name: 'Known deviations', matchedStatuses: ['skipped'], messageRegex: '^fail[\\s\\S]*' },
  { name: 'Could not be judged', matchedStatuses: ['skipped'], messageRegex: '^blocked[\\s\\S]*' },
  { name: 'Broken shoulds', matchedStatuses: ['passed'], messageRegex: '^warn[\\s\\S]*' },
  {
    name: 'Recorded, never judged',
    matchedStatuses: ['skipped'],
    messageRegex: '^observed[\\s\\S]*',
  },
  {
    name: 'Not applicable',
    matchedStatuses: ['skipped'],
    messageRegex: '^not-applicable[\\s\\S]*',
  },
  { name: 'Not run', matchedStatuses: ['skipped'], messageRegex: '^not-run[\\s\\S]*' },
]

function environment(report: Report): string {
  const facts: [string, string][] = [
    ['target', report.target.name],
    ['verdict', report.verdict],
    ['exit.code', String(report.exitCode)],
    ['profile', report.scope.profile],
    ['suite', report.assay.version],
    ['requirements', report.assay.specsDigest],
    ['configuration', report.target.configurationDigest],
    ['node', report.assay.node],
    ['requests', String(report.requests)],
  ]
  const plain = (value: string) =>
    oneLine(value)
      .replace(/[\\:=#!]/g, '\\$&')
      .replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `${facts.map(([name, value]) => `${name} = ${plain(value)}`).join('\n')}\n`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
