import { createHash } from 'node:crypto'
import { LabelName, LinkType, Stage, type Status, type TestResult } from 'allure-js-commons'
import { percentEncoded } from '../record/percent.ts'
import { type AttachmentFile, allureDescription, allureLabels, evidence } from './allure-parts.ts'
import { clip, oneLine, spelled, visible } from './escape.ts'
import { type Indexed, indexed, splitChapter, untestedMusts } from './queries.ts'
import type { CheckResult, ExchangeRecord, Report } from './report.ts'
import { machineDetail, machineMessage, machineStatus, stableUuid } from './status-map.ts'

/** Categories: name, status, and the outcome at the start of their messages. */
const CATEGORIES = [
  ['Broken musts', 'failed'],
  ['Musts without a verdict', 'broken', 'blocked'],
  ['Errors of the suite', 'broken', 'error'],
  ['Known deviations', 'skipped', 'fail'],
  ['Could not be judged', 'skipped', 'blocked'],
  ['Broken shoulds', 'passed', 'warn'],
  ['Recorded, never judged', 'skipped', 'observed'],
  ['Not applicable', 'skipped', 'not-applicable'],
  ['Not run', 'skipped', 'not-run'],
].map(([name, status, outcome]) => ({
  name,
  matchedStatuses: [status],
  ...(outcome && { messageRegex: `^${outcome}[\\s\\S]*` }),
}))

/**
 * The files of allure-results/ in the Allure 2 format, name → content: one result per check with a stable historyId and
 * epic / feature / story = document / chapter / requirement, linked to its place in report.html, beside a page that
 * Allure makes in DIR; evidence of what didn't pass as attachments; categories and the environment.
 */
export function allureResults(whole: Report, exchanges: ExchangeRecord[]): Map<string, string> {
  const run = indexed(whole, exchanges)
  const files = new Map<string, string>()
  for (const check of run.report.checks) {
    const attachments = check.outcome === 'pass' ? [] : evidence(check, run.exchanges)
    for (const { source, content } of attachments) files.set(source, content)
    const result = testResult(run, check, attachments)
    files.set(`${result.uuid}-result.json`, json(result))
  }
  files.set('categories.json', json(CATEGORIES))
  files.set('environment.properties', environment(run.report))
  return files
}

function testResult(run: Indexed, check: CheckResult, attachments: AttachmentFile[]): TestResult {
  const { report, exchanges } = run
  const requirement = run.requirements.get(check.requirement)
  const place = requirement?.chapter ?? 'other/unknown'
  const { document, chapter } = splitChapter(place)
  // The time of its first exchange; a rule has no time except that of the run.
  const first = check.kind === 'check' ? exchanges.get(check.exchanges[0] ?? '') : undefined
  const start = Date.parse(first?.startedAt ?? report.startedAt)
  const history = createHash('md5').update(check.id).digest('hex')
  const url = `report.html#${percentEncoded(check.requirement)}`
  return {
    uuid: stableUuid(`${report.target.name} ${report.startedAt} ${check.id}`),
    historyId: history,
    testCaseId: history,
    fullName: visible(`${place}: ${check.id}`),
    name: oneLine(`${check.id} ${check.title}`),
    titlePath: ['assay', document, chapter],
    status: machineStatus(check) as Status,
    statusDetails: {
      ...(check.outcome !== 'pass' && {
        message: machineMessage(check),
        trace: machineDetail(check, exchanges),
      }),
      ...(check.expected && { expected: visible(clip(check.expected, 4000)) }),
      ...(check.actual && { actual: visible(clip(check.actual, 4000)) }),
    },
    stage: check.outcome === 'not-run' ? Stage.PENDING : Stage.FINISHED,
    description: requirement ? allureDescription(requirement) : '',
    labels: [{ name: LabelName.FRAMEWORK, value: 'assay' }, ...allureLabels(check, place)],
    links: [{ type: LinkType.TMS, name: check.requirement, url }],
    steps: [],
    attachments: attachments.map(({ name, type, source }) => ({ name, type, source })),
    parameters: [],
    start,
    stop: start + Math.round(check.durationMs),
  }
}

/** The facts of the run: environment.properties. */
function environment(report: Report): string {
  const { target, assay } = report
  const facts: Record<string, unknown> = {
    target: target.name,
    verdict: report.verdict,
    'exit.code': report.exitCode,
    profile: report.scope.profile,
    suite: assay.version,
    requirements: assay.specsDigest,
    configuration: target.configurationDigest,
    node: assay.node,
    requests: report.requests,
  }
  for (const { id, text, notTested } of untestedMusts(report)) {
    facts[`not.tested.${id}`] = `${text} ${notTested}`
  }
  const plain = (value: string) =>
    oneLine(value)
      .replace(/[\\:=#!]/g, '\\$&')
      .replace(/[^ -~]/g, spelled)
  const lines = Object.entries(facts).map(([name, value]) => `${name} = ${plain(String(value))}\n`)
  return lines.join('')
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
