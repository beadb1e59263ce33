import type { Approval } from '../../../engine/journey/approvals.ts'
import { OWNERS } from '../../../engine/journey/steps.ts'
import { rulesBrokenBy } from '../../../engine/journey/trace.ts'
import { matchers, succeeded } from '../../../engine/judge/matchers.ts'
import { lacking } from '../../../engine/judge/outcome.ts'
import { bookedAt, member, type Row, shared } from '../../../engine/judge/rows.ts'
import type { Exchange } from '../../../engine/wire/exchange.ts'
import { queryOf } from './booking-times.ts'
import { accountIds, blameRules, once, pathOf, readSingles } from './readings.ts'
import {
  addresses,
  blameUnsteadiness,
  blockedBy,
  bookedIn,
  bulk,
  filtered,
  latest,
  singleOwner,
  type Wrong,
} from './transaction-readings.ts'

/** Single answers, the bulk answer, single answers, the bulk answer: each between two others. */
export function bulkAndSingles(approval: Approval) {
  return once(approval, 'bulk and singles', async () => {
    const singlesBefore = await readSingles(approval, '/transactions')
    const bulkBefore = await approval.get(bulk)
    const singlesAfter = await readSingles(approval, '/transactions')
    const bulkAfter = await approval.get(bulk)
    return { singlesBefore, bulkBefore, singlesAfter, bulkAfter }
  })
}

/** Rows of an account that two single answers hold and the bulk answer between them lacks. */
export async function missingInBulk(approval: Approval): Promise<{
  wrong?: Wrong & { single: Exchange }
  /** Number of accounts that have booked rows. */
  accounts: number
}> {
  const { singlesBefore, bulkBefore, singlesAfter } = await bulkAndSingles(approval)
  bookedIn(bulkBefore, OWNERS.transactions)
  let accounts = 0
  let wrong: (Wrong & { single: Exchange }) | undefined
  for (const [id, single] of singlesBefore) {
    const again = singlesAfter.get(id) ?? single
    const rows = shared(bookedIn(single, singleOwner), bookedIn(again, singleOwner))
    // A row of another account is TXN-02/asked-account-only's.
    const own = rows.filter((row) => row.AccountId === id)
    if (own.length > 0) accounts += 1
    const finding = matchers.toHoldRows(bulkBefore, own)
    if (finding) wrong ??= { ...finding, exchange: bulkBefore, single }
  }
  return { ...(wrong && { wrong }), accounts }
}

/**
 * A row that a part of the data shows and the whole lacks: a half of the time against all of it,
 * the bulk answer against the single one.
 */
export function wholeWrong(approval: Approval): Promise<Wrong | undefined> {
  return once(approval, 'whole', async () => {
    const wrong = (await beyondTheWhole(approval)) ?? (await beyondTheSingle(approval))
    const paged = 'ENV-07/one-page'
    if (wrong && rulesBrokenBy(wrong.exchange).includes(paged)) {
      blockedBy(paged, 'the answer is one page of several', wrong.exchange)
    }
    return wrong
  })
}

async function beyondTheWhole(approval: Approval): Promise<Wrong | undefined> {
  const own = await accountIds(approval)
  const halves = [...(await filtered(approval, 'from')), ...(await filtered(approval, 'to'))]
  for (const path of await addresses(approval)) {
    const outer = await latest(approval, path)
    outer.whole = await approval.get(path)
    for (const { answer, bounds } of halves.filter((half) => half.path === path)) {
      const again = await approval.get(path, { query: queryOf(bounds) })
      if (!succeeded(answer) || !succeeded(again)) continue
      const owner = 'TXN-15/each-combination'
      // A row of another account is condemned elsewhere.
      const rows = shared(bookedIn(answer, owner), bookedIn(again, owner)).filter(
        ({ AccountId: id }) =>
          path === bulk ? own.includes(String(id)) : path === pathOf(String(id), '/transactions'),
      )
      const finding = matchers.toHoldRows(outer.whole, rows)
      if (finding) await blameUnsteadiness(approval)
      if (finding) return { ...finding, exchange: outer.whole }
    }
  }
  return undefined
}

async function beyondTheSingle(approval: Approval): Promise<Wrong | undefined> {
  const { bulkBefore, singlesAfter, bulkAfter } = await bulkAndSingles(approval)
  const rows = shared(
    bookedIn(bulkBefore, OWNERS.transactions),
    bookedIn(bulkAfter, OWNERS.transactions),
  )
  for (const [id, single] of singlesAfter) {
    bookedIn(single, singleOwner)
    const finding = matchers.toHoldRows(
      single,
      rows.filter((row) => row.AccountId === id),
    )
    if (!finding) continue
    blameRules(single, bulkBefore, 'TXN-')
    await blameUnsteadiness(approval)
    return { ...finding, exchange: single }
  }
  return undefined
}

/** Ends the check where one answer doesn't hold everything: what it misses is that one's. */
export async function blamePages(approval: Approval): Promise<void> {
  const wrong = await wholeWrong(approval)
  if (wrong) blockedBy('TXN-24/one-response', 'one answer does not hold all', wrong.exchange)
}

/** Rows that were booked two days ago or before: what is newer may not be everywhere yet. */
export function settled(rows: Row[]): Row[] {
  const latest = Date.now() - 2 * 86_400_000
  return rows.filter((row) => (bookedAt(row) ?? latest) < latest)
}

/**
 * What a transaction looks like under every consent of a customer: AccountIds differ between
 * consents, and the level of detail may.
 */
export function keyAcrossConsents(row: Row): string {
  const at = bookedAt(row) ?? row.BookingDateTime
  return JSON.stringify([at, row.CreditDebitIndicator, member(row, 'Amount', 'Currency')])
}

/**
 * Ends the check where two approvals of one customer cover another number of accounts: a person chose
 * others, or it is ACC-14's to say that they were lost. Without that permission nothing can be said.
 */
export async function relyOnSameAccounts(whole: Approval, limited: Approval): Promise<void> {
  if (!limited.facts.permissions.some((one) => one.startsWith('ReadAccounts'))) return
  const counts = [(await accountIds(whole)).length, (await accountIds(limited)).length]
  if (counts[0] === counts[1]) return
  if (whole.tpp.target.document.customers.first.accounts !== undefined) {
    blockedBy('ACC-14/other-approvals', `${counts.join(' and ')} accounts`)
  }
  lacking(`two approvals of the same accounts; they have ${counts.join(' and ')}`)
}
