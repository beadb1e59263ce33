import { join } from 'node:path'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import type { NamedConsent } from '../engine/journey/consent.ts'
import type { Announced } from '../engine/journey/drivers/driver.ts'
import { type Plan, planOf } from '../engine/run/plan.ts'
import type { Scope } from '../engine/run/scope.ts'
import { loadSuites } from '../engine/run/suites.ts'
import type { TargetDocument } from '../engine/target/target.ts'
import * as consents from '../suites/consents.ts'
import { openTarget } from './open-target.ts'

/** `assay plan`: what a run will ask for, before anything is sent. */
export async function plan(options: {
  target: string
  profile: 'core' | 'full'
  only?: string[]
}): Promise<void> {
  const opened = await openTarget(options.target)
  try {
    const catalogue = loadCatalogue()
    const { checks } = await loadSuites(join(import.meta.dirname, '..', 'suites'), catalogue)
    const scope = { profile: options.profile, only: options.only ?? [] }
    const target = opened.document
    console.log(text(planOf({ target, catalogue, checks, scope, consents: named() }), target.name))
  } finally {
    await opened.close()
  }
}

/** The rows of the table of approvals. */
function named(): NamedConsent[] {
  return Object.values(consents).filter(
    (each): each is NamedConsent => typeof each === 'object' && 'permissions' in each,
  )
}

/** The approvals of a run, for the page on which a person is asked for them; else undefined. */
export async function announced(
  target: TargetDocument,
  scope: Scope,
): Promise<Announced[] | undefined> {
  if (target.authorisation.driver !== 'ask') return undefined
  const catalogue = loadCatalogue()
  const { checks } = await loadSuites(join(import.meta.dirname, '..', 'suites'), catalogue)
  const { approvals } = planOf({ target, catalogue, checks, scope, consents: named() })
  return approvals
    .filter(({ missing }) => missing === undefined)
    .map(({ name, purpose, customer, client, serves }) => {
      return { name, purpose, customer, client, decision: 'approve', serves: serves.length }
    })
}

function text(plan: Plan, target: string): string {
  const asked = plan.approvals.filter(({ missing }) => missing === undefined)
  const refusals = plan.refusals.reduce((sum, { visits }) => sum + visits, 0)
  const lines = [
    `${target}: ${plan.checks} checks of ${plan.requirements} requirements`,
    '',
    `Approvals: ${asked.length}`,
  ]
  for (const { name, purpose, client, customer, serves, spentBy, missing } of plan.approvals) {
    lines.push(`  ${name}: ${purpose}`)
    lines.push(`    ${customer} customer, ${client} client; serves ${serves.length} checks`)
    if (missing !== undefined) lines.push(`    not asked for: ${missing}`)
    if (spentBy.length > 0) lines.push(`    gone after ${spentBy.join(', ')}`)
  }
  lines.push('', `Visits that a right bank ends without a code: ${refusals}`)
  for (const { check, visits } of plan.refusals) lines.push(`  ${check}: ${visits}`)
  lines.push('', `Clients registered for good by checks: ${plan.registrations.length}`)
  for (const check of plan.registrations) lines.push(`  ${check}`)
  lines.push('', 'Requests without the customer present, to reach the rate limit:')
  lines.push(
    ...(plan.bursts.length === 0
      ? ['  none: the target names no rateLimitBurst']
      : plan.bursts.map(({ check, requests }) => `  ${check}: at most ${requests}`)),
  )
  lines.push('', 'Facts stated through hooks:')
  for (const { name, given } of plan.hooks) {
    lines.push(`  ${name}: ${given ? 'yes' : 'no hook; what needs it is not applicable'}`)
  }
  lines.push('', 'Every consent that the run creates is deleted at its end.')
  return lines.join('\n')
}
