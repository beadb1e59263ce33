import { createHash } from 'node:crypto'
import { LabelName, LinkType, Stage, Status, type TestResult } from 'allure-js-commons'
import { evidence } from './allure-evidence.ts'
import { CATEGORIES, environment } from './allure-facts.ts'
import { allureDescription, allureLabels } from './allure-labels.ts'
import { boundedReport } from './bounded-report.ts'
import { clip, oneLine, visible } from './escape.ts'
import { splitChapter } from './queries.ts'
import type { CheckResult, ExchangeRecord, Report, RequirementResult } from './report.ts'
import { stableUuid } from './stable-uuid.ts'
import { chapterOf, machineDetail, machineMessage, machineStatus } from './status-map.ts'

export interface AllureOptions {
  /** Address of a requirement; default: its place in report.html, beside a page that Allure makes in DIR. */
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
    const result = testResult(report, check, requirement, chapter(check), byId)
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
  exchanges: Map<string, ExchangeRecord>,
): TestResult {
  const { document, chapter } = splitChapter(place)
  const start = startOf(report, check, exchanges)
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
        : { message: machineMessage(check), trace: visible(machineDetail(check, exchanges)) }),
      ...(check.expected ? { expected: visible(clip(check.expected, 4000)) } : {}),
      ...(check.actual ? { actual: visible(clip(check.actual, 4000)) } : {}),
    },
    stage: check.outcome === 'not-run' ? Stage.PENDING : Stage.FINISHED,
    description: requirement ? allureDescription(requirement) : '',
    labels: [{ name: LabelName.FRAMEWORK, value: 'assay' }, ...allureLabels(check, place)],
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

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
