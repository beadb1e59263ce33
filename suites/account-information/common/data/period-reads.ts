import { DAY, now } from '../../../../engine/suite-api/clock.ts'
import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { expect } from '../../../../engine/suite-api/expect.ts'
import { blockBy, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import {
  bookedAt,
  type Exchange,
  isBookedAtSomeTime,
  marginsIn,
  missingFrom,
  type Row,
  rowsOf,
  rulesBrokenBy,
} from '../../../../engine/suite-api/responses.ts'
import { goOnRefreshed } from '../tokens/refreshed-access.ts'
import { ABSENT } from './absent-reads.ts'
import { blockForBookings, NEAR, queryOf, settled } from './booking-times.ts'
import { keyAcrossConsents, relyOnSameAccounts } from './completeness.ts'
import { accountIdsIn, firstRead, pathOf, requireRows } from './data-reads.ts'
import { requireWholeHistories } from './history.ts'
import { readOwner } from './read-owners.ts'
import { between, bookedIn, bulk, relyOnSteadyRows } from './transaction-readings.ts'

/** A query that extends ten days beyond each end of a period; if it has no start, from years before its end. */
export function beyond({ from, to }: { from: number; to: number }): Record<string, string> {
  const start = from === -Infinity ? to - 1000 * DAY : from - 10 * DAY
  return queryOf({ from: start, to: Math.min(to + 10 * DAY, now()) })
}

/** Asks for more than a period, with each filter and both, for all accounts and for each. Rules judge the answers. */
export async function readPeriod(approval: Approval): Promise<void> {
  const { fromBookingDateTime: from, toBookingDateTime: to } = beyond(periodOf(approval))
  const queries = [
    { fromBookingDateTime: from, toBookingDateTime: to },
    { fromBookingDateTime: from },
    { toBookingDateTime: to },
  ] as Record<string, string>[]
  for (const query of queries) await approval.get(bulk, { query })
  const ids = await readSinglesToo(approval, [{}, ...queries])
  // Not for the first client, which sends them elsewhere: banks allow few such requests.
  if (approval.tpp.name !== 'second') return
  for (const path of [bulk, ...ids.slice(0, 1).map((id) => pathOf(id, '/transactions'))]) {
    await approval.get(path, ABSENT)
  }
}

/**
 * Bulk and single answers of a consent for debits of a period, with and without a query. The bulk answer shows all
 * debits of the period that an unlimited consent of the same customer shows. Rules judge rows beyond the period.
 * Not applicable where this customer has no debits inside and outside the period, since another customer has.
 *
 * @param alike has the unlimited consent been refreshed as well? The length of the history is open, and may depend
 * on whether a token comes from a login.
 */
export async function expectPeriod(
  whole: Approval,
  limited: Approval,
  alike = false,
): Promise<void> {
  const { from, to } = periodOf(limited)
  const { rows, read: answer } = await between(whole, bulk, () => limited.get(bulk))
  expect(answer).toSucceed()
  bookedIn(answer, readOwner(limited, bulk))
  await readPeriod(limited)
  const debits = settled(rows).filter((row) => !isCredit(row))
  const margin = marginsIn(rows, NEAR)
  const inPeriod = debits.filter((row) => isWithin(row, from + margin(row), to - margin(row)))
  if (inPeriod.length === 0 || inPeriod.length === debits.length) {
    const needed = 'a booked debit within the period and one outside it'
    if (!rows.every(isBookedAtSomeTime)) blockForBookings(needed, rows)
    throw new NotApplicable(`this customer lacks ${needed}`)
  }
  if (lacksNone(answer, inPeriod)) return
  if (!alike && (await goOnRefreshed(whole))) return expectPeriod(whole, limited, true)
  await requireWholeHistories(limited)
  relyOnRules(answer, 'TXN-25/direction', 'TXN-20/inside')
  await relyOnSameAccounts(whole, limited)
  await relyOnSteadyRows(whole)
  expect(answer).toHoldRows(inPeriod, keyAcrossConsents)
}

/** Also reads the single endpoint; rules judge whether it respects the consent. */
export async function readSinglesToo(
  approval: Approval,
  queries: Record<string, string>[],
): Promise<string[]> {
  const ids = accountIdsIn(requireRows(await firstRead(approval, bulk), readOwner(approval, bulk)))
  for (const id of ids) {
    for (const query of queries) await approval.get(pathOf(id, '/transactions'), { query })
  }
  return ids
}

export const isCredit = (row: Row) => row.CreditDebitIndicator === 'Credit'

/** The consent's own period, in milliseconds since 1970. */
export function periodOf({ facts }: Approval): { from: number; to: number } {
  const { transactionFrom, transactionTo } = facts
  const from = transactionFrom === undefined ? -Infinity : Date.parse(transactionFrom)
  const to = transactionTo === undefined ? Infinity : Date.parse(transactionTo)
  return { from, to }
}

export function isWithin(row: Row, from: number, to: number): boolean {
  const at = isBookedAtSomeTime(row) ? bookedAt(row) : undefined
  return at !== undefined && at > from && at < to
}

export function lacksNone(answer: Exchange, rows: Row[]): boolean {
  return missingFrom(rowsOf(answer), rows, keyAcrossConsents).length === 0
}

/** Ends the check where an answer breaks a rule of the consent: then rows are missing for the same reason. */
export function relyOnRules(answer: Exchange, ...rules: string[]): void {
  const broken = rules.find((rule) => rulesBrokenBy(answer).includes(rule))
  if (broken) blockBy(broken, `the answer breaks ${broken}`, answer)
}
