import { join } from 'node:path'

/** Where the runs of a target go: reports/<target>/, below the working directory. */
export function reportsFolder(name: string): string {
  return join(process.cwd(), 'reports', name.replace(/[^\w.-]+/g, '-'))
}
