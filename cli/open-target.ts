import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readTargetFile, type TargetFile } from '../engine/configuration/load.ts'
import type { TargetDocument } from '../engine/configuration/target.ts'
import { readReport } from '../engine/report/read-run.ts'
import { complain, shown } from '../engine/report/terminal.ts'
import { configurationDigest } from '../engine/run/configuration-digest.ts'
import { DEFAULT_TARGET } from './folders.ts'
import { UsageError } from './usage.ts'

/** A target with everything inline, from its file. */
export interface ReadTarget {
  read: TargetFile
  document: TargetDocument
  /** The absolute path of the target file. */
  file: string
  /** Covers only what the user configured, because the reference bank has new ports and keys every time. */
  configurationDigest: string
  /** Directory for relative paths in commands of hooks. */
  base: string
  /** Is it the reference bank, which ends when it is closed? */
  ours: boolean
  /** Folder where clients and leftovers at this bank are stored; absent for the reference bank. */
  memory?: string
}

/** A target that answers and must be closed after use. */
export interface OpenedTarget extends ReadTarget {
  close(): Promise<void>
}

/**
 * Reads a target file. If it asks for the reference bank, starts the bank here and returns its target like any other;
 * from then on no code depends on which bank it is.
 */
export async function openTarget(path: string): Promise<OpenedTarget> {
  const known = await readTarget(path)
  const { read } = known
  if (read.kind === 'bank') return { ...known, close: async () => {} }
  // Its keys are generated in parallel while the rest of the bank loads.
  const making = import('../bank/directory/directory.ts').then(({ createDirectory }) =>
    createDirectory(),
  )
  const [directory, { startBank }] = await Promise.all([making, import('../bank/bank.ts')])
  const { name, ...options } = read.options
  const bank = await startBank({ ...options, directory }).catch(async (problem) => {
    await directory.close()
    throw problem
  })
  return {
    ...known,
    document: { ...(structuredClone(bank.target) as TargetDocument), name },
    async close() {
      await bank.close()
      await directory.close()
    },
  }
}

/** Reads a target file and starts nothing: the ports and keys of the reference bank are not known. */
export async function readTarget(path: string): Promise<ReadTarget> {
  const read = await readTargetFile(path)
  const ours = read.kind === 'embedded'
  const known = { read, file: resolve(path), ours }
  if (ours) {
    const { plannedTarget } = await import('../bank/target.ts')
    const { options } = read
    const digest = configurationDigest(options)
    const document = plannedTarget(options.name)
    return { ...known, document, configurationDigest: digest, base: dirname(path) }
  }
  const { document, base } = read.target
  const digest = configurationDigest(document)
  return { ...known, document, configurationDigest: digest, base, memory: join(base, '.assay') }
}

/**
 * Opens the target of a command: the one that --target names, else the one of the earlier run that the command refers
 * to, else the reference bank.
 *
 * @param folder the earlier run
 * @throws UsageError if the target file of the earlier run is missing or has changed, and --target names no file: the
 *   requests could then reach another bank than the one that was judged
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
      complain(shown`Note: ${named} is not configured as the target of the run in ${folder} was.`)
    }
    return opened
  }
  const judged = `${folder} judged the target ${target.name}`
  const mend = 'Give --target FILE to use a bank anyway.'
  if (target.file === undefined) {
    throw new UsageError(`${judged}, and its report does not name the target file. ${mend}`)
  }
  if (!existsSync(target.file)) {
    throw new UsageError(`${judged}, and its target file ${target.file} does not exist. ${mend}`)
  }
  const opened = await openTarget(target.file)
  if (opened.configurationDigest === target.configurationDigest) return opened
  await opened.close()
  const what = `its target file ${target.file}, or a file or environment variable that this names`
  throw new UsageError(`${judged}. Since then something has changed: ${what}. ${mend}`)
}
