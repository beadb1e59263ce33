/**
 * `npm run bench`: the cost of Assay, as ratios to a program that only sends and validates: the same requests over the
 * same kind of connections, with the same number of signatures. Ratios are of one run on one machine; absolute times
 * only show the order of magnitude. `--rows` adds the table of large histories, which takes minutes.
 * docs/performance.md explains how each is measured.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { targetFrom } from '../engine/configuration/resolve.ts'
import type { TargetDocument } from '../engine/configuration/target.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import { openProofContext, type ProofContext } from '../proof/run/judge-bank.ts'
import { judgeOnce } from './judge.ts'
import { judgeRecorded } from './recording.ts'
import { replay } from './replay.ts'
import { median, starts } from './starts.ts'

const ROUNDS = 5

const ms = (value: number) => `${value.toFixed(0)} ms`
const row = (name: string, value: string, aim = '') =>
  console.log(`${name.padEnd(44)} ${value.padStart(12)}  ${aim}`)

const begun = await starts()
row('node -e 0', ms(begun.node))
row('assay --version', ms(begun.version), `${(begun.version / begun.node).toFixed(1)} × node`)
row('assay plan', ms(begun.plan), `${(begun.plan / begun.node).toFixed(1)} × node`)
row('assay run --list', ms(begun.list), `${(begun.list / begun.node).toFixed(1)} × node`)
row('reference bank is up', ms(begun.bank))
row(
  'first request of assay run',
  ms(begun.first),
  `${ms(begun.first - begun.bank)} more than the bank`,
)
console.log()

const context = await openProofContext()
await context.directory.close()
const bank = fork(join(import.meta.dirname, 'bank-process.js'))
const ask = async <Answer>(word: string): Promise<Answer> => {
  bank.send(word)
  const [answer] = await once(bank, 'message')
  return answer
}
await round(context)
type Round = Awaited<ReturnType<typeof round>>
const rounds: Round[] = []
for (let n = 0; n < ROUNDS; n += 1) rounds.push(await round(context))
bank.disconnect()
bank.kill()
const of = (pick: (each: Round) => number) => median(rounds.map(pick))
const ratio = (pick: (each: Round) => number) => of(pick).toFixed(2)
const { requests = 0, checks = 0 } = rounds.at(-1) ?? {}
console.log(`${checks} checks and rules, ${requests} requests, median of ${ROUNDS} rounds`)
/** Milliseconds that a peer would take at a bank that does as much work for it as for the run. */
const even = (peer: 'bare' | 'ajv', { run, [peer]: { result, bank: less } }: Round) =>
  result.took + run.bank - less
row('whole run, its evidence written', ms(of(({ took }) => took)))
row('  redacting, most of it while the bank works', ms(of(({ redacting }) => redacting)))
row('the same requests, undici alone', ms(of((each) => even('bare', each))))
row('the same requests, undici and ajv', ms(of((each) => even('ajv', each))))
row(
  'run against undici alone',
  ratio((each) => each.took / even('bare', each)),
  'ratio; aim: at most 1.6',
)
row(
  'run against undici and ajv',
  ratio((each) => each.took / even('ajv', each)),
  'ratio',
)
const beyond = of(({ took, waiting }) => (took - waiting) / checks)
const signing = of(({ bare }) => bare.result.signing / checks)
row('a check, beyond its requests', `${beyond.toFixed(2)} ms`)
row(
  'a check, beyond its requests and signatures',
  `${(beyond - signing).toFixed(2)} ms`,
  'aim: at most 0.8 ms',
)
console.log('\nprocessor, which does not depend on what else the machine does')
row('a run, here', ms(of(({ run }) => run.here)))
row('a run, at the bank', ms(of(({ run }) => run.bank)))
row('undici alone, here', ms(of(({ bare }) => bare.here)))
row('undici alone, at the bank that refuses most', ms(of(({ bare }) => bare.bank)))
row('undici and ajv, here', ms(of(({ ajv }) => ajv.here)))
const worked = (peer: 'bare' | 'ajv') =>
  ratio(({ run, [peer]: { here } }) => (run.here + run.bank) / (here + run.bank))
row('run against undici alone, the bank the same', worked('bare'), 'ratio')
row('run against undici and ajv, the bank the same', worked('ajv'), 'ratio')

console.log('\nthe exchanges of a run, recorded as a HAR file, by assay judge, median')
const beside = of(({ recorded: { reading, judging } }) => judging - reading)
row(
  'an exchange, reading the file and its bodies',
  `${of(({ recorded }) => recorded.reading).toFixed(2)} ms`,
)
row('an exchange, judging it', `${beside.toFixed(2)} ms`, 'aim: at most 0.3 ms')
row(
  'judged against read',
  ratio(({ recorded }) => recorded.judging / recorded.reading),
  'ratio',
)

console.log('\na request through assay proxy, median, beside the same one straight to the bank')
await throughProxy()

if (process.argv.includes('--rows')) {
  console.log(
    '\ntransactions   requests  whole reads    time      memory   a row  JSON.parse + ajv  ratio',
  )
  for (const count of [1000, 10_000, 100_000]) await rows(count)
}

/**
 * One run of the suite at a new bank, then its requests twice more at the same bank. By then tokens and codes are used
 * up, and the bank quickly refuses what it answered before. How much less the bank works is measured separately.
 */
async function round(suite: ProofContext) {
  const document = await ask<TargetDocument>('open')
  const target = targetFrom(structuredClone(document))
  const sent: Exchange[] = []
  /** CPU time in milliseconds that `work` takes here and at the bank. */
  const cost = async <Result>(work: () => Promise<Result>) => {
    const before = await ask<number>('worked')
    const began = process.cpuUsage()
    const result = await work()
    const { user, system } = process.cpuUsage(began)
    return { result, here: (user + system) / 1000, bank: (await ask<number>('worked')) - before }
  }
  const run = await cost(() => judgeOnce(suite, document, (exchange) => void sent.push(exchange)))
  const bare = await cost(() => replay(sent, target, { ajv: false }))
  const ajv = await cost(() => replay(sent, target, { ajv: true }))
  const recorded = await judgeRecorded(suite, document, sent)
  return { ...run.result, run, bare, ajv, recorded }
}

/** The latency that the proxy adds: bank, proxy and client are separate processes. */
async function throughProxy(): Promise<void> {
  const { kept, fresh } = await atBank([], 'proxy.js')
  const told = ({ direct, proxied, added }: Record<string, number>, aim = '') =>
    [
      `${proxied?.toFixed(1)} ms`,
      `${direct?.toFixed(1)} ms straight, ${added?.toFixed(1)} ms added${aim}`,
    ] as const
  row('  on a connection that is kept', ...told(kept, '; aim: at most 5 ms'))
  row('  on a new connection each', ...told(fresh))
}

/** What one of our programs prints for a reference bank with these options; each runs in its own process. */
async function atBank(options: string[], program: string) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const info = join(folder, 'bank.yaml')
  const cli = join(import.meta.dirname, '..', 'cli', 'main.js')
  const bank = spawn(process.execPath, [cli, 'bank', ...options, '--info', info], {
    stdio: 'ignore',
  })
  while (!existsSync(info)) await wait(100)
  const asking = spawn(process.execPath, [join(import.meta.dirname, program), info], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of asking.stdout) text += chunk
  bank.kill()
  rmSync(folder, { recursive: true, force: true })
  return JSON.parse(text)
}

/** The whole suite at a bank with a long history; each runs in its own process. */
async function rows(count: number): Promise<void> {
  const judged = await atBank(['--transactions', String(count)], 'rows.js')
  const { requests, whole, took, memory, judging: each, alone, broken } = judged
  console.log(
    [
      String(count).padStart(12),
      String(requests).padStart(10),
      String(whole).padStart(12),
      `${(took / 1000).toFixed(1)} s`.padStart(8),
      `${memory.toFixed(0)} MB`.padStart(11),
      `${each.toFixed(1)} µs`.padStart(8),
      `${alone.toFixed(1)} µs`.padStart(17),
      (each / alone).toFixed(2).padStart(6),
      broken.length > 0 ? `  NOT PASSED: ${broken.join(', ')}` : '',
    ].join(' '),
  )
}
