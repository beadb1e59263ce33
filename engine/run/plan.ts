import type { Catalogue } from '../catalogue/catalogue.ts'
import type { NamedConsent } from '../journey/consent.ts'
import type { SuiteCheck } from '../journey/context.ts'
import type { TargetDocument } from '../target/target.ts'
import { inCore, inScope, ordered, type Scope } from './scope.ts'

/** What a run will ask of a bank and of people, known before anything is sent. */
export interface Plan {
  checks: number
  requirements: number
  /** Approvals in the order of need, each with the checks that it serves. */
  approvals: {
    name: string
    purpose: string
    client: string
    customer: string
    permissions: readonly string[]
    /** What the target lacks for it; it is then not asked for. */
    missing?: string
    serves: string[]
    /** The checks after which it is gone. */
    spentBy: string[]
  }[]
  /** Visits of single checks that a right bank ends without a code. */
  refusals: { check: string; visits: number }[]
  /** Checks that register one more client, which nobody can remove. */
  registrations: string[]
  /** Checks that exhaust the rate limit, and with how many requests at most. */
  bursts: { check: string; requests: number }[]
  /** Facts that only a hook can make true: whether the target has it. */
  hooks: { name: string; given: boolean }[]
}

const HOOKS = [
  'token-expired',
  'consent-expired',
  'ninety-days-passed',
  'customer-revokes',
] as const

/** The plan of a run; nothing is sent to make it. */
export function planOf(parts: {
  target: TargetDocument
  catalogue: Catalogue
  checks: SuiteCheck[]
  scope: Scope
  consents: NamedConsent[]
}): Plan {
  const { target, catalogue, scope } = parts
  const selected = parts.checks.filter(
    (check) => inScope(check.id, catalogue, scope) && (scope.profile === 'full' || inCore(check)),
  )
  const checks = ordered(selected, catalogue)
  const using = (name: string) =>
    checks.filter(({ options }) => options.uses?.includes(name) || options.spends === name)
  const needed = new Set<string>()
  const need = ({ name, reconfirms }: NamedConsent) => {
    if (reconfirms) need(reconfirms)
    needed.add(name)
  }
  for (const consent of parts.consents) if (using(consent.name).length > 0) need(consent)
  const fresh = target.freshRegistrations === true
  return {
    checks: checks.length,
    requirements: new Set(checks.map(({ id }) => catalogue.owners.get(id)?.id)).size,
    approvals: parts.consents
      .filter(({ name }) => needed.has(name))
      .map((consent) => {
        const { name, purpose, client = 'first', customer = 'first', permissions } = consent
        const serves = using(name).map(({ id }) => id)
        const spentBy = using(name)
          .filter(({ options }) => options.spends === name)
          .map(({ id }) => id)
        const missing = lacking(target, client, customer)
        return { name, purpose, client, customer, permissions, missing, serves, spentBy }
      }),
    refusals: checks.flatMap(({ id, options }) =>
      options.refusals ? [{ check: id, visits: options.refusals }] : [],
    ),
    registrations: fresh
      ? checks.filter(({ options }) => options.registers).map(({ id }) => id)
      : [],
    bursts: checks
      .filter(({ options }) => options.bursts && target.rateLimitBurst)
      .map(({ id }) => ({ check: id, requests: target.rateLimitBurst ?? 0 })),
    hooks: HOOKS.map((name) => ({ name, given: target.hooks?.[name] !== undefined })),
  }
}

function lacking(target: TargetDocument, client: string, customer: string): string | undefined {
  if (client === 'second' && !target.clients.second) return 'the target has no second client'
  if (customer === 'second' && !target.customers.second) return 'the target has no second customer'
  return undefined
}
