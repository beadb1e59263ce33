/**
 * Writes docs/hostile.md from the situations themselves: `npx tsx tests/hostile/table.ts [FOLDER]`, with
 * the measures that a run of them left in FOLDER (ASSAY_HOSTILE).
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

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
const sections = chapters.map(([title, situations]) => {
  const rows = situations.map(({ id, what, expected, seconds, megabytes }) => {
    const took = measured[id]
    const time = took ? `${took.seconds} of ${seconds} s` : `${seconds} s`
    const memory = took ? `${took.megabytes} of ${megabytes} MB` : `${megabytes} MB`
    return `| \`${id}\` | ${cell(what)} | ${cell(expected)} | ${time} | ${memory} |`
  })
  const head = '| situation | what happens | what must come of it | time | memory |'
  return [`## ${title}`, '', head, '| --- | --- | --- | --- | --- |', ...rows].join('\n')
})
const count = chapters.reduce((sum, [, situations]) => sum + situations.length, 0)
const intro = `# Hostile banks, files and endings

A conformance suite meets broken servers for a living. Each of these ${count} situations is brought about by
a real server, file or signal, and judged by the whole suite or by the command line; \`npm run hostile\`
tries them all. Time and memory are limits; where two numbers stand, the first was measured.

What bounds a run:

| what | by what |
| --- | --- |
| one request | \`timeout\` of the target, connecting and body included |
| one answer | \`maxResponseSize\`; 64 KiB of headers; JSON nested 200 levels deep |
| one endpoint, or one kind of wrong request to it, that does not answer | two time-outs in a row; the rest of its checks is blocked by them |
| one listener that does not answer | three requests in a row, and one more that it answered before |
| the whole run | \`--deadline\`, 240 minutes by default; waiting for a person does not count |
| a target file, and each file that it names | 512 KiB, plain files alone |
| an address that the bank names | https alone; private, loopback and link-local addresses only where the target’s own are such, link-local ones never |
| what a customer knows | pages and forms over https, at the authorisation endpoint’s host or one under \`authorisation.hosts\` |
`
writeFileSync(join(root, 'docs', 'hostile.md'), `${intro}\n${sections.join('\n\n')}\n`)
console.log(`docs/hostile.md: ${count} situations, ${Object.keys(measured).length} measured`)
