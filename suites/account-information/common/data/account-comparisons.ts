import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { blockBy, blockForData } from '../../../../engine/suite-api/outcomes.ts'
import {
  brief,
  type Exchange,
  member,
  type Row,
  rowsOf,
} from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { basicCredits, debitsInPeriod, narrowOfSeconds, secondClient } from '../../../consents.ts'
import { OWNERS } from '../../../owners.ts'
import { ELSEWHERE } from '../elsewhere.ts'
import {
  accountsTwice,
  firstRead,
  once,
  requireAccountIds,
  requireRows,
  singles,
} from './data-reads.ts'
import { readOwner } from './read-owners.ts'

/** The documented fields of an account without its id, however Account is nested; `read` converts a card number. */
const fieldsOf = (row: Row, read: (number: unknown) => unknown): string => {
  const { Currency, AccountType, AccountSubType, Description, Account } = row
  const cards = [Account ?? []].flat().map((card) => {
    const { SchemeName, Identification } = (card ?? {}) as Row
    return JSON.stringify({ SchemeName, Identification: read(Identification) })
  })
  return brief({ Currency, AccountType, AccountSubType, Description, Account: cards.sort() }, 1000)
}

export const documented = (row: Row): string => fieldsOf(row, (number) => number)

/** The same with only the last four digits of a card: each answer may mask the rest differently. */
export const described = (row: Row): string => fieldsOf(row, lastFour)

const lastFour = (number: unknown) =>
  /\d{4}$/.test(String(number)) ? String(number).slice(-4) : number

/** The last four digits of the card, which identify an account across consents; undefined where it shows none. */
export function numberOf({ Account }: Row): string | undefined {
  const [card] = [Account ?? []].flat()
  return /\d{4}$/.exec(String(member(card, 'Identification') ?? ''))?.[0]
}

/** Does an account show no digit of its card? */
export function hidesCard({ Account }: Row): boolean {
  const cards = [Account ?? []].flat()
  return cards.every((card) => !/\d/.test(String(member(card, 'Identification') ?? '')))
}

/** AccountIds before and after a refresh_token grant; the approval continues with the new tokens. */
export async function idsAroundRefresh(
  approval: Approval,
): Promise<{ before: string[]; after: string[]; exchange: Exchange }> {
  const before = await requireAccountIds(approval)
  relyOn(OWNERS.refresh, (await approval.refresh()).exchange).toGiveAToken()
  const [, second] = await accountsTwice(approval)
  return { before, after: await requireAccountIds(approval), exchange: second }
}

/** An approval around its refresh: its AccountIds before, and its accounts before and after. */
interface AroundRefresh {
  approval: Approval
  ids: string[]
  before: Exchange
  after: Exchange
}

/**
 * Two approvals of one client and different customers, refreshed at the same time. Where the bank refuses one of the
 * two, it is refreshed once more alone. Not applicable without refresh tokens.
 */
export const refreshedAtOnce = sharedFixture(
  [secondClient, narrowOfSeconds],
  async ({ approved }) => {
    const both: Omit<AroundRefresh, 'after'>[] = []
    for (const consent of [secondClient, narrowOfSeconds]) {
      const approval = await approved(consent)
      const ids = await requireAccountIds(approval)
      both.push({ approval, ids, before: await firstRead(approval, '/accounts') })
    }
    const held = await Promise.all(both.map(({ approval }) => approval.tokens()))
    // Both over a new connection: otherwise only one of them would wait for one.
    const sent = await Promise.all(both.map(({ approval }) => approval.refresh(ELSEWHERE)))
    const inTurn = sent.some(({ tokens }) => tokens === undefined)
    const around: AroundRefresh[] = []
    for (const [index, one] of both.entries()) {
      const { approval } = one
      const again = sent[index]?.tokens ? undefined : (await approval.refresh()).exchange
      if (again) {
        // Where the access token is refused as well, something has ended the approval.
        relyOn(readOwner(approval, '/accounts'), await approval.get('/accounts')).toSucceed()
        relyOn(OWNERS.refresh, again).toGiveAToken()
      }
      const read = () => approval.get('/accounts', { about: { owns: OF_OTHERS } })
      around.push({ ...one, after: await once(approval, '/accounts', read) })
    }
    const [first, second] = around as [AroundRefresh, AroundRefresh]
    const foreign = [foreignIn(first, second), foreignIn(second, first)]
    // What other checks read must be of the right customer again.
    for (const [index, { approval }] of around.entries()) {
      const own = held[index]
      if (!own || !foreign.some((rows) => rows.length > 0)) continue
      approval.use(own)
      await approval.refresh()
    }
    return { inTurn, around, foreign }
  },
)

/** Rules that find accounts of another consent too. */
const OF_OTHERS = ['ACC-04/kept', 'ACC-20/detail-shows-card', 'TXN-28/kept']

/** Accounts that an approval shows after its refresh, that the other one showed before, and it did not. */
function foreignIn({ before, after }: AroundRefresh, other: AroundRefresh): Row[] {
  const [own, others] = [before, other.before].map((answer) => new Set(rowsOf(answer).map(shownAs)))
  return rowsOf(after).filter((row) => !own?.has(shownAs(row)) && others?.has(shownAs(row)))
}

const shownAs = (row: Row) => JSON.stringify([row.AccountId, described(row)])

/** Ends the check where the ids change with every access token: then re-confirmation is not the cause. */
export async function relyOnIdsAfterRefresh(approval: Approval): Promise<void> {
  const { refreshToken } = await approval.tokens()
  if (!refreshToken) return
  const { before, after } = await idsAroundRefresh(approval)
  if (before.join() === after.join()) return
  const id = 'ACC-04/after-refresh'
  blockBy(id, 'the AccountIds change with every access token')
}

type Approved = Context<typeof debitsInPeriod | typeof basicCredits>['approved']

/**
 * Accounts under the detail permission and under the basic permission,
 * each without the other: what a consent with both shows is open (AMB-44).
 */
export interface Levels {
  detail: Row[]
  basic: Row[]
}

/** The accounts of one customer at their single addresses, under both permissions. */
export async function levelsAtSingles(approved: Approved): Promise<Levels> {
  const rows = async (consent: typeof debitsInPeriod | typeof basicCredits) => {
    const answers = [...(await singles(await approved(consent), '')).values()]
    return answers.flatMap((answer) => requireRows(answer, 'ACC-02/answers-200'))
  }
  const levels = { detail: await rows(debitsInPeriod), basic: await rows(basicCredits) }
  if (levels.detail.length === 0 || levels.basic.length === 0)
    blockForData('an account under both consents')
  return levels
}

/** Does the detail permission show a member, or a value, that the basic one does not? */
export function differ({ detail, basic }: Levels): boolean {
  const values = (rows: Row[]) => rows.map(documented).sort().join()
  return showsMore(detail, basic) || values(detail) !== values(basic)
}

/** Do these rows have a member that the others lack? */
export function showsMore(these: Row[], those: Row[]): boolean {
  const known = paths(those)
  return paths(these).some((path) => !known.includes(path))
}

/** The accounts of one customer under the detail and under the basic permission. */
export async function levelsOfDetail(approved: Approved): Promise<Levels & { answer: Exchange }> {
  const detail = await firstRead(await approved(debitsInPeriod), '/accounts')
  const answer = await firstRead(await approved(basicCredits), '/accounts')
  const rows = {
    detail: requireRows(detail, OWNERS.accountsWithDetailAlone),
    basic: requireRows(answer, 'ACC-11/basic-alone'),
  }
  if (rows.detail.length === 0 || rows.basic.length === 0)
    blockForData('an account under both consents')
  return { ...rows, answer }
}

/** Names of all members that have a value, dotted as in the documents: Description, Account.SchemeName. */
export function paths(value: unknown, above = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((each) => paths(each, above)))]
  if (value === null) return []
  if (typeof value !== 'object') return [above]
  return Object.entries(value).flatMap(([name, inner]) =>
    paths(inner, above ? `${above}.${name}` : name),
  )
}
