import type { Catalogue } from '../catalogue/catalogue.ts'
import type { NamedConsent } from '../journey/consent.ts'
import type { SuiteCheck } from '../journey/context.ts'
import type { HookName, TargetDocument } from '../target/target.ts'
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
  /** Visits of single checks, counted once where several checks share one. */
  visits: {
    name: string
    checks: string[]
    count: number
    /** approve with a code in the end, approve in vain, deny. */
    end: 'granted' | 'refused' | 'denied'
  }[]
  /** Checks that register one more client, which nobody can remove. */
  registrations: string[]
  /** Checks that exhaust the rate limit, and with how many requests at most. */
  bursts: { check: string; requests: number }[]
  /** Facts that a TPP cannot make true: who does, and what rests on it. */
  hooks: { name: HookName; by: FactBy; checks: string[] }[]
  /** About how many requests, on a bank of few surprises. */
  requests: number
}

/** A hook of the target, or time within its patience; undefined: nobody. */
export type FactBy = 'http' | 'command' | 'ask' | 'time' | undefined

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
  const hooks = HOOKS.map((name) => ({
    name,
    by: factBy(target, name),
    checks: checks.filter(({ options }) => options.needs?.includes(`hooks.${name}`)).map(idOf),
  }))
  const lacking = new Set(
    hooks.flatMap(({ name, by, checks: resting }) =>
      by === undefined && name !== 'token-expired' ? resting : [],
    ),
  )
  const unasked = parts.consents.filter(({ client, customer }) => missing(target, client, customer))
  const able = checks.filter(
    (check) => !lacking.has(check.id) && !missingFor(check, target, new Set(unasked.map(nameOf))),
  )
  const using = (name: string) =>
    able.filter(({ options }) => options.uses?.includes(name) || options.spends === name)
  const approvals = neededBy(
    checks.filter(({ id }) => !lacking.has(id)),
    parts.consents,
  ).map((consent) => {
    const { name, purpose, client = 'first', customer = 'first', permissions } = consent
    return {
      name,
      purpose,
      client,
      customer,
      permissions,
      missing: missing(target, client, customer),
      serves: using(name).map(idOf),
      spentBy: using(name)
        .filter(({ options }) => options.spends === name)
        .map(idOf),
    }
  })
  const visits = ownVisits(able)
  const bursts = checks
    .filter(({ options }) => options.bursts && target.rateLimitBurst)
    .map(({ id }) => ({ check: id, requests: target.rateLimitBurst ?? 0 }))
  const asked = approvals.filter((approval) => approval.missing === undefined).length
  const own = visits.reduce((sum, { count }) => sum + count, 0)
  return {
    checks: checks.length,
    requirements: new Set(checks.map(({ id }) => catalogue.owners.get(id)?.id)).size,
    approvals,
    visits,
    registrations: target.freshRegistrations
      ? checks.filter(({ options }) => options.registers).map(idOf)
      : [],
    bursts,
    hooks,
    requests: Math.round(
      able.length * A_CHECK + asked * AN_APPROVAL + own * A_VISIT + (bursts[0]?.requests ?? 0),
    ),
  }
}

/** Requests of a check, of an approval and of a visit, as they are at the reference bank. */
const A_CHECK = 3
const AN_APPROVAL = 8
const A_VISIT = 4

const idOf = ({ id }: SuiteCheck) => id
const nameOf = ({ name }: NamedConsent) => name

/**
 * The approvals that checks need, in the order in which they come to need them; each after the one
 * that it re-confirms.
 */
export function neededBy(checks: SuiteCheck[], consents: NamedConsent[]): NamedConsent[] {
  const needed = new Set<NamedConsent>()
  const need = (consent: NamedConsent) => {
    if (consent.reconfirms) need(consent.reconfirms)
    needed.add(consent)
  }
  for (const { options } of checks) {
    for (const name of [...(options.uses ?? []), ...(options.spends ? [options.spends] : [])]) {
      const consent = consents.find((each) => each.name === name)
      if (consent) need(consent)
    }
  }
  return [...needed]
}

function factBy(target: TargetDocument, name: HookName): FactBy {
  const { http, command, ask } = target.hooks?.[name] ?? {}
  if (http) return 'http'
  if (command) return 'command'
  if (ask !== undefined) return 'ask'
  const patience = target.expiryPatience ?? 60
  if (name === 'token-expired' && patience > 0) return 'time'
  return name === 'consent-expired' && patience >= 120 ? 'time' : undefined
}

function ownVisits(checks: SuiteCheck[]): Plan['visits'] {
  const visits = new Map<string, Plan['visits'][number]>()
  const add = (name: string, check: string, count: number, end: Plan['visits'][number]['end']) => {
    const known = visits.get(name)
    if (known) known.checks.push(check)
    else visits.set(name, { name, checks: [check], count, end })
  }
  for (const { id, title, options } of checks) {
    const { refusals, denial, grants = [] } = options
    if (typeof refusals === 'number') add(title, id, refusals, 'refused')
    else for (const name of refusals ?? []) add(name, id, 1, 'refused')
    if (denial !== undefined) add(denial, id, 1, 'denied')
    for (const name of grants) add(name, id, 1, 'granted')
  }
  return [...visits.values()]
}

/** Whether a check needs something of the target besides hooks, and does not find it. */
function missingFor(
  { options }: SuiteCheck,
  target: TargetDocument,
  unasked: ReadonlySet<string>,
): boolean {
  const { registers, needs = [], uses = [] } = options
  if (registers && !target.freshRegistrations) return true
  if (needs.includes('clients.second') && !target.clients.second) return true
  if (needs.includes('customers.second') && !target.customers.second) return true
  return uses.some((name) => unasked.has(name))
}

function missing(target: TargetDocument, client?: string, customer?: string): string | undefined {
  if (client === 'second' && !target.clients.second) return 'the target has no second client'
  if (customer === 'second' && !target.customers.second) return 'the target has no second customer'
  return undefined
}
