import { existsSync } from 'node:fs'
import { readReport } from '../engine/report/read-run.ts'
import { DEFAULT_TARGET } from './folders.ts'
import { type OpenedTarget, openTarget } from './open-target.ts'
import { UsageError } from './usage.ts'

/**
 * Opens the target that a command means: the one that --target names, else the one of the earlier run
 * that it goes back to, else the reference bank.
 *
 * @param folder the earlier run
 * @throws UsageError when the earlier run's target file is gone, or is not what it was: another bank
 *   would answer in its place
 */
export async function openTargetOf(
  named: string | undefined,
  folder: string | undefined,
): Promise<OpenedTarget> {
  if (folder === undefined) return openTarget(named ?? DEFAULT_TARGET)
  const { target } = await readReport(folder)
  if (named !== undefined) {
    const opened = await openTarget(named)
    if (opened.configurationDigest !== target.configurationDigest) {
      console.error(`Note: ${named} is not configured as the target of the run in ${folder} was.`)
    }
    return opened
  }
  const judged = `${folder} judged the target ${target.name}`
  const mend = 'Give --target FILE to ask a bank all the same.'
  if (target.file === undefined) {
    throw new UsageError(`${judged}, and does not say where its file is. ${mend}`)
  }
  if (!existsSync(target.file)) {
    throw new UsageError(`${judged}, whose file ${target.file} is not there. ${mend}`)
  }
  const opened = await openTarget(target.file)
  if (opened.configurationDigest === target.configurationDigest) return opened
  await opened.close()
  throw new UsageError(`${judged}, whose file ${target.file} has changed since. ${mend}`)
}
