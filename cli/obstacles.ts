import { targetFrom } from '../engine/configuration/resolve.ts'
import { withPlaces } from '../engine/doctor/places-in-file.ts'
import type { PreflightLine } from '../engine/report/report.ts'
import type { OpenedTarget } from './open-target.ts'

/**
 * What keeps every check from being judged, in the doctor's words, with the lines of the target file
 * that a fix is about. Nothing stands in the way of the reference bank.
 */
export async function obstaclesTo(opened: OpenedTarget): Promise<PreflightLine[]> {
  const { ours, document, base, file, memory } = opened
  if (ours) return []
  const { preflight } = await import('../engine/doctor/preflight.ts')
  const found = await preflight(targetFrom(document, base), memory)
  return found.map((line) => withPlaces(line, file))
}
