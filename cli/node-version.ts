import { complain, shown } from '../engine/report/terminal.ts'

/** True for a Node older than `engines` of package.json allows: there, some module would fail with an error of its own. */
export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 20 || (major === 20 && minor < 19) || (major === 22 && minor < 12)
}

if (isTooOld(process.versions.node)) {
  complain(
    shown`Assay needs Node 20.19 or newer 20, 22.12 or newer 22, or 24 and later. This is Node ${process.versions.node}.`,
  )
  process.exit(2)
}
