import { judgedAnything } from './counts.ts'
import { doorOf, type Passed } from './door.ts'
import { brief } from './escape.ts'
import { byId, durationOf, grouped, OUTCOMES } from './queries.ts'
import type { Report } from './report.ts'

type Text = Passed<'OpenMetrics'>

/** Maximum length, in characters, of a label's value. */
const MOST = 200

/** Escapes label values in double quotes (OpenMetrics 1.0, escaped-string). */
const { tag: metric, text } = doorOf('OpenMetrics', (words) =>
  brief(words, MOST).replace(/[\\"]/g, '\\$&'),
)

interface Family {
  /** Ends with the unit, if it has one. */
  name: string
  type: 'gauge' | 'summary'
  unit?: 'seconds'
  help: string
  /** Samples with the suffix of the name, the labels except the target, and the value. */
  samples: { suffix?: '_count'; labels?: [name: string, value: string][]; value: number }[]
}

/**
 * assay.prom: the figures of a run in the text format of OpenMetrics 1.0. It has only gauges and summaries and no
 * timestamps, so that readers of the older Prometheus format (0.0.4), such as the textfile collector, accept it too.
 */
export function openMetrics(report: Report): string {
  const families = [...ofTheRun(report), ...ofChecks(report), latency(report), ...ofMonitor(report)]
  return `${families.map((family) => text(written(family, report.target.name))).join('')}# EOF\n`
}

function written({ name, type, unit, help, samples }: Family, target: string): Text {
  const lines = samples.map(({ suffix, labels = [], value }) => {
    const more = labels.map(([label, of]) => metric`,${label}="${of}"`)
    return metric`${name}${suffix}{target="${target}"${more}} ${value}\n`
  })
  const described = metric`# TYPE ${name} ${type}\n${unit && metric`# UNIT ${name} ${unit}\n`}`
  return metric`${described}# HELP ${name} ${help}\n${lines}`
}

const VERDICTS = ['conformant', 'nonconformant', 'incomplete', 'error', 'not judged'] as const

function ofTheRun(report: Report): Family[] {
  const verdict = judgedAnything(report) ? report.verdict : 'not judged'
  const granted = report.approvals.filter(({ outcome }) => outcome === 'granted')
  const one = (name: string, help: string, value: number, unit?: 'seconds'): Family => {
    return { name, type: 'gauge', unit, help, samples: [{ value }] }
  }
  const { version } = report.assay
  const { profile } = report.scope
  return [
    {
      ...{ name: 'assay_run_verdict', type: 'gauge' },
      help: 'Verdict of the run: 1 for the one that it has, 0 for the others.',
      samples: VERDICTS.map((each) => ({
        labels: [
          ['verdict', each],
          ['profile', profile],
          ['version', version],
        ],
        value: Number(each === verdict),
      })),
    },
    one('assay_run_exit_code', 'Exit code that the verdict gives.', report.exitCode),
    one(
      'assay_run_start_timestamp_seconds',
      'When the run began, in Unix time.',
      unixTime(report.startedAt),
      'seconds',
    ),
    one(
      'assay_run_end_timestamp_seconds',
      'When the run ended, in Unix time.',
      unixTime(report.finishedAt),
      'seconds',
    ),
    one('assay_run_duration_seconds', 'How long it took.', durationOf(report) / 1000, 'seconds'),
    one('assay_run_requests', 'Requests that were sent.', report.requests),
    one('assay_run_visits', 'Visits at the authorisation page.', report.approvals.length),
    one('assay_run_approvals', 'Visits that ended in a code.', granted.length),
  ]
}

const unixTime = (instant: string) => Date.parse(instant) / 1000

function ofChecks({ checks, requirements, musts }: Report): Family[] {
  const known = byId(requirements)
  const groups = grouped(checks, ({ requirement, level }) =>
    [known.get(requirement)?.chapter ?? 'other', level].join(' '),
  )
  const samples = [...groups].flatMap(([key, all]) => {
    const [chapter = '', level = ''] = key.split(' ')
    return OUTCOMES.map((outcome): Family['samples'][number] => ({
      labels: [
        ['chapter', chapter],
        ['level', level],
        ['outcome', outcome],
      ],
      value: all.filter((check) => check.outcome === outcome).length,
    }))
  })
  const { judged: _, ...ends } = musts
  return [
    {
      ...{ name: 'assay_musts', type: 'gauge' },
      help: 'Musts in scope by how each ended; every must counts once.',
      samples: Object.entries(ends).map(([end, value]) => ({ labels: [['outcome', end]], value })),
    },
    {
      ...{ name: 'assay_checks', type: 'gauge' },
      help: 'Checks and rules by chapter, level and outcome.',
      samples,
    },
  ]
}

function ofMonitor({ monitor }: Report): Family[] {
  if (!monitor) return []
  const { parts, certificates } = monitor
  return [
    {
      ...{ name: 'assay_monitor_up', type: 'gauge' },
      help: 'Whether a part of the interface was served when it was asked for last.',
      samples: parts.map(({ part, up }) => ({ labels: [['part', part]], value: Number(up) })),
    },
    {
      ...{ name: 'assay_monitor_since_timestamp_seconds', type: 'gauge', unit: 'seconds' },
      help: 'Since when a part is served, or away, in Unix time.',
      samples: parts.map(({ part, since }) => ({
        labels: [['part', part]],
        value: unixTime(since),
      })),
    },
    {
      ...{ name: 'assay_certificate_end_timestamp_seconds', type: 'gauge', unit: 'seconds' },
      help: 'Until when a certificate is good, in Unix time.',
      samples: certificates.map(({ what, notAfter }) => ({
        labels: [['of', what]],
        value: unixTime(notAfter),
      })),
    },
  ]
}

function latency({ latency: all }: Report): Family {
  return {
    ...{ name: 'assay_latency_seconds', type: 'summary', unit: 'seconds' },
    help: 'From a request to the end of its answer, by endpoint. Recorded, never judged.',
    samples: all.flatMap(({ endpoint, count, p50, p95, p99 }): Family['samples'] => {
      const quantiles: [string, number | undefined][] = [
        ['0.5', p50],
        ['0.95', p95],
        ['0.99', p99],
      ]
      const known = quantiles.flatMap(([quantile, ms]): Family['samples'] =>
        ms === undefined
          ? []
          : [
              {
                labels: [
                  ['endpoint', endpoint],
                  ['quantile', quantile],
                ],
                value: Number((ms / 1000).toFixed(6)),
              },
            ],
      )
      return [...known, { suffix: '_count', labels: [['endpoint', endpoint]], value: count }]
    }),
  }
}
