/**
 * Writes the situations into docs/hostile.md, whose beginning is written by hand: `npx tsx tests/hostile/table.ts [FOLDER]`.
 * Measures come from a run that left them in FOLDER (ASSAY_HOSTILE); what it did not measure keeps those of the page.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../engine/record/root.ts'
import { chapters } from './chapters.ts'

type Measures = Record<string, { seconds: number; megabytes: number }>

const [folder] = process.argv.slice(2)
const measured: Measures = Object.assign(
  {},
  ...(folder && existsSync(folder) ? readdirSync(folder) : []).map(
    (name) => JSON.parse(readFileSync(join(folder ?? '', name), 'utf8')).measured as Measures,
  ),
)

const path = join(root, 'docs', 'hostile.md')
const page = readFileSync(path, 'utf8')
/** `| \`id\` | … | 2.8 of 240 s | 21 of 400 MB |` */
const ROW = /^\| `([^`]+)` \|.* \| ([\d.]+) of [\d.]+ s \| (\d+) of \d+ MB \|$/gm
const before: Measures = Object.fromEntries(
  [...page.matchAll(ROW)].map(([, id = '', seconds, megabytes]) => [
    id,
    { seconds: Number(seconds), megabytes: Number(megabytes) },
  ]),
)

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
const sections = chapters.map(([title, situations]) => {
  const rows = situations.map(({ id, what, expected, seconds, megabytes }) => {
    const took = measured[id] ?? before[id]
    const time = took ? `${took.seconds} of ${seconds} s` : `${seconds} s`
    const memory = took ? `${took.megabytes} of ${megabytes} MB` : `${megabytes} MB`
    return `| \`${id}\` | ${cell(what)} | ${cell(expected)} | ${time} | ${memory} |`
  })
  const head = '| situation | what happens | what must come of it | time | memory |'
  return [`## ${title}`, '', head, '| --- | --- | --- | --- | --- |', ...rows].join('\n')
})
const count = chapters.reduce((sum, [, situations]) => sum + situations.length, 0)
const intro = page
  .slice(0, page.indexOf('\n## '))
  .replace(/Each of these \d+ situations/, `Each of these ${count} situations`)
writeFileSync(path, `${intro}\n${sections.join('\n\n')}\n`)
console.log(`docs/hostile.md: ${count} situations, ${Object.keys(measured).length} measured`)
