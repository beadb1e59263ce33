import { isDeepStrictEqual } from 'node:util'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Result } from '../../judge/results.ts'
import { createEvidence } from '../../report/evidence-index.ts'
import type { ExchangeRecord, Report } from '../../report/report.ts'
import { composeReport } from '../../run/compose.ts'
import type { Deviation } from '../../run/deviations.ts'
import { createLatency } from '../../run/latency.ts'
import type { Exchange } from '../../wire/exchange.ts'
import { type Compared, nothingYet } from './said.ts'

/** Start of the problem of an outdated list of known deviations, which fails a run and shows only here. */
const STALE = /^the known deviation /

/**
 * Composes the report again from its own checks and rules, with the same code as the run, and compares the derived
 * parts: counts, verdict, exit code, requirements, causes, figures.
 */
export function compositionAgain(
  report: Report,
  records: readonly ExchangeRecord[],
  catalogue: Catalogue,
): Compared {
  const compared = nothingYet()
  const again = composedAgain(report, records, catalogue)
  const parts = [...countsOf(report, again), ...partsOf(report, again)]
  for (const [id, is, follows] of parts) {
    if (isDeepStrictEqual(plain(is), plain(follows))) compared.same.push(id)
    else compared.different.push({ id, what: `${words(is)}, and ${words(follows)} follows` })
  }
  if (report.recording) {
    compared.untold.push({ id: 'verdict', what: 'it is a judgement of recorded traffic' })
  } else if (endsAs(report, again)) compared.same.push('verdict')
  else {
    const [is, follows] = [report, again].map(({ verdict, exitCode }) => `${verdict} (${exitCode})`)
    compared.different.push({ id: 'verdict', what: `${is}, and ${follows} follows` })
  }
  return compared
}

function composedAgain(
  report: Report,
  records: readonly ExchangeRecord[],
  catalogue: Catalogue,
): Report {
  const evidence = createEvidence()
  const latency = createLatency()
  for (const record of records) {
    evidence.note(record)
    latency.note(record as unknown as Exchange)
  }
  const { profile, only, seed } = report.scope
  // The position of a mistake in the target file is not looked up again.
  const { file: _, ...target } = report.target
  const deviations = report.checks.flatMap(({ id, deviation }): Deviation[] =>
    deviation ? [{ id, ...deviation }] : [],
  )
  return composeReport({
    ...{ target, catalogue, evidence, deviations },
    version: report.assay.version,
    scope: { profile, only, ...(seed !== undefined && { seed }) },
    startedAt: new Date(report.startedAt),
    finishedAt: new Date(report.finishedAt),
    results: new Map(report.checks.map((check): [string, Result] => [check.id, check])),
    requests: records.length,
    latency: latency.summary(),
    ...(report.partial !== undefined && { partial: report.partial }),
    ...(report.preflight && { preflight: report.preflight }),
    redact: (text) => text,
  })
}

type Part = [id: string, is: unknown, follows: unknown]

/** Compares each figure separately, so that a reader sees which one differs. */
function countsOf(report: Report, again: Report): Part[] {
  const each = (name: 'summary' | 'musts') =>
    Object.entries(again[name]).map(([key, value]): Part => {
      return [`${name}.${key}`, (report[name] as Record<string, number>)[key], value]
    })
  return [
    ...each('summary'),
    ...each('musts'),
    ['cells.asked', report.cells?.asked, again.cells?.asked],
    ['scope.checks', report.scope.checks, again.scope.checks],
    ['scope.requirements', report.scope.requirements, again.scope.requirements],
    ...(report.recording ? [] : [['requests', report.requests, again.requests] as Part]),
  ]
}

function partsOf(report: Report, again: Report): Part[] {
  const known = new Map(report.requirements.map((each) => [each.id, each]))
  const requirements = again.requirements.map(({ id, level, outcome }): Part => {
    const is = known.get(id)
    return [id, is && `${is.level}, ${is.outcome}`, `${level}, ${outcome}`]
  })
  const causes = ({ causes: all }: Report) =>
    all.map(({ whose, findings, blocks }) => `${whose}: ${[...findings, ...blocks].join(' ')}`)
  const missing = (one: Report, other: Report) => {
    const there = new Set(causes(other))
    return causes(one).filter((each) => !there.has(each))
  }
  return [
    ...requirements,
    ['causes', missing(report, again), missing(again, report)],
    ...(report.recording || report.resumed
      ? []
      : [['latency', report.latency, again.latency] as Part]),
  ]
}

/** What ends a run from outside is not the outcome of a check: an interruption, a fault of Assay, an outdated list. */
function endsAs(report: Report, again: Report): boolean {
  const { verdict, exitCode, partial, problems } = report
  if (verdict === again.verdict && exitCode === again.exitCode) return true
  if (exitCode === 130 && partial !== undefined) {
    return verdict === again.verdict || (verdict === 'incomplete' && again.exitCode === 0)
  }
  if (exitCode === 5 && verdict === 'error') return problems.length > 0
  const stale = problems.some((problem) => STALE.test(problem))
  return stale && verdict === 'nonconformant' && exitCode === 1 && [0, 4].includes(again.exitCode)
}

/** The value after a round trip through JSON. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown)

function words(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
