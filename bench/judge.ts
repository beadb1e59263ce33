import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { targetFrom } from '../engine/configuration/resolve.ts'
import type { TargetDocument } from '../engine/configuration/target.ts'
import { checkResult } from '../engine/run/compose.ts'
import { openSession } from '../engine/run/open.ts'
import { createRun } from '../engine/run/run.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import { openExchangeLog } from '../engine/wire/exchange-log.ts'
import { createRedactor } from '../engine/wire/redaction.ts'
import type { ProofContext } from '../proof/run/judge-bank.ts'

/** One run of the whole suite, in this process. */
export interface Measured {
  /** Milliseconds in total, of waiting for answers, and of redacting, which mostly happens while waiting. */
  took: number
  waiting: number
  redacting: number
  requests: number
  /** Checks and rules. */
  checks: number
  /** Ids of musts that did not pass. */
  broken: string[]
}

/** Judges a bank by the whole suite and writes its evidence. `sent` is called with every exchange. */
export async function judgeOnce(
  { catalogue, suites }: Omit<ProofContext, 'directory'>,
  document: TargetDocument,
  sent: (exchange: Exchange) => void,
): Promise<Measured> {
  let waiting = 0
  let redacting = 0
  let requests = 0
  const target = targetFrom(structuredClone(document))
  const out = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const redactor = createRedactor(target.secrets)
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), {
    ...redactor,
    redactExchange(exchange) {
      const clock = performance.now()
      const record = redactor.redactExchange(exchange)
      redacting += performance.now() - clock
      return record
    },
  })
  const session = openSession({
    target,
    suites,
    onExchange: (exchange) => {
      waiting += exchange.durationMs
      requests += 1
      log.append(exchange)
      sent(exchange)
    },
  })
  const scope = { profile: 'full' as const, only: [] }
  const run = createRun({ session, catalogue, checks: suites.checks, scope })
  const began = performance.now()
  for (const check of run.checks) {
    const { result } = await run.judge(check)
    checkResult(result, log.redact)
  }
  const { results } = await run.finish()
  const took = performance.now() - began
  await session.close()
  log.close()
  rmSync(out, { recursive: true })
  const broken = [...results.values()]
    .filter(({ level, outcome }) => level === 'must' && ['fail', 'blocked'].includes(outcome))
    .map(({ id }) => id)
  return { took, waiting, redacting, requests, checks: results.size, broken }
}
