import { readTargetFile } from '../../engine/configuration/load.ts'

/** The bank that a target file describes. */
export async function loadTarget(path: string, env: Record<string, string | undefined>) {
  const read = await readTargetFile(path, env)
  if (read.kind === 'bank') return read.target
  throw new Error(`${path} asks for the reference bank`)
}
