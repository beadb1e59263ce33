import { createProgress, screen } from './progress.ts'
import type { RunOptions } from './run-target.ts'

/** `assay run`: first prints that it is at work, then loads the modules that do the work. */
export async function run(options: RunOptions): Promise<void> {
  const progress = createProgress(screen())
  if (!options.list) progress.doing('Opening the target', true)
  try {
    const { runTarget } = await import('./run-target.ts')
    await runTarget(options, progress)
  } finally {
    progress.end()
  }
}
