import { accepted, type Finding, type Scene } from './cause-kinds.ts'
import type { Evidence } from './evidence-index.ts'

export function sceneOf(findings: Finding[], evidence: Evidence): Scene {
  const given = new Set<string>()
  const twice = new Set<string>()
  let issuer: Scene['issuer']
  for (const trace of evidence.values()) {
    if (trace.given !== undefined && given.has(trace.given)) twice.add(trace.given)
    if (trace.given !== undefined) given.add(trace.given)
    const { issuer: named, url } = trace.configuration ?? {}
    if (named === undefined || url === undefined) continue
    const at = url.replace(/\/\.well-known\/.*$/, '')
    if (named.replace(/\/$/, '') !== at) issuer = { named, at }
  }
  const open = findings.flatMap(({ trace }) =>
    trace?.identity === 'none' && accepted(trace) ? [trace.where] : [],
  )
  return { twice, ...(issuer && { issuer }), open: new Set(open) }
}
