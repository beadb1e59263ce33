import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../../../engine/suite-api/expect.ts'
import type { TokenSet } from '../../../../engine/suite-api/flow.ts'
import { blockBy, blockForData } from '../../../../engine/suite-api/outcomes.ts'
import {
  type Exchange,
  member,
  percentEncoded,
  type Row,
  refused,
  rowsOf,
  rulesBrokenBy,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import { readOwner } from './read-owners.ts'

/** The part of the path after the account: none for the account itself, its balances, its transactions. */
export type Tail = '' | '/balances' | '/transactions'

const memory = new WeakMap<TokenSet, Map<string, Promise<unknown>>>()

/** Reads something once per access token: with another token the data may lawfully differ. */
export async function once<T>(
  approval: Approval,
  name: string,
  read: () => Promise<T>,
): Promise<T> {
  const tokens = await approval.tokens()
  const known = memory.get(tokens) ?? new Map<string, Promise<unknown>>()
  memory.set(tokens, known)
  const reading = (known.get(name) as Promise<T> | undefined) ?? read()
  known.set(name, reading)
  return reading
}

/** The first answer of a path with this access token. */
export async function firstRead(approval: Approval, path: string): Promise<Exchange> {
  const answer = await once(approval, path, () => approval.get(path))
  const known = earliest.get(approval.facts) ?? new Map<string, Exchange>()
  earliest.set(approval.facts, known)
  if (!known.has(path)) known.set(path, answer)
  return answer
}

/** Shows that the access token works: its first answer of a path if that is a success, or else a new one. */
export async function servedRead(approval: Approval, path: string): Promise<Exchange> {
  const first = await firstRead(approval, path)
  return succeeded(first) ? first : approval.get(path)
}

const earliest = new WeakMap<Approval['facts'], Map<string, Exchange>>()

/** The first answer of a path under this consent, with any access token; undefined where none was read yet. */
export function earliestRead({ facts }: Approval, path: string): Exchange | undefined {
  return earliest.get(facts)?.get(path)
}

/**
 * The rows of an answer. If it is no success, `owner` blocks the
 * check; if it is no list, the rule that it breaks blocks the check.
 */
export function requireRows(exchange: Exchange, owner: string): Row[] {
  relyOn(owner, exchange).toSucceed()
  const data = member(exchange.response?.json, 'Data')
  const lists = ['Account', 'Balance', 'Transaction'].map((name) => member(data, name))
  if (lists.some(Array.isArray)) return rowsOf(exchange)
  const broken = rulesBrokenBy(exchange)
  const shape = /\/array$|^ENV-01\/|^GEN-01\//
  const id = broken.find((rule) => shape.test(rule)) ?? broken[0] ?? owner
  blockBy(id, `the answer is not a list: it breaks ${id}`, exchange)
}

/** Two answers of GET /accounts, one after the other. */
export function accountsTwice(approval: Approval): Promise<[Exchange, Exchange]> {
  return twice(approval, '/accounts')
}

async function twice(approval: Approval, path: string): Promise<[Exchange, Exchange]> {
  const first = await firstRead(approval, path)
  return [first, await once(approval, `${path} again`, () => approval.get(path))]
}

/** The list that shows the accounts of a consent: that of transactions if the consent may not read accounts. */
export function listOf({ facts: { permissions } }: Approval): string {
  return permissions.some((one) => one.startsWith('ReadAccounts')) ? '/accounts' : '/transactions'
}

/** The AccountIds of an answer, each once, sorted. */
export function accountIdsIn(rows: Row[]): string[] {
  const ids = rows.map((row) => row.AccountId).filter((id) => typeof id === 'string' && id !== '')
  return [...new Set(ids as string[])].sort()
}

/**
 * AccountIds of the consent; ends the check where they change, where
 * there are none, or where transactions name an account of somebody else.
 */
export async function requireAccountIds(approval: Approval): Promise<string[]> {
  const ids = await listedIds(approval)
  const [strange] = await unservedIds(approval)
  if (strange === undefined) return ids
  const why = `GET /transactions lists ${strange}, which no address serves`
  blockBy('TXN-03/of-the-consent', why, await firstRead(approval, '/transactions'))
}

/**
 * AccountIds that only transactions name and that both addresses of an account
 * refuse, while others are served. None where the consent may list accounts.
 */
async function unservedIds(approval: Approval): Promise<string[]> {
  if (listOf(approval) === '/accounts') return []
  return once(approval, 'unserved', async () => {
    const named = await listedIds(approval)
    const withBalance = accountIdsIn(rowsOf(await firstRead(approval, '/balances')))
    const ids = [...new Set([...named, ...withBalance])]
    const unserved: string[] = []
    for (const id of ids.length > 1 ? ids : []) {
      if (!refused(await approval.get(pathOf(id, '/balances')))) continue
      if (refused(await approval.get(pathOf(id, '/transactions')))) unserved.push(id)
    }
    if (unserved.length === ids.length) return []
    return unserved.filter((id) => named.includes(id))
  })
}

async function listedIds(approval: Approval): Promise<string[]> {
  const list = listOf(approval)
  const [first, second] = await twice(approval, list)
  const owner = readOwner(approval, list)
  const ids = accountIdsIn(requireRows(first, owner))
  const again = accountIdsIn(requireRows(second, owner))
  if (ids.join() !== again.join()) {
    const id = 'ACC-04/second-call'
    blockBy(id, 'the AccountIds changed between two calls', second)
  }
  return ids.length > 0 ? ids : blockForData('an account with an AccountId')
}

/** The path of one account, or of its balances or transactions. */
export function pathOf(accountId: string, tail: Tail): string {
  return `/accounts/${percentEncoded(accountId)}${tail}`
}

/** The answer for each account of the consent, by AccountId, read after the first bulk answer. */
export function singles(approval: Approval, tail: Tail): Promise<Map<string, Exchange>> {
  return once(approval, `singles${tail}`, async () => {
    await firstRead(approval, tail || '/accounts')
    return readSingles(approval, tail)
  })
}

/** The bulk answer, read once more after those of the single addresses. */
export async function bulkAgain(approval: Approval, tail: '/balances'): Promise<Exchange> {
  await singles(approval, tail)
  return once(approval, `${tail} after singles`, () => approval.get(tail))
}

/** The answers of `singles`, read again. */
export async function readSingles(approval: Approval, tail: Tail): Promise<Map<string, Exchange>> {
  const answers = new Map<string, Exchange>()
  for (const id of await requireAccountIds(approval)) {
    answers.set(id, await approval.get(pathOf(id, tail)))
  }
  return answers
}

/** Expects that an address, and that of each account, serves this approval as it serves another. */
export async function expectServed(approval: Approval, whole: Approval, tail: Tail): Promise<void> {
  const path = tail || '/accounts'
  relyOn(readOwner(whole, path), await firstRead(whole, path)).toSucceed()
  expect(await firstRead(approval, path)).toSucceed()
  for (const [id, answer] of await singles(whole, tail))
    relyOn(readOwner(whole, pathOf(id, tail)), answer).toSucceed()
  for (const answer of (await singles(approval, tail)).values()) expect(answer).toSucceed()
}

/** Rules that compare rows, as these checks do: where one of two answers breaks them, the difference is what is judged. */
const COMPARING: readonly string[] = [
  'BAL-24/every-consent',
  'BAL-29/one-alone',
  'BAL-30/not-the-line',
  'BAL-31/of-a-used-card',
  'TXN-44/own',
  'TXN-46/overlap',
  'TXN-48/not-both',
  'TXN-49/worth',
]

/**
 * Ends the check where two answers that should agree differ in
 * a broken rule: then that rule is the cause of the difference.
 */
export function relyOnSameRules(one: Exchange, other: Exchange, prefix: string): void {
  const here = rulesBrokenBy(one)
  const there = rulesBrokenBy(other)
  const odd = [...here, ...there].filter((id) => here.includes(id) !== there.includes(id))
  const rule = odd.find((id) => id.startsWith(prefix) && !COMPARING.includes(id))
  if (!rule) return
  blockBy(rule, `one of the two answers breaks ${rule}`, one)
}

/**
 * Rows of accounts that GET /accounts doesn't list. If such an account is served at its own
 * address it belongs to the consent, and the list lacks it: ACC-14/all-accounts blocks the check.
 */
export async function rowsOfStrangers(approval: Approval, rows: Row[]): Promise<Row[]> {
  const unserved = await unservedIds(approval)
  if (unserved.length > 0) return rows.filter(({ AccountId: id }) => unserved.includes(String(id)))
  const own = await requireAccountIds(approval)
  const strange = rows.filter(({ AccountId: id }) => typeof id === 'string' && !own.includes(id))
  for (const id of accountIdsIn(strange)) {
    const answer = await approval.get(pathOf(id, ''), { deviation: 'an AccountId off the list' })
    if (!succeeded(answer)) continue
    const why = `GET /accounts lacks ${id}, which GET /accounts/{AccountId} serves`
    blockBy('ACC-14/all-accounts', why, answer)
  }
  return strange
}

/** The data endpoints that these permissions open: the lists, and the addresses of each of these accounts. */
export function dataPaths(permissions: readonly string[], accountIds: string[]): string[] {
  const opened = [
    { path: '/accounts', single: '', by: 'ReadAccounts' },
    { path: '/balances', single: '/balances', by: 'ReadBalances' },
    { path: '/transactions', single: '/transactions', by: 'ReadTransactions' },
  ].filter(({ by }) => permissions.some((permission) => permission.startsWith(by)))
  return opened.flatMap(({ path, single }) => [
    path,
    ...accountIds.map((id) => `/accounts/${percentEncoded(id)}${single}`),
  ])
}
