import { denialProblem } from '../authorisation-drivers/denial.ts'
import { HOLDING } from '../authorisation-drivers/driver.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { type NamedConsent, precededBy } from '../client-session/consent.ts'
import { expiryPatienceOf, isAttended, withoutAbsent } from '../configuration/resolve.ts'
import { HOOKS, type HookName, type TargetDocument } from '../configuration/target.ts'
import { type CellsAsked, drawnCells } from '../judge/cells.ts'
import { consentsOf, type Foreseen, type SuiteCheck } from '../suite-api/check.ts'
import { absence } from './absent.ts'
import { CELLS, checkInScope, ordered, type Scope } from './scope.ts'

/** What a run will request from a bank and from people, known before anything is sent. */
export type Plan = ReturnType<typeof planOf>

/** A visit that belongs to checks instead of an approval; counted once where several checks share it. */
interface OwnVisit {
  name: string
  checks: string[]
  count: number
  /** The visit sends a value of a table. */
  ofTable?: true
  /** Approved and ends in a code, approved without success, denied. */
  end: 'granted' | 'refused' | 'denied'
}

/** A hook of the target, or time within its expiryPatience; undefined: nobody. */
export type HookBy = 'http' | 'command' | 'ask' | 'time' | undefined

/** The plan of a run; planning sends nothing. */
export function planOf(parts: {
  target: TargetDocument
  catalogue: Catalogue
  checks: SuiteCheck[]
  scope: Scope
}) {
  const { catalogue, scope } = parts
  const target = withoutAbsent(parts.target)
  const selected = parts.checks.filter(
    (check) =>
      checkInScope(check, catalogue, scope) &&
      absence(check.id, catalogue, target.absent ?? []) === undefined,
  )
  const checks = ordered(selected, catalogue)
  /** Facts that a TPP cannot make true: who can, and which checks need them. */
  const hooks = HOOKS.map((name) => ({
    name,
    by: factBy(target, name),
    checks: checks.filter((check) => hookOf(check, target, name)).map(idOf),
  }))
  const lacking = new Set(
    hooks.flatMap(({ name, by, checks: resting }) =>
      by === undefined && name !== 'token-expired' ? resting : [],
    ),
  )
  const able = checks.filter((check) => !lacking.has(check.id) && !missingFor(check, target))
  const using = (name: string) =>
    able.filter(({ options }) => consentsOf(options).some((consent) => consent.name === name))
  /** In the order in which they are needed, each with the checks that use it. */
  const approvals = neededBy(checks.filter(({ id }) => !lacking.has(id))).map((consent) => {
    const { name, purpose, client = 'first', customer = 'first', permissions } = consent
    return {
      name,
      purpose,
      client,
      customer,
      permissions,
      /** What the target lacks for it; it is then not requested. */
      missing: missing(target, client, customer),
      serves: using(name).map(idOf),
      /** The checks that consume it. */
      spentBy: using(name)
        .filter(({ options }) => options.spends?.name === name)
        .map(idOf),
    }
  })
  const extent = { cells: CELLS[scope.profile], seed: scope.seed ?? 1 }
  const visits = ownVisits(able, {
    target,
    attended: isAttended(target),
    draw: (all, beside) => drawnCells(extent, all, beside),
  })
  /** Checks that exhaust the rate limit, with their maximum number of requests. */
  const bursts = checks
    .filter(({ options }) => options.bursts && target.rateLimitBurst)
    .map(({ id }) => ({ check: id, requests: target.rateLimitBurst ?? 0 }))
  const asked = approvals.filter((approval) => approval.missing === undefined).length
  const own = visits.reduce((sum, { count }) => sum + count, 0)
  /** Visits of tables; a bank refuses most of them with its first answer. */
  const atOnce = visits.reduce((sum, { count, ofTable }) => sum + (ofTable ? count : 0), 0)
  const tables = able.filter(({ options: { asks, refusals } }) => asks && !refusals).length
  const visiting = new Set(visits.flatMap((visit) => visit.checks))
  const reading = able.filter(({ id }) => !visiting.has(id)).length
  const less = ['full', 'exhaustive'].includes(scope.profile) ? 1 : ONE_OF_A_KIND
  return {
    checks: checks.length,
    requirements: new Set(checks.map(({ id }) => catalogue.owners.get(id)?.id)).size,
    approvals,
    visits,
    /** Checks that register one more client, which nobody can remove. */
    registrations: target.freshRegistrations
      ? checks.filter(({ options }) => options.registers).map(idOf)
      : [],
    bursts,
    hooks,
    /** Estimated number of requests, if the bank shows few faults. */
    requests: Math.round(
      (reading * A_CHECK +
        asked * AN_APPROVAL +
        tables * A_TABLE[extent.cells] +
        (own - atOnce) * A_VISIT +
        atOnce * AT_ONCE +
        (bursts[0]?.requests ?? 0)) *
        less,
    ),
    /** Estimated number of requests per existing transaction, of a customer or of a card. */
    histories: Math.round(able.reduce((sum, each) => sum + historiesOf(each, catalogue), 0) * less),
  }
}

/** Requests of a check without visits, of an approval and of a visit, as measured at the reference bank. */
const A_CHECK = 6
const AN_APPROVAL = 11
const A_VISIT = 6.5
/** Requests of a visit that is refused with its first answer; sometimes it includes its own consent. */
const AT_ONCE = 2
/** Additional requests of a table of values, for one cell, the drawn cells, or all cells. */
const A_TABLE: Record<CellsAsked, number> = { one: 2, drawn: 17, all: 85 }
/** The share of requests that is sent where one approval of a kind is looked at. */
const ONE_OF_A_KIND = 0.9

/** Whole histories that a check requests, by its chapter, as measured at the reference bank. */
const HISTORIES: Record<string, number> = {
  'account-information/transactions': 1.8,
  'account-information/data': 3,
  'account-information/rate-limit': 1.2,
}
/** For any other chapter, where some checks test whether transactions are refused. */
const A_HISTORY = 0.13

function historiesOf({ id, options }: SuiteCheck, { owners }: Catalogue): number {
  const shown = consentsOf(options).some(({ permissions }) =>
    permissions.some((one) => /^ReadTransactions(Basic|Detail)$/.test(one)),
  )
  return shown ? (HISTORIES[owners.get(id)?.chapter ?? ''] ?? A_HISTORY) : 0
}

const idOf = ({ id }: SuiteCheck) => id

/**
 * The approvals that checks need, in the order in which they need them; each after those that it re-confirms or takes
 * its dates from.
 */
export function neededBy(checks: SuiteCheck[]): NamedConsent[] {
  const needed = new Set<NamedConsent>()
  const need = (consent: NamedConsent) => {
    for (const earlier of precededBy(consent)) need(earlier)
    needed.add(consent)
  }
  for (const { options } of checks) {
    for (const consent of consentsOf(options)) need(consent)
  }
  return [...needed]
}

/**
 * True if a check needs this hook. A check that lacks several hooks is listed only under the first, which ends it; one
 * that names an absent client or customer is listed under none.
 */
function hookOf({ options }: SuiteCheck, target: TargetDocument, name: HookName): boolean {
  if (lacksParty(options, target)) return false
  const asked = HOOKS.filter((hook) => options.needs?.includes(`hooks.${hook}`))
  const lacks = asked.find((hook) => factBy(target, hook) === undefined)
  return asked.includes(name) && (lacks === undefined || lacks === name)
}

function factBy(target: TargetDocument, name: HookName): HookBy {
  const { http, command, ask } = target.hooks?.[name] ?? {}
  if (http) return 'http'
  if (command) return 'command'
  if (ask !== undefined) return 'ask'
  const patience = expiryPatienceOf(target)
  if (name === 'token-expired' && patience > 0) return 'time'
  return name === 'consent-expired' && patience >= 120 ? 'time' : undefined
}

function ownVisits(checks: SuiteCheck[], foreseen: Foreseen): OwnVisit[] {
  const visits = new Map<string, OwnVisit>()
  const add = (
    name: string,
    check: string,
    count: number,
    end: OwnVisit['end'],
    ofTable = false,
  ) => {
    const known = visits.get(name)
    if (known) known.checks.push(check)
    else visits.set(name, { name, checks: [check], count, end, ...(ofTable && { ofTable }) })
  }
  for (const { id, title, options } of checks) {
    const { denial, grants = [] } = options
    const refusals =
      typeof options.refusals === 'function' ? options.refusals(foreseen) : options.refusals
    if (typeof refusals === 'number') add(title, id, refusals, 'refused')
    else
      for (const name of refusals ?? [])
        add(name, id, 1, 'refused', typeof options.refusals === 'function')
    if (denial !== undefined) add(denial, id, 1, 'denied')
    for (const name of grants) add(name, id, 1, 'granted')
  }
  return [...visits.values()]
}

/** True if a check needs something from the target, other than hooks, that is missing. */
function missingFor({ options }: SuiteCheck, target: TargetDocument): boolean {
  if (options.registers === true && !target.freshRegistrations) return true
  if (lacksParty(options, target)) return true
  if (options.denial !== undefined && denialProblem(target.authorisation) !== undefined) return true
  const lacks = ({ client, customer }: NamedConsent) =>
    missing(target, client, customer) !== undefined
  if (options.spends && lacks(options.spends)) return true
  // A check of several approvals continues with those that exist.
  return options.uses?.length ? options.uses.every(lacks) : false
}

function lacksParty({ needs = [] }: SuiteCheck['options'], target: TargetDocument) {
  const { clients, customers, authorisation } = target
  return (
    (needs.includes('authorisation.two-at-once') && !HOLDING.includes(authorisation.driver)) ||
    (needs.includes('clients.second') && !clients.second) ||
    (needs.includes('customers.second') && !customers.second)
  )
}

function missing(target: TargetDocument, client?: string, customer?: string): string | undefined {
  if (client === 'second' && !target.clients.second) return 'the target has no second client'
  if (customer === 'second' && !target.customers.second) return 'the target has no second customer'
  return undefined
}
