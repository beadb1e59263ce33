import { targetFrom } from '../engine/configuration/resolve.ts'
import { withPlaces } from '../engine/doctor/places-in-file.ts'
import { WHOSE } from '../engine/report/counts.ts'
import type { PreflightLine } from '../engine/report/report.ts'
import { say, shown } from '../engine/report/terminal.ts'
import type { OpenedTarget } from './open-target.ts'

/**
 * What prevents every check from being judged, in the words of the doctor, with the lines of the target file to fix.
 * The reference bank has no obstacles.
 */
export async function obstaclesTo(opened: OpenedTarget): Promise<PreflightLine[]> {
  const { ours, document, base, file, memory } = opened
  if (ours) return []
  const { preflight } = await import('../engine/doctor/preflight.ts')
  const found = await preflight(targetFrom(document, base), memory)
  return found.map((line) => withPlaces(line, file))
}

/** If something prevents all requests, prints it and sets the exit code to 3. */
export async function isObstructed(opened: OpenedTarget): Promise<boolean> {
  const obstacles = await obstaclesTo(opened)
  for (const { level, text, whose, mend } of obstacles) {
    say(shown`${level}  ${text}`)
    if (whose !== undefined) say(shown`  at fault  ${WHOSE[whose]}\n  to fix    ${mend}`)
  }
  if (obstacles.length > 0) process.exitCode = 3
  return obstacles.length > 0
}
