import { dirname, join } from 'node:path'
import { root } from '../engine/catalogue/root.ts'
import { configurationDigest } from '../engine/run/configuration-digest.ts'
import { readTargetFile } from '../engine/target/load.ts'
import type { TargetDocument } from '../engine/target/target.ts'

export const DEFAULT_TARGET = join(root, 'config', 'embedded.yaml')

/** A target with everything inline, and what must be closed after its use. */
export interface OpenedTarget {
  document: TargetDocument
  /** Of what the user configured: the reference bank's ports and keys are other ones every time. */
  configurationDigest: string
  /** Directory that commands of hooks are relative to. */
  base: string
  /** Where clients and leftovers at this bank are remembered; not for a bank that goes. */
  memory?: string
  close(): Promise<void>
}

/**
 * Reads a target file. Where it asks for the reference bank, the bank is started here and hands over
 * a target like any other; from there on nothing knows whose bank it is.
 */
export async function openTarget(path: string): Promise<OpenedTarget> {
  const file = await readTargetFile(path)
  if (file.kind === 'bank') {
    const { document, base } = file.target
    return {
      document,
      configurationDigest: configurationDigest(document),
      base,
      memory: join(base, '.assay'),
      close: async () => {},
    }
  }
  const { startBank } = await import('../bank/bank.ts')
  const { name, ...options } = file.options
  const bank = await startBank(options)
  const document = { ...(structuredClone(bank.target) as TargetDocument), name }
  return {
    document,
    configurationDigest: configurationDigest(file.options),
    base: dirname(path),
    close: () => bank.close(),
  }
}
