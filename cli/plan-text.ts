import { counted } from '../engine/report/escape.ts'
import type { HookBy, Plan } from '../engine/run/plan.ts'

/** What a plan needs in addition to the target and the suites. */
export interface Surroundings {
  target: string
  /** Number of requests of the latest run of the same scope, and its time. */
  lastRun?: { requests: number; at: string }
  requestsPerMinute?: number
  /** Clients by name: where the run gets each from. */
  clients: { name: string; by: 'configured' | 'kept' | 'registers' }[]
  expiryPatience: number
  attended: boolean
  keep: 'memory' | 'file'
}

/**
 * What a run will ask for.
 *
 * @param whole list each visit, and each check that uses up or registers something, instead of only counting them
 */
export function planText(plan: Plan, about: Surroundings, whole: boolean): string {
  const parts = [
    [`${about.target}: ${plan.checks} checks of ${plan.requirements} requirements`],
    approvals(plan, about, whole),
    visits(plan, whole),
    clients(plan, about, whole),
    requests(plan, about),
    facts(plan, about),
    leftBehind(plan, about),
    whole ? [] : ['Add --visits to see each of these visits and checks.'],
  ]
  const shown = parts.filter((lines) => lines.length > 0)
  return shown.map((lines) => lines.join('\n')).join('\n\n')
}

function approvals(
  { approvals: all, visits: single }: Plan,
  { attended, keep }: Surroundings,
  whole: boolean,
): string[] {
  const asked = all.filter(({ missing }) => missing === undefined)
  const how = attended ? ', asked for in one sitting where the bank’s tokens last' : ''
  const own = single.reduce((sum, { count }) => sum + count, 0)
  const lines = [
    `Visits at the authorisation page: ${asked.length + own}`,
    ...(attended && asked.length > 0 ? [people(asked.length, single)] : []),
    '',
    `Approvals that checks share: ${asked.length}${asked.length > 0 ? how : ''}`,
  ]
  for (const { name, purpose, client, customer, serves, spentBy } of asked) {
    lines.push(`  ${name}: ${purpose}`)
    lines.push(
      `    ${customer} customer, ${client} client; serves ${counted(serves.length, 'check')}`,
    )
    if (spentBy.length > 0 && whole) lines.push(`    gone after ${spentBy.join(', ')}`)
  }
  const kept = 'Kept, encrypted, when the run is interrupted: the next run uses them again.'
  const lost = 'Lost when the run is interrupted; authorisation.keep: file keeps them.'
  if (asked.length > 0) lines.push(`  ${keep === 'file' ? kept : lost}`)
  const others = all.filter(({ missing }) => missing !== undefined)
  if (others.length > 0) lines.push(`Approvals that are not asked for: ${others.length}`)
  return [...lines, ...others.map(({ name, missing }) => `  ${name}: ${missing}`)]
}

/** How many visits need a person. A wrong request is sent first without one. */
function people(approvals: number, visits: Plan['visits']): string {
  const sum = (isMeant: (end: string) => boolean) =>
    visits.reduce((total, { count, end }) => total + (isMeant(end) ? count : 0), 0)
  const refused = sum((end) => end === 'refused')
  const needed = `  a person is needed for ${approvals + sum((end) => end !== 'refused')} of them`
  if (refused === 0) return needed
  return `${needed}; for the other ${refused} only where the bank shows its login before it refuses`
}

function visits({ visits: all }: Plan, whole: boolean): string[] {
  const told = (what: string, visits: Plan['visits']) => [
    `Visits of single checks that ${what}: ${visits.reduce((sum, { count }) => sum + count, 0)}`,
    ...(whole ? visits : []).map(({ name, checks, count, end }) => {
      const times = count > 1 ? `, ${count} times` : ''
      return `  ${name}${end === 'denied' ? ', by the customer' : ''}${times} (${checks.join(', ')})`
    }),
  ]
  const granted = all.filter(({ end }) => end === 'granted')
  const others = all.filter(({ end }) => end !== 'granted')
  return [
    ...told('a correct bank ends without a code', others),
    ...(granted.length === 0 ? [] : told('end in a code', granted)),
  ]
}

const COMES_BY = {
  configured: 'its clientId is in the target',
  kept: 'registered by an earlier run',
  registers: 'is registered, and kept for the runs that follow',
}

function clients({ registrations }: Plan, about: Surroundings, whole: boolean): string[] {
  return [
    'Clients:',
    ...about.clients.map(({ name, by }) => `  ${name}: ${COMES_BY[by]}`),
    `  checks that try to register one more, for good where it succeeds: ${registrations.length}`,
    ...(whole ? registrations : []).map((check) => `    ${check}`),
  ]
}

function requests(plan: Plan, { lastRun, requestsPerMinute }: Surroundings): string[] {
  const count = lastRun?.requests ?? plan.requests
  const source = lastRun
    ? `as in the run of ${lastRun.at}`
    : 'an estimate: no run of this scope yet'
  const lines = [`Requests: about ${count} (${source})`]
  if (requestsPerMinute === undefined) lines.push('  no limit: the target has no requestsPerMinute')
  else {
    const minutes = Math.max(1, Math.round(count / requestsPerMinute))
    lines.push(`  at most ${requestsPerMinute} in a minute: about ${minutes} min`)
  }
  if (plan.histories > 0) {
    lines.push(`  about ${plan.histories} of them for all transactions of a card or a customer`)
  }
  const [burst] = plan.bursts
  lines.push(
    burst === undefined
      ? '  none to reach the rate limit: the target names no rateLimitBurst'
      : `  at most ${burst.requests} of them without the customer present, to reach the rate limit`,
  )
  return lines
}

function facts({ hooks }: Plan, { expiryPatience }: Surroundings): string[] {
  const how: Record<Exclude<HookBy, undefined>, string> = {
    http: 'by an HTTP call',
    command: 'by a program',
    ask: 'somebody is asked, where there is a terminal or a person at the approvals',
    time: `by waiting, at most ${expiryPatience} s`,
  }
  return [
    'Facts that a TPP cannot bring about:',
    ...hooks.map(({ name, by, checks }) => {
      const rests = counted(checks.length, 'check')
      if (checks.length === 0) return `  ${name}: no check in scope needs it`
      if (by !== undefined) return `  ${name}: ${how[by]}; ${rests}`
      return `  ${name}: nobody. A hook would add ${rests}: ${checks.join(', ')}`
    }),
  ]
}

function leftBehind(plan: Plan, { clients: all }: Surroundings): string[] {
  const kept = all.filter(({ by }) => by === 'registers').length
  const most = kept + plan.registrations.length
  const consents = plan.approvals.filter(
    ({ name, missing }) => missing === undefined && name !== 're-confirmed',
  )
  const left = `${kept === most ? most : `${kept} to ${most}`} ${most === 1 ? 'client' : 'clients'}, which the interface cannot remove`
  return [
    `Consents: ${consents.length} for approvals, and those that checks create; all are deleted at the end.`,
    `Left behind: ${most === 0 ? 'nothing' : left}.`,
  ]
}
