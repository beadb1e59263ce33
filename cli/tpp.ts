import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import type { BankHost } from '../engine/certification/bank-host.ts'
import { openCustomers } from '../engine/certification/customer.ts'
import { recordCertification } from '../engine/certification/record-certification.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { readTppFile, type Tpp } from '../engine/certification/tpp-file.ts'
import { targetFrom } from '../engine/configuration/resolve.ts'
import { readKey } from '../engine/report/evidence/sign-run.ts'
import { readReport } from '../engine/report/read-run.ts'
import { configurationDigest } from '../engine/run/configuration-digest.ts'
import { loadDeviations } from '../engine/run/deviations.ts'
import { inScope } from '../engine/run/scope.ts'
import { createProgress, screen } from './progress.ts'
import { assertFree, defaultFolder, failedOf, forgetEarlier, report } from './run-target.ts'
import { assertSelects } from './selection.ts'
import { openClient, openHost } from './tpp-client.ts'
import { textOf, UsageError } from './usage.ts'
import { version } from './version.ts'

export interface TppOptions {
  tpp: string
  out?: string
  only?: string[]
  failed?: string
  list?: boolean
  deviations?: string
  baseline?: string
  failOn?: string
  history?: string
  sign?: string
  force?: boolean
  open?: boolean
}

export const TPP_SUITES = join(import.meta.dirname, '..', 'suites', 'tpp')

/** `assay tpp`: judges a TPP's client; the exit code is that of the verdict. */
export async function tpp(options: TppOptions): Promise<void> {
  const catalogue = loadCatalogue(undefined, 'TPP')
  if (options.failOn !== undefined && (options.failOn !== 'new' || !options.baseline)) {
    throw new UsageError('--fail-on takes new, and needs --baseline')
  }
  const deviations = deviationsOf(options.deviations)
  if (options.baseline) await readReport(options.baseline)
  if (options.sign) readKey(textOf('--sign', options.sign), process.env.ASSAY_SIGNING_PASSPHRASE)
  if (options.out) assertFree(options.out, options.force)
  const only = [...(options.only ?? []), ...(await failedOf(options.failed))]
  assertSelects(only, catalogue)
  const selected = (id: string) => inScope(id, catalogue, { profile: 'full', only })
  const suites = await loadTppSuites(TPP_SUITES, catalogue)
  if (options.list) {
    for (const { id, title } of [...suites.scenarios, ...suites.rules].filter(({ id }) =>
      selected(id),
    )) {
      const { level = '', chapter = '' } = catalogue.owners.get(id) ?? {}
      const kind = suites.rules.some((rule) => rule.id === id) ? 'rule' : 'scenario'
      console.log([id, level, kind, chapter, title].join('  '))
    }
    return
  }
  const read = readTppFile(options.tpp)
  const { document, goals } = read
  const out = resolve(options.out ?? defaultFolder(document.name))
  mkdirSync(out, { recursive: true })
  forgetEarlier(out)
  const progress = createProgress(screen())
  const interruption = new AbortController()
  const stop = () => interruption.abort()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const host = await openHost(read)
  const customers = await openCustomers()
  const client = await openClient(read, interruption.signal)
  try {
    progress.doing(`Certifying ${document.name}`)
    const total = [...suites.scenarios, ...suites.rules].filter(({ id }) => selected(id)).length
    let requests = 0
    progress.follows(() => ({ total, requests }))
    await recordCertification(
      {
        suites,
        catalogue,
        host,
        client,
        customers,
        selected,
        goals,
        parallel: parallelOf(read),
        patience: settleOf(read),
        signal: interruption.signal,
        onExchange: () => {
          requests += 1
        },
      },
      {
        name: document.name,
        configurationDigest: configurationDigest(document),
        version,
        out,
        only,
        secrets: await secretsOf(host),
        deviations,
        onResult: (chapter, result) => progress.judged(chapter, result),
      },
    )
    progress.end()
    await report(out, { ours: true, side: 'TPP' }, options)
    if (process.exitCode) console.log(`again   assay tpp --tpp ${options.tpp} --failed ${out}`)
  } finally {
    progress.end()
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    await client.close()
    await customers.close()
    await host.close()
  }

  function deviationsOf(file: string | undefined) {
    if (file === undefined) return undefined
    try {
      return loadDeviations(file, catalogue)
    } catch (error) {
      throw new UsageError((error as Error).message)
    }
  }
}

export function parallelOf({ document: { client, parallel } }: Tpp): number {
  // One more than there are processors: some scenarios wait, and the others need not.
  return parallel ?? (client.driver === 'command' ? availableParallelism() + 1 : 1)
}

/** Milliseconds in which a client that says it refused is still watched. */
function settleOf({ document: { client } }: Tpp): number {
  return client.driver === 'command' ? 0 : (client.settle ?? 1) * 1000
}

/** Credentials of the directory: they are in no exchange, and must not come into one. */
async function secretsOf(host: BankHost): Promise<string[]> {
  const bank = await host.open({ onSighting() {} })
  try {
    return targetFrom(bank.document).secrets
  } finally {
    await bank.close()
  }
}
