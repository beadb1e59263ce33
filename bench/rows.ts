/**
 * node dist/bench/rows.js TARGET: judges the bank of a target file by the whole suite, and prints one line of JSON: the
 * cost per received row, compared with JSON.parse and ajv only. It is a separate process, so that its memory is only
 * that of judging and not that of the bank.
 */
import { join } from 'node:path'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { readTargetFile } from '../engine/configuration/load.ts'
import { rowsOf } from '../engine/judge/data-rows.ts'
import { loadSuites } from '../engine/run/suites.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import { judgeOnce } from './judge.ts'
import { plainValidators } from './replay.ts'

const [file = ''] = process.argv.slice(2)
const read = await readTargetFile(file)
if (read.kind !== 'bank') throw new Error(`${file} describes no bank`)
const { document } = read.target
const catalogue = loadCatalogue()
const suites = await loadSuites(join(import.meta.dirname, '..', 'suites'), catalogue)
let rows = 0
let bytes = 0
let whole = 0
let largest: Exchange | undefined
const measured = await judgeOnce({ catalogue, suites }, document, (exchange) => {
  const { response, endpoint } = exchange
  if (!endpoint.endsWith('transactions') || !response) return
  const count = rowsOf(exchange).length
  rows += count
  bytes += response.bytes
  const most = largest ? rowsOf(largest).length : 0
  if (count > most) {
    largest = exchange
    whole = 0
  }
  if (count >= most) whole += 1
})
const memory = process.resourceUsage().maxRSS / 1024
const alone = largest ? parseAndValidate(largest) : 0
const judging = ((measured.took - measured.waiting) / Math.max(rows, 1)) * 1000
console.log(JSON.stringify({ ...measured, rows, whole, bytes, memory, judging, alone }))
process.exit()

/** Microseconds per row for JSON.parse and plain ajv. */
function parseAndValidate(exchange: Exchange): number {
  const text = JSON.stringify(exchange.response?.json)
  const validators = plainValidators().get(`${exchange.endpoint} 200`) ?? []
  const count = rowsOf(exchange).length
  const times = [1, 2, 3].map(() => {
    const began = performance.now()
    const json: unknown = JSON.parse(text)
    for (const validate of validators) validate(json)
    return performance.now() - began
  })
  return (Math.min(...times) / count) * 1000
}
