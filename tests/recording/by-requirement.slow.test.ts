import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asHar } from '../../bench/as-har.ts'
import type { Requirement } from '../../engine/catalogue/catalogue.ts'
import type { Report } from '../../engine/report/report.ts'
import { openProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'
import { recorded } from '../report/recorded.ts'
import { asLog } from './as-log.ts'
import { judgedFiles, judgedText, recordedBank } from './recorded-bank.ts'

/**
 * docs/judge-by-requirement.md: of each requirement what a judge of recordings sees, by the format of the recording. Made
 * of a run of the correct bank in each format; `npx vitest run tests/recording/by-requirement -u` writes it.
 */

const FORMATS = ['HAR', 'run', 'Kong', 'nginx, Envoy', 'AWS'] as const

const HEAD = `# What a judge of recordings sees, by requirement

Made by \`npx vitest run tests/recording/by-requirement -u\`; do not edit.

A run of the correct bank, with every request that a run sends, judged by \`assay judge\` in each format: HAR, the
\`exchanges.jsonl\` of a run, and the logs that [judge.md](judge.md) has each gateway write. **yes**: every rule of the
requirement judged something; **part**: some rules did, or part of it needs requests that a run alone sends; **–**: nothing
of it can be judged. A gateway that writes bodies and all headers tells as much as HAR does.
`

test('what each format lets a judge see, requirement by requirement', {
  timeout: 600_000,
}, async () => {
  const context = await openProofContext(openDirectory())
  const { document, exchanges } = await recordedBank(context, [])
  const { dir } = await recorded('correct')
  const judged = (name: string, text: string) => judgedText(context, document, name, text)
  const reports: Report[] = [
    await judged('a.har', asHar(exchanges)),
    await judgedFiles(context, document, [dir]),
    await judged('kong.log', asLog('Kong', exchanges)),
    await judged('nginx.log', asLog('nginx', exchanges)),
    await judged('aws.log', asLog('AWS API Gateway', exchanges)),
  ]
  const outcomes = reports.map(
    ({ checks }) => new Map(checks.map(({ id, outcome }) => [id, outcome])),
  )
  const judgedBy = ({ checks }: Requirement) => {
    const rules = checks.filter((id) => outcomes.some((of) => of.has(id)))
    return outcomes.map((of) => {
      const seen = rules.filter((id) => ['pass', 'observed'].includes(of.get(id) ?? ''))
      if (seen.length === 0) return '–'
      return seen.length === checks.length ? 'yes' : 'part'
    })
  }

  const all = [...context.catalogue.requirements.values()].filter(({ checks }) => checks.length > 0)
  const chapters = [...new Set(all.map(({ chapter }) => chapter))]
  const sections = chapters.map((chapter) => {
    const some = all.filter((each) => each.chapter === chapter)
    const rows = some.map((each) => ({ ...each, seen: judgedBy(each) }))
    const shown = rows.filter(({ seen }) => seen.some((word) => word !== '–'))
    const unseen = rows.filter((row) => !shown.includes(row)).map(({ id }) => id)
    const lines = shown.map(
      ({ id, level, seen, text }) => `| ${id} | ${level} | ${seen.join(' | ')} | ${text} |`,
    )
    const table =
      lines.length === 0
        ? []
        : [
            `| requirement | level | ${FORMATS.join(' | ')} | text |`,
            `| --- |${' --- |'.repeat(FORMATS.length + 2)}`,
            ...lines,
            '',
          ]
    const rest = unseen.length === 0 ? [] : [`A run alone: ${unseen.join(', ')}.`, '']
    return [`## ${chapter}`, '', ...table, ...rest].join('\n')
  })

  const counts = FORMATS.map((format, at) => {
    const musts = all.filter(({ level }) => level === 'must')
    const seen = musts.filter((each) => judgedBy(each)[at] !== '–')
    return `| ${format} | ${seen.length} of ${musts.length} |`
  })
  const table = ['| format | musts of which something is judged |', '| --- | --- |', ...counts, '']
  const page = [HEAD, ...table, ...sections].join('\n').trimEnd()
  expect(Number(counts[0]?.match(/\d+/)?.[0])).toBeGreaterThan(120)
  await expect(`${page}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, '..', '..', 'docs', 'judge-by-requirement.md'),
  )
})
