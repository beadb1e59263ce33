import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import type { BankHost } from '../engine/certification/bank-host.ts'
import { recordCertification } from '../engine/certification/record-certification.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { readTppFile, type Tpp } from '../engine/certification/tpp-file.ts'
import { targetFrom } from '../engine/configuration/resolve.ts'
import { configurationDigest } from '../engine/run/configuration-digest.ts'
import { inScope } from '../engine/run/scope.ts'
import { defaultFolder, TPP_SUITES } from './folders.ts'
import { forgetEarlier, type JudgingOptions, prepared } from './preparation.ts'
import { createProgress, screen } from './progress.ts'
import { report } from './run-target.ts'
import { assertSelects } from './selection.ts'
import { openParties } from './tpp-client.ts'
import { version } from './version.ts'

/** `assay tpp`: judges a TPP's client; the exit code is that of the verdict. */
export async function tpp(options: JudgingOptions & { tpp: string }): Promise<void> {
  const catalogue = loadCatalogue(undefined, 'TPP')
  const { only, deviations } = await prepared(options, catalogue)
  assertSelects(only, catalogue)
  const selected = (id: string) => inScope(id, catalogue, { profile: 'full', only })
  const suites = await loadTppSuites(TPP_SUITES, catalogue)
  const judged = [...suites.scenarios, ...suites.rules].filter(({ id }) => selected(id))
  if (options.list) {
    for (const { id, title } of judged) {
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
  const { signal } = interruption
  const stop = () => interruption.abort()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const { close, ...parties } = await openParties(read, signal)
  try {
    progress.doing(`Certifying ${document.name}`)
    let requests = 0
    progress.follows(() => ({ total: judged.length, requests }))
    await recordCertification(
      {
        ...parties,
        suites,
        catalogue,
        selected,
        goals,
        parallel: parallelOf(read),
        patience: settleOf(read),
        signal,
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
        secrets: await secretsOf(parties.host),
        deviations,
        onResult: (chapter, result) => progress.judged(chapter, result),
      },
    )
    progress.end()
    await report(out, 'TPP', options)
    if (process.exitCode) console.log(`again   assay tpp --tpp ${options.tpp} --failed ${out}`)
  } finally {
    progress.end()
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    await close()
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
