import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { matchers } from '../../../../engine/suite-api/expect.ts'
import { blockBy, blockForData } from '../../../../engine/suite-api/outcomes.ts'
import {
  bookedSecond,
  type Exchange,
  isBooked,
  member,
  type Row,
  remembered,
  rowsOf,
  rulesBrokenBy,
  shared,
  succeeded,
  transactionKey,
} from '../../../../engine/suite-api/responses.ts'
import { bookedOf, dueEverywhere, queryOf, settled } from './booking-times.ts'
import {
  once,
  pathOf,
  readSingles,
  relyOnSameRules,
  requireAccountIds,
  requireRows,
} from './data-reads.ts'
import { readOwner } from './read-owners.ts'
import { amountOf } from './same-rows.ts'
import {
  addresses,
  bookedIn,
  bulk,
  filtered,
  fourReads,
  latest,
  relyOnSteadyRows,
  type Wrong,
} from './transaction-readings.ts'

/** Single answers, bulk, single answers, bulk: two answers of one kind always surround one of the other. */
export function bulkAndSingles(approval: Approval) {
  return once(approval, 'bulk and singles', async () => {
    const singlesBefore = await readSingles(approval, '/transactions')
    const bulkBefore = await approval.get(bulk)
    const singlesAfter = await readSingles(approval, '/transactions')
    const bulkAfter = await approval.get(bulk)
    return { singlesBefore, bulkBefore, singlesAfter, bulkAfter }
  })
}

/**
 * Rows of an account that are in two single answers, and not in the bulk answer between them. Here and below, what was
 * booked lately may be missing: answers may be cached, each address for itself, or be those of last night.
 */
export async function missingInBulk(approval: Approval): Promise<{
  wrong?: Wrong & { single: Exchange }
  /** Number of accounts that have booked rows. */
  accounts: number
}> {
  const { singlesBefore, bulkBefore, singlesAfter } = await bulkAndSingles(approval)
  bookedIn(bulkBefore, readOwner(approval, bulk))
  let accounts = 0
  let wrong: (Wrong & { single: Exchange }) | undefined
  for (const [id, single] of singlesBefore) {
    const again = singlesAfter.get(id) ?? single
    const rows = shared(
      bookedIn(single, readOwner(approval, pathOf(id, '/transactions'))),
      bookedIn(again, readOwner(approval, pathOf(id, '/transactions'))),
    )
    // A row of another account is judged by TXN-02/asked-account-only.
    const own = rows.filter((row) => row.AccountId === id)
    if (own.length > 0) accounts += 1
    const finding = matchers.toHoldRows(bulkBefore, dueEverywhere(own))
    if (finding) wrong ??= { ...finding, exchange: bulkBefore, single }
  }
  return { ...(wrong && { wrong }), accounts }
}

/**
 * A finding for a row that a part of the data shows and the whole lacks: a half of
 * the time compared with all of it, or the bulk answer compared with the single one.
 */
export function wholeWrong(approval: Approval): Promise<Wrong | undefined> {
  return once(approval, 'whole', async () => {
    const wrong = (await beyondTheWhole(approval)) ?? (await beyondTheSingle(approval))
    const paged = 'ENV-07/one-page'
    if (wrong && rulesBrokenBy(wrong.exchange).includes(paged)) {
      blockBy(paged, 'the answer is one page of several', wrong.exchange)
    }
    return wrong
  })
}

async function beyondTheWhole(approval: Approval): Promise<Wrong | undefined> {
  const own = await requireAccountIds(approval)
  const halves = [...(await filtered(approval, 'from')), ...(await filtered(approval, 'to'))]
  for (const path of await addresses(approval)) {
    const outer = await latest(approval, path)
    outer.whole = await approval.get(path)
    for (const { answer, bounds } of halves.filter((half) => half.path === path)) {
      const again = await approval.get(path, { query: queryOf(bounds) })
      if (!succeeded(answer) || !succeeded(again)) continue
      const owner = 'TXN-15/each-combination'
      // A row of another account is judged elsewhere.
      const rows = shared(bookedIn(answer, owner), bookedIn(again, owner)).filter(
        ({ AccountId: id }) =>
          path === bulk ? own.includes(String(id)) : path === pathOf(String(id), '/transactions'),
      )
      const finding = matchers.toHoldRows(outer.whole, dueEverywhere(rows))
      if (finding) relyOnSameRules(answer, outer.whole, 'TXN-')
      if (finding) await relyOnSteadyRows(approval)
      if (finding) return { ...finding, exchange: outer.whole }
    }
  }
  return undefined
}

async function beyondTheSingle(approval: Approval): Promise<Wrong | undefined> {
  const { bulkBefore, singlesAfter, bulkAfter } = await bulkAndSingles(approval)
  const rows = shared(
    bookedIn(bulkBefore, readOwner(approval, bulk)),
    bookedIn(bulkAfter, readOwner(approval, bulk)),
  )
  for (const [id, single] of singlesAfter) {
    bookedIn(single, readOwner(approval, pathOf(id, '/transactions')))
    const own = dueEverywhere(rows.filter((row) => row.AccountId === id))
    const finding = matchers.toHoldRows(single, own)
    if (!finding) continue
    relyOnSameRules(single, bulkBefore, 'TXN-')
    await relyOnSteadyRows(approval)
    return { ...finding, exchange: single }
  }
  return undefined
}

/** A detail of a transaction that must be the same in single and bulk answers; undefined where it is not shown. */
interface Told {
  words: string
  of(row: Row): unknown
}

export const AMOUNT: Told = { words: 'amount', of: amountOf }
export const DETAILS: readonly Told[] = [
  { words: 'merchant', of: (row) => member(row, 'MerchantDetails', 'MerchantName') },
  { words: 'address line', of: (row) => row.AddressLine },
]

/**
 * Finds a transaction with one amount (or other detail) in two single answers, and another
 * one in the two bulk answers between and after them: it may change, but not back and forth.
 */
export async function shownOtherwise(
  approval: Approval,
  { words, of }: Told = AMOUNT,
): Promise<Wrong | 'no rows' | undefined> {
  const { singlesBefore, bulkBefore, singlesAfter, bulkAfter } = await bulkAndSingles(approval)
  const owner = readOwner(approval, bulk)
  let compared = 0
  for (const [id, exchange] of singlesAfter) {
    const singleOwner = readOwner(approval, pathOf(id, '/transactions'))
    const bulks = [bulkBefore, bulkAfter].map((answer) =>
      toldIn(dueEverywhere(bookedIn(answer, owner)), id, of),
    )
    const singles = [singlesBefore.get(id) ?? exchange, exchange].map((answer) =>
      toldIn(dueEverywhere(bookedIn(answer, singleOwner)), id, of),
    )
    for (const [key, expected] of bulks[0] ?? []) {
      const actual = singles[0]?.get(key)
      const steady = bulks[1]?.get(key) === expected && singles[1]?.get(key) === actual
      // Rows that are missing are judged by TXN-24.
      if (!steady || actual === undefined) continue
      if (actual.split(', ').length !== expected.split(', ').length) continue
      compared += 1
      if (actual === expected) continue
      const message = `the single answer shows a transaction with another ${words}`
      return { message, expected: `${expected} for ${key}`, actual, exchange }
    }
  }
  return compared === 0 ? 'no rows' : undefined
}

/**
 * Finds an answer that shows none of the booked rows of another consent with the amounts on which four answers of
 * that consent agree. Single amounts may change, but never all; while some of the four differ, nothing is judged.
 */
export async function atOtherAmounts(
  other: Approval,
  exchange: Exchange,
): Promise<Wrong | undefined> {
  const [steady, ...others] = (await fourReads(other)).map((answer) =>
    amountsAcross(settled(bookedOf(rowsOf(answer)))),
  )
  if (!steady) return undefined
  for (const amounts of others) {
    for (const [row, amount] of steady) {
      if (!amounts.has(row)) steady.delete(row)
      else if (amounts.get(row) !== amount) return undefined
    }
  }
  const shown = amountsAcross(settled(bookedOf(rowsOf(exchange))))
  const common = [...steady].filter(([row]) => shown.has(row))
  const [first] = common
  if (common.length < 3 || !first) return undefined
  if (common.some(([row, amount]) => shown.get(row) === amount)) return undefined
  const single = await shownOtherwise(other)
  if (single && single !== 'no rows') {
    blockBy(
      'TXN-39/bulk-equals-single',
      'the single answers show other amounts too',
      single.exchange,
    )
  }
  const message = 'transactions have other amounts than under another consent of the customer'
  const expected = `${first[1]} for ${first[0]}`
  return { message, expected, actual: String(shown.get(first[0])), exchange }
}

/** Amounts by a key that is the same under every consent; it includes the number of rows with the same key. */
function amountsAcross(rows: Row[]): Map<string, string> {
  const amounts = new Map<string, unknown[]>()
  for (const row of rows) {
    const key = keyAcrossConsents(row)
    amounts.set(key, [...(amounts.get(key) ?? []), amountOf(row)].sort())
  }
  return new Map([...amounts].map(([key, all]) => [`${all.length} ${key}`, all.join(', ')]))
}

/** Finds pending rows that two answers of one endpoint show, and an answer of the other endpoint between them lacks. */
export async function pendingOtherwise(approval: Approval): Promise<Wrong | 'no rows' | undefined> {
  const { singlesBefore, bulkBefore, singlesAfter, bulkAfter } = await bulkAndSingles(approval)
  const pending = (exchange: Exchange, path: string) =>
    requireRows(exchange, readOwner(approval, path)).filter((row) => !isBooked(row))
  let compared = 0
  for (const [id, before] of singlesBefore) {
    const path = pathOf(id, '/transactions')
    const after = singlesAfter.get(id) ?? before
    const ofBulk = [bulkBefore, bulkAfter].map((answer) =>
      pending(answer, bulk).filter((row) => row.AccountId === id),
    )
    const own = shared(pending(before, path), pending(after, path), pendingKey)
    const others = shared(ofBulk[0] ?? [], ofBulk[1] ?? [], pendingKey)
    compared += own.length + others.length
    const lost = matchers.toHoldRows(bulkBefore, notBookedIn(bulkBefore, own), pendingKey)
    if (lost) return { ...lost, exchange: bulkBefore }
    const unseen = matchers.toHoldRows(after, notBookedIn(after, others), pendingKey)
    if (unseen) return { ...unseen, exchange: after }
  }
  return compared === 0 ? 'no rows' : undefined
}

/** Without pending rows that an answer of another moment shows as booked: by TransactionId, or by the same time. */
function notBookedIn(answer: Exchange, pending: Row[]): Row[] {
  const booked = bookedOf(rowsOf(answer))
  const isSame = (row: Row, other: Row, name: string) =>
    row.AccountId === other.AccountId && row[name] !== undefined && row[name] === other[name]
  return pending.filter(
    (row) =>
      !booked.some((other) =>
        ['TransactionId', 'BookingDateTime'].some((name) => isSame(row, other, name)),
      ),
  )
}

/** The other members of a pending row may change until it is booked, and values of Status are not documented. */
function pendingKey(row: Row): string {
  const currency = member(row, 'Amount', 'Currency')
  return JSON.stringify([row.AccountId, isBooked(row), row.CreditDebitIndicator, currency])
}

/** Details by transaction, for one account; sorted for transactions with the same key, absent if one has none. */
function toldIn(rows: Row[], accountId: string, of: Told['of']): Map<string, string> {
  const told = new Map<string, unknown[]>()
  for (const row of rows.filter((each) => each.AccountId === accountId)) {
    const key = transactionKey(row)
    told.set(key, [...(told.get(key) ?? []), of(row)].sort())
  }
  const whole = [...told].filter(([, all]) => !all.includes(undefined))
  return new Map(whole.map(([key, all]) => [key, all.join(', ')]))
}

/** If the whole answer of an address also lacks the rows, the filter is not the cause. */
export async function relyOnWholeAnswers(approval: Approval): Promise<void> {
  const { wrong } = await missingInBulk(approval)
  if (wrong) blockBy('TXN-23/all-accounts', 'the bulk answer lacks rows as well', wrong.exchange)
  const single = await beyondTheSingle(approval)
  if (single) blockBy('TXN-24/one-response', 'a single answer lacks rows as well', single.exchange)
}

/** Ends the check where one answer is not complete: then that is why rows are missing. */
export async function relyOnOneResponse(approval: Approval): Promise<void> {
  const wrong = await wholeWrong(approval)
  if (wrong) blockBy('TXN-24/one-response', 'one answer does not hold all', wrong.exchange)
}

/**
 * The members of a transaction that are the same under every consent
 * of a customer: AccountIds differ between consents, and details may.
 */
export const keyAcrossConsents = remembered((row: Row): string => {
  const currency = member(row, 'Amount', 'Currency')
  return JSON.stringify([bookedSecond(row), row.CreditDebitIndicator, currency])
})

/**
 * Ends the check where two approvals of one customer cover different numbers of accounts: a person chose
 * differently, or ACC-14 judges that some are missing. Without a permission for accounts this cannot be known.
 */
export async function relyOnSameAccounts(whole: Approval, limited: Approval): Promise<void> {
  if (!limited.facts.permissions.some((one) => one.startsWith('ReadAccounts'))) return
  const counts = [
    (await requireAccountIds(whole)).length,
    (await requireAccountIds(limited)).length,
  ]
  if (counts[0] === counts[1]) return
  const { accounts } = whole.tpp.target.document.customers[whole.customer] ?? {}
  if (accounts !== undefined) {
    blockBy('ACC-14/other-approvals', `${counts.join(' and ')} accounts`)
  }
  blockForData(`two approvals of the same accounts; they have ${counts.join(' and ')}`)
}
