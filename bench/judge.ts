import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { targetFrom } from '../engine/configuration/resolve.ts'
import type { TargetDocument } from '../engine/configuration/target.ts'
import { openSession } from '../engine/run/open.ts'
import { createRun } from '../engine/run/run.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import { openExchangeLog } from '../engine/wire/exchange-log.ts'
import { createRedactor } from '../engine/wire/redaction.ts'
import type { ProofContext } from '../proof/judge-bank.ts'

/** One run of the whole suite, in this process. */
export interface Measured {
  /** Milliseconds of everything, of waiting for answers, of redacting and writing exchanges. */
  took: number
  waiting: number
  writing: number
  requests: number
  /** Checks and rules. */
  checks: number
  /** Ids of musts that did not pass. */
  broken: string[]
}

/** Judges a bank by the whole suite, and writes its evidence. `sent` sees every exchange. */
export async function judgeOnce(
  { catalogue, suites }: Omit<ProofContext, 'directory'>,
  document: TargetDocument,
  sent: (exchange: Exchange) => void,
): Promise<Measured> {
  let waiting = 0
  let writing = 0
  let requests = 0
  const target = targetFrom(structuredClone(document))
  const out = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), createRedactor(target.secrets))
  const session = openSession({
    target,
    catalogue,
    suites,
    onExchange: (exchange) => {
      waiting += exchange.durationMs
      requests += 1
      const clock = performance.now()
      log.append(exchange)
      writing += performance.now() - clock
      sent(exchange)
    },
  })
  const scope = { profile: 'full' as const, only: [] }
  const run = createRun({ session, catalogue, checks: suites.checks, scope })
  const began = performance.now()
  for (const check of run.checks) await run.judge(check)
  const { results } = await run.finish()
  const took = performance.now() - began
  await session.close()
  log.close()
  rmSync(out, { recursive: true })
  const broken = [...results.values()]
    .filter(({ level, outcome }) => level === 'must' && ['fail', 'blocked'].includes(outcome))
    .map(({ id }) => id)
  return { took, waiting, writing, requests, checks: results.size, broken }
}
