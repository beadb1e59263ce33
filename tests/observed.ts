import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context, Next } from 'koa'
import type { Result } from '../engine/judge/results.ts'
import type { Judgement } from '../engine/run/run-check.ts'
import { namedBy } from '../engine/suite-api/check.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import { endpointOf } from '../proof/altering/data-requests.ts'
import { PAIRS, SITUATIONS } from '../proof/cells/situations.ts'
import { judgeBank, openProofContext } from '../proof/run/judge-bank.ts'
import { type Recorded, recordedOf } from '../proof/run/mutants.ts'
import { openDirectory } from './directory.ts'
import { madeOnce } from './once.ts'

/** What a whole run of the correct bank shows that no report says. */
export interface Observed {
  /** Answers in JSON, without those that are long. */
  answers: Recorded[]
  /** Data endpoints in situations and in two of them at once, as `endpoint, slug`. */
  met: string[]
  /** Of each check, with the approvals that it says it uses. */
  judgements: (Judgement & { named: string[] })[]
  /** Of each exchange: what deviated in the request, and the status of the answer. */
  exchanges: { id: string; deviation?: string; status?: number }[]
  /** Visits at the authorisation page. */
  visits: number
  requests: number
  /** Rows of each answer to a request for all transactions. */
  rows: number[]
  results: Result[]
  exitCode: number
}

/** A run of the correct bank in the process of whoever asks first, made once for all files. */
export async function observed(): Promise<Observed> {
  const made = await madeOnce('observed', async (folder) => {
    writeFileSync(join(folder, 'observed.json'), JSON.stringify(await observe()))
  })
  return JSON.parse(readFileSync(join(made, 'observed.json'), 'utf8')) as Observed
}

async function observe(): Promise<Observed> {
  const context = await openProofContext(openDirectory())
  const answers: Recorded[] = []
  const met = new Set<string>()
  const judgements: Observed['judgements'] = []
  const named = new Map(
    context.suites.checks.map(({ id, options }) => [id, namedBy(options).map(({ name }) => name)]),
  )
  const exchanges: Observed['exchanges'] = []
  const rows: number[] = []
  let visits = 0
  const noted = {
    id: 'noted',
    story: 'Nothing is altered; what is asked is noted.',
    async middleware(ctx: Context, next: Next) {
      if (ctx.path === '/authorize') visits += 1
      const endpoint = endpointOf(ctx)
      const all = [...Object.values(SITUATIONS), ...PAIRS]
      const held = all.filter(({ holds }) => endpoint && holds(ctx))
      await next()
      if (ctx.status !== 200) return
      for (const { slug } of held) met.add(`${endpoint}, ${slug}`)
    },
  }
  try {
    const { results, exitCode, requests } = await judgeBank(context, [noted], {
      onExchange(exchange) {
        answers.push(...recordedOf(exchange))
        rows.push(...rowsOf(exchange))
        const { id, about, response } = exchange
        exchanges.push({ id, deviation: about.deviation, status: response?.status })
      },
      onJudged: (judgement) =>
        void judgements.push({ ...judgement, named: named.get(judgement.result.id) ?? [] }),
    })
    return {
      answers,
      met: [...met],
      judgements,
      exchanges,
      visits,
      requests,
      rows,
      results: [...results.values()],
      exitCode,
    }
  } finally {
    await context.directory.close()
  }
}

/** How many transactions came, where all were asked for. */
export function rowsOf({ endpoint, request, response }: Exchange): number[] {
  if (!endpoint.endsWith('transactions') || request.url.includes('?')) return []
  const { Data } = (response?.json ?? {}) as { Data?: { Transaction?: unknown[] } }
  return [Data?.Transaction?.length ?? 0]
}
