import type { Approval } from '../../../engine/journey/approvals.ts'
import type { Context } from '../../../engine/journey/context.ts'
import { OWNERS } from '../../../engine/journey/steps.ts'
import { tokensOf } from '../../../engine/journey/tokens.ts'
import { relyOn } from '../../../engine/judge/expect.ts'
import { Blocked, lacking, NotApplicable } from '../../../engine/judge/outcome.ts'
import type { Row } from '../../../engine/judge/rows.ts'
import { brief } from '../../../engine/judge/schemas.ts'
import type { Exchange } from '../../../engine/wire/exchange.ts'
import { basicCredits, everything } from '../../consents.ts'
import { accountIds, accountsTwice, firstRead, listed } from './readings.ts'

/** The documented fields of an account but its id, whichever way Account is nested. */
export function documented(row: Row): string {
  const { Currency, AccountType, AccountSubType, Description, Account } = row
  const cards = [Account ?? []].flat().map((card) => {
    const { SchemeName, Identification } = (card ?? {}) as Row
    return JSON.stringify({ SchemeName, Identification })
  })
  return brief({ Currency, AccountType, AccountSubType, Description, Account: cards.sort() }, 1000)
}

/** AccountIds before and after a refresh_token grant; the approval goes on with the new tokens. */
export async function idsAroundRefresh(
  approval: Approval,
): Promise<{ before: string[]; after: string[]; exchange: Exchange }> {
  const before = await accountIds(approval)
  const { refreshToken } = await approval.tokens()
  if (!refreshToken) throw new NotApplicable('the bank issues no refresh token')
  const grant = { grant_type: 'refresh_token' as const, refresh_token: refreshToken }
  const exchange = await approval.tpp.token(grant)
  relyOn(OWNERS.refresh, exchange)
  const tokens = tokensOf(exchange)
  if (!tokens) throw new Blocked({ kind: 'check', id: OWNERS.refresh }, 'no token came', exchange)
  approval.use({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken })
  const [, second] = await accountsTwice(approval)
  return { before, after: await accountIds(approval), exchange: second }
}

/** Ends the check where the ids change with every access token: that is no re-confirmation's doing. */
export async function blameRefresh(approval: Approval): Promise<void> {
  const { refreshToken } = await approval.tokens()
  if (!refreshToken) return
  const { before, after } = await idsAroundRefresh(approval)
  if (before.join() === after.join()) return
  const id = 'ACC-04/after-refresh'
  throw new Blocked({ kind: 'check', id }, 'the AccountIds change with every access token')
}

/** The accounts of one customer under the detail and under the basic permission. */
export async function levelsOfDetail(
  approved: Context['approved'],
): Promise<{ detail: Row[]; basic: Row[]; answer: Exchange }> {
  const detail = await firstRead(await approved(everything), '/accounts')
  const answer = await firstRead(await approved(basicCredits), '/accounts')
  const rows = {
    detail: listed(detail, OWNERS.accounts),
    basic: listed(answer, 'ACC-11/basic-alone'),
  }
  if (rows.detail.length === 0 || rows.basic.length === 0) lacking('an account under both consents')
  return { ...rows, answer }
}

/** Names of all members, dotted as in the documents: Description, Account.SchemeName. */
export function paths(value: unknown, above = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((each) => paths(each, above)))]
  if (typeof value !== 'object' || value === null) return [above]
  return Object.entries(value).flatMap(([name, inner]) =>
    paths(inner, above ? `${above}.${name}` : name),
  )
}
