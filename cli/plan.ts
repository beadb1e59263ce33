import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Announced } from '../engine/authorisation-drivers/driver.ts'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { openClientStore } from '../engine/client-session/client-store.ts'
import { isProductsAlone } from '../engine/configuration/products-alone.ts'
import {
  expiryPatienceOf,
  isAttended,
  targetFrom,
  withoutAbsent,
} from '../engine/configuration/resolve.ts'
import type { TargetDocument } from '../engine/configuration/target.ts'
import { readReport } from '../engine/report/read-run.ts'
import { say, shown, shownLines } from '../engine/report/terminal.ts'
import { planOf } from '../engine/run/plan.ts'
import type { Scope } from '../engine/run/scope.ts'
import { loadSuites } from '../engine/run/suites.ts'
import { DEFAULT_TARGET, reportsFolder, SUITES } from './folders.ts'
import { type ReadTarget, readTarget } from './open-target.ts'
import { planText, type Surroundings } from './plan-text.ts'
import { list, scopeOf } from './selection.ts'

/** `assay plan`: prints what a run will ask for, before anything is sent. */
export async function plan(options: {
  target: string
  profile: string
  only?: string[]
  list?: boolean
  visits?: boolean
}): Promise<void> {
  const { profile, only = [] } = options
  const catalogue = loadCatalogue()
  const scope = await scopeOf(profile, only, catalogue)
  if (options.list) return list(scope)
  const target = await readTarget(options.target)
  const { checks } = await loadSuites(SUITES, catalogue)
  const planned = planOf({ target: target.document, catalogue, checks, scope })
  say(shownLines(planText(planned, await surroundings(target, scope), options.visits === true)))
  if (options.target === DEFAULT_TARGET) {
    say(shown`\nThis is the reference bank of Assay: --target FILE names yours.`)
  }
}

async function surroundings(target: ReadTarget, scope: Scope): Promise<Surroundings> {
  const { document, base, memory } = target
  const file = memory && join(memory, `${document.name}.clients.json`)
  const kept = file === undefined ? undefined : openClientStore(file, targetFrom(document, base))
  return {
    target: document.name,
    lastRun: await lastRun(target, scope),
    requestsPerMinute: document.requestsPerMinute,
    clients: clientsOf(document).map(([name, { clientId }]) => {
      return { name, by: clientId ? 'configured' : kept?.find(name) ? 'kept' : 'registers' }
    }),
    expiryPatience: expiryPatienceOf(document),
    attended: isAttended(document),
    keep: document.authorisation.keep ?? 'memory',
  }
}

/** The clients that a run acts as; none when only the products are judged. */
function clientsOf(document: TargetDocument) {
  return isProductsAlone(document) ? [] : Object.entries(withoutAbsent(document).clients)
}

/** The latest whole run of the same target, configuration and scope, in the default folder of reports. */
async function lastRun(
  { document, configurationDigest }: ReadTarget,
  { profile, only }: Scope,
): Promise<Surroundings['lastRun']> {
  const folder = reportsFolder(document.name)
  if (!existsSync(folder)) return undefined
  for (const time of readdirSync(folder).sort().reverse()) {
    const report = await readReport(join(folder, time)).catch(() => undefined)
    if (!report || report.partial !== undefined) continue
    if (report.target.configurationDigest !== configurationDigest) continue
    if (report.scope.profile !== profile || `${report.scope.only}` !== `${only}`) continue
    return { requests: report.requests, at: report.startedAt }
  }
  return undefined
}

/** The approvals of a run, for the page that asks a person for them; undefined with other drivers. */
export async function announced(
  target: TargetDocument,
  scope: Scope,
): Promise<Announced[] | undefined> {
  if (target.authorisation.driver !== 'ask') return undefined
  const catalogue = loadCatalogue()
  const { checks } = await loadSuites(SUITES, catalogue)
  const { approvals, visits } = planOf({ target, catalogue, checks, scope })
  const asked = approvals.filter(({ missing }) => missing === undefined)
  const denied = visits.filter(({ end }) => end === 'denied')
  const who = { customer: 'first', client: 'first', purpose: 'press deny' }
  return [
    ...asked.map(({ name, purpose, customer, client, serves }): Announced => {
      return { name, purpose, customer, client, decision: 'approve', serves: serves.length }
    }),
    ...denied.map(({ name, checks: served }): Announced => {
      return { ...who, name, decision: 'deny', serves: served.length }
    }),
  ]
}
