import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue } from '../engine/catalogue/catalogue.ts'
import { readClients } from '../engine/client-session/client-store.ts'
import { readKey } from '../engine/report/evidence/sign-run.ts'
import { readHistory } from '../engine/report/history.ts'
import { readReport } from '../engine/report/read-run.ts'
import type { CheckResult } from '../engine/report/report.ts'
import { type Deviation, loadDeviations } from '../engine/run/deviations.ts'
import { webhookOf } from './notify.ts'
import { FAIL_ON, oneOf } from './option-values.ts'
import { textOf, UsageError } from './usage.ts'

/** The options that judging a bank and judging a client have in common. */
export interface JudgingOptions {
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
  /** See webhookOf. */
  notify?: string[]
}

/**
 * Reads everything that options name before anything is sent, so that nothing turns out to be missing at the end.
 *
 * @returns the selection of --only and --failed, the draw of the earlier run, and the known deviations.
 * @throws UsageError for invalid options.
 */
export async function prepared(
  options: JudgingOptions,
  catalogue: Catalogue,
): Promise<{ only: string[]; deviations?: Deviation[]; seed?: number }> {
  const { only = [], failed, deviations, baseline, failOn, sign, out, force, notify } = options
  notify?.forEach(webhookOf)
  if (failOn !== undefined) oneOf('--fail-on', FAIL_ON, failOn)
  if (failOn === 'new' && !baseline) throw new UsageError('--fail-on new needs --baseline')
  const known = deviations === undefined ? undefined : deviationsOf(deviations, catalogue)
  if (baseline) await readReport(baseline)
  if (options.history) await readHistory(options.history)
  if (sign) readKey(textOf('--sign', sign), process.env.ASSAY_SIGNING_PASSPHRASE)
  if (out && !force && existsSync(join(out, 'statement.jws'))) {
    throw new UsageError(`${out} holds a signed run. Name another folder, or give --force.`)
  }
  const before = await failedOf(failed)
  return { ...before, only: [...only, ...before.only], deviations: known }
}

function deviationsOf(file: string, catalogue: Catalogue): Deviation[] {
  try {
    return loadDeviations(file, catalogue)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Must it be judged again? */
export const isOpen = ({ outcome }: Pick<CheckResult, 'outcome'>): boolean =>
  ['fail', 'warn', 'blocked', 'not-run', 'error'].includes(outcome)

/** The ids that were not in order in an earlier run, and the run's draw of cells. */
async function failedOf(folder: string | undefined): Promise<{ only: string[]; seed?: number }> {
  if (folder === undefined) return { only: [] }
  const { checks, scope } = await readReport(folder)
  const open = checks.filter(isOpen)
  // A kept case is judged only when --cases names it.
  const ids = open.filter((check) => check.case === undefined).map(({ id }) => id)
  if (ids.length === 0) {
    const [kept] = open.flatMap((check) => check.case ?? [])
    const what =
      kept === undefined ? 'nothing failed' : `nothing failed but kept cases (--cases ${kept})`
    throw new UsageError(`${folder}: ${what} in this run`)
  }
  return { only: ids, ...(scope.seed !== undefined && { seed: scope.seed }) }
}

/** Deletes files of an earlier run in the folder that this run may not write again, because they describe that run. */
export function forgetEarlier(folder: string): void {
  for (const file of ['statement.jws', 'diff.md', 'diff.json']) {
    rmSync(join(folder, file), { force: true })
  }
}

/**
 * Checks the stored state of earlier runs at a bank before the first request.
 *
 * @throws InputError, UsageError when it is not what a run writes
 */
export function requireMemory(memory: string, name: string): void {
  readClients(join(memory, `${name}.clients.json`))
  for (const file of [`${name}.leftovers.jsonl`, `${name}.visits`]) {
    const stats = statSync(join(memory, file), { throwIfNoEntry: false })
    if (stats && !stats.isFile()) {
      throw new UsageError(`${join(memory, file)} is not a plain file. Remove it.`)
    }
  }
}
