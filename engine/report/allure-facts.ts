import { oneLine } from './escape.ts'
import { untestedMusts } from './queries.ts'
import type { Report } from './report.ts'

/** Categories by the outcome with which each message begins: categories.json. */
export const CATEGORIES = [
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

/** The facts of the run: environment.properties. */
export function environment(report: Report): string {
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
    ...untestedMusts(report).map(({ id, text, notTested }): [string, string] => [
      `not.tested.${id}`,
      `${text} ${notTested}`,
    ]),
  ]
  const plain = (value: string) =>
    oneLine(value)
      .replace(/[\\:=#!]/g, '\\$&')
      .replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `${facts.map(([name, value]) => `${name} = ${plain(value)}`).join('\n')}\n`
}
