import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue } from '../engine/catalogue/catalogue.ts'
import { readClients } from '../engine/client-session/client-store.ts'
import { readKey } from '../engine/report/evidence/sign-run.ts'
import { readReport } from '../engine/report/read-run.ts'
import type { CheckResult } from '../engine/report/report.ts'
import { type Deviation, loadDeviations } from '../engine/run/deviations.ts'
import { webhookOf } from './notify.ts'
import { FAIL_ON, oneOf } from './option-values.ts'
import { textOf, UsageError } from './usage.ts'

/** What judging a bank and judging a client are both called with. */
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
 * Reads what options name before anything is sent: what is needed at the end must not be missed at
 * the end.
 *
 * @returns the selection, of --only and --failed, the draw of the earlier run, and the known deviations.
 * @throws UsageError for what cannot be meant.
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

/** Is it something to judge again? */
export const isOpen = ({ outcome }: Pick<CheckResult, 'outcome'>): boolean =>
  ['fail', 'warn', 'blocked', 'not-run', 'error'].includes(outcome)

/** Ids of what an earlier run did not find in order, and its draw of cells. */
async function failedOf(folder: string | undefined): Promise<{ only: string[]; seed?: number }> {
  if (folder === undefined) return { only: [] }
  const { checks, scope } = await readReport(folder)
  const open = checks.filter(isOpen)
  // A kept case is judged where --cases names it.
  const ids = open.filter((check) => check.case === undefined).map(({ id }) => id)
  if (ids.length === 0) {
    const [kept] = open.flatMap((check) => check.case ?? [])
    const what =
      kept === undefined ? 'nothing failed' : `nothing failed but kept cases (--cases ${kept})`
    throw new UsageError(`${folder}: ${what} in this run`)
  }
  return { only: ids, ...(scope.seed !== undefined && { seed: scope.seed }) }
}

/** What an earlier run left in the folder and this one may not make again: it would speak of that run. */
export function forgetEarlier(folder: string): void {
  for (const file of ['statement.jws', 'diff.md', 'diff.json']) {
    rmSync(join(folder, file), { force: true })
  }
}

/**
 * Looks at what earlier runs kept of a bank before anything is asked of it.
 *
 * @throws InputError, UsageError where it is not what a run wrote
 */
export function requireMemory(memory: string, name: string): void {
  readClients(join(memory, `${name}.clients.json`))
  for (const file of [`${name}.leftovers.jsonl`, `${name}.visits`]) {
    const stats = statSync(join(memory, file), { throwIfNoEntry: false })
    if (stats && !stats.isFile()) {
      throw new UsageError(`${join(memory, file)} is no plain file. Remove it.`)
    }
  }
}
