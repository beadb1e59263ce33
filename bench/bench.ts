import { Agent, request } from 'undici'
import { startBank } from '../bank/bank.ts'
import { openSession } from '../engine/run/open.ts'
import { createRun } from '../engine/run/run.ts'
import type { Target } from '../engine/target/resolve.ts'
import { targetFrom } from '../engine/target/resolve.ts'
import type { TargetDocument } from '../engine/target/target.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import { openWorkshop, type Workshop } from '../proof/judge-bank.ts'

/**
 * `npm run bench`: the whole run against a bare undici client that sends the same requests again,
 * over the same kind of connections, without judging. Ratios within one run on one machine; absolute
 * times only to show their size.
 */

const ROUNDS = 5

interface Round {
  run: number
  replay: number
  requests: number
  checks: number
  waiting: number
}

const workshop = await openWorkshop()
await round(workshop)
const rounds: Round[] = []
for (let n = 0; n < ROUNDS; n += 1) rounds.push(await round(workshop))
await workshop.directory.close()

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
const run = median(rounds.map((each) => each.run))
const replay = median(rounds.map((each) => each.replay))
const ratio = median(rounds.map((each) => each.run / each.replay))
const beyond = median(rounds.map((each) => (each.run - each.waiting) / each.checks))
const { requests = 0, checks = 0 } = rounds.at(-1) ?? {}
console.log(`${checks} checks and rules, ${requests} requests, ${ROUNDS} rounds after a warm-up`)
console.log(`whole run             ${run.toFixed(0)} ms (median)`)
console.log(`same requests, bare   ${replay.toFixed(0)} ms (median)`)
console.log(`ratio                 ${ratio.toFixed(2)} (median of pairs; aim: at most 2)`)
console.log(`beyond its requests   ${beyond.toFixed(2)} ms a check (median; aim: below 1)`)

/** One run of the suite at a fresh bank, then its requests once more at another. */
async function round({ catalogue, suites, directory }: Workshop): Promise<Round> {
  const bank = await startBank({ directory })
  const target = targetFrom(structuredClone(bank.target) as TargetDocument)
  const sent: Exchange[] = []
  let waiting = 0
  const session = openSession({
    target,
    catalogue,
    suites,
    onExchange: (exchange) => {
      waiting += exchange.durationMs
      sent.push(exchange)
    },
  })
  const scope = { profile: 'full' as const, only: [] }
  const suite = createRun({ session, catalogue, checks: suites.checks, scope })
  const began = performance.now()
  for (const check of suite.checks) await suite.judge(check)
  const { results } = await suite.finish()
  const took = performance.now() - began
  await session.close()
  const replayed = await replayAll(sent, target)
  await bank.close()
  return { run: took, replay: replayed, requests: sent.length, checks: results.size, waiting }
}

/** Sends every request again in order, one connection pool per client certificate. */
async function replayAll(sent: Exchange[], target: Target): Promise<number> {
  const agents = new Map<string, Agent>()
  const agentOf = (identity: string) => {
    const known = agents.get(identity)
    if (known) return known
    const { certificate, key } = target.transports[identity] ?? {}
    const made = new Agent({ connect: { ca: target.trust, cert: certificate, key } })
    agents.set(identity, made)
    return made
  }
  const began = performance.now()
  for (const { request: message, connection } of sent) {
    try {
      const answer = await request(message.url, {
        method: message.method as 'GET',
        headers: message.headers.flat(),
        body: message.body ?? null,
        dispatcher: agentOf(connection.identity),
      })
      await answer.body.text()
    } catch {
      // A refused connection is part of the load.
    }
  }
  const took = performance.now() - began
  await Promise.all([...agents.values()].map((agent) => agent.destroy()))
  return took
}
