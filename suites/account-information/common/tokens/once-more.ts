import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Tpp } from '../../../../engine/suite-api/client.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { tokensOf, type Visit, visitEnd } from '../../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import {
  type Exchange,
  refused,
  rowsOf,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { codeOfAnotherClient, everything, narrowOfSeconds, reconfirmed } from '../../../consents.ts'
import { OWNERS } from '../../../owners.ts'
import { type Asked, relyOnNoneBroken } from '../../../tables.ts'
import { consentPath } from '../consents/consent-requests.ts'
import { accountIdsIn, pathOf } from '../data/data-reads.ts'
import { readPeriod } from '../data/period-reads.ts'
import { readOwner } from '../data/read-owners.ts'
import { bookedIn, bulk } from '../data/transaction-readings.ts'
import { ELSEWHERE } from '../elsewhere.ts'
import { askWithCode, type OneCode } from '../places/code-places.ts'
import { approvedBefore } from '../visits/visits.ts'
import { tryOwnCode } from './codes.ts'
import { TRIED_CODE, triedCode } from './tried-code.ts'

const ONCE_MORE = 'a consent with a period, to be re-confirmed'

/** Options of the checks about this re-confirmation. */
export const CONFIRMED_ONCE_MORE = {
  uses: [everything, reconfirmed, narrowOfSeconds, codeOfAnotherClient],
  spends: narrowOfSeconds,
  registers: 'where allowed',
  grants: [ONCE_MORE, TRIED_CODE],
  needs: ['clients.second', 'customers.second'],
} as const

/** What the consent gives, with or without permission. */
interface Given {
  accounts: Exchange[]
  balances: Exchange
  transactions: Exchange
  terms: Exchange
}

/**
 * “second client and customer”, re-confirmed. If codes outlive refusals, its code is tried by
 * the first client, with other redirect URIs and without authentication. Then it is exchanged.
 * After everything was read it is sent again, if an earlier token still works: a bank may end
 * the tokens of a code that is sent twice, and the approval is needed until the end.
 */
export const confirmedOnceMore = sharedFixture(CONFIRMED_ONCE_MORE.uses, async (context) => {
  const approval = await context.approved(narrowOfSeconds)
  const { consentId, tpp } = approval
  const read = async (): Promise<Given> => {
    const list = await approval.get('/accounts')
    const accounts = [list]
    for (const id of accountIdsIn(rowsOf(list))) accounts.push(await approval.get(pathOf(id, '')))
    return {
      accounts,
      balances: await approval.get('/balances', { deviation: 'a consent without ReadBalances' }),
      transactions: await approval.get(bulk),
      terms: await approval.get(consentPath(consentId)),
    }
  }
  const before = await read()
  bookedIn(before.transactions, readOwner(approval, bulk))
  const older = await approval.tokens()
  const outlives = await outlivesRefusals(context).catch(() => false)
  await approvedBefore(context, reconfirmed)
  const confirm = async () => {
    const options = { client: 'second', customer: 'second', consentId, correct: true } as const
    const visit = await context.visit({ purpose: ONCE_MORE, ...options })
    if (visit.kind === 'granted') return visit
    blockBy(OWNERS.visitAgain, `the visit ended with ${visitEnd(visit)}`, visit.last)
  }
  const visit = await confirm()
  const { code, request } = visit
  const grant: Grant = { grant_type: 'authorization_code', code, redirect_uri: request.redirectUri }
  const tried: { foreign?: Exchange; elsewhere?: Asked; byNobody?: Exchange } = {}
  if (outlives) {
    const { tpp: first } = await context.caller()
    tried.foreign = await first.token(grant, { deviation: 'a code of the second client' })
  }
  if (tried.foreign && !tokensOf(tried.foreign)) {
    const codes = { first: codeOf(tpp, visit), another: async () => codeOf(tpp, await confirm()) }
    const { asked, last } = await askWithCode(context, 'TOK-12/second-client', 'second', codes)
    tried.elsewhere = asked
    grant.code = last.code
  }
  if (tried.elsewhere?.broken.length === 0) {
    const deviation = 'a code without client authentication'
    tried.byNobody = await tpp.token(grant, { authentication: 'none', deviation })
  }
  const stolen =
    tried.elsewhere?.broken.length ||
    [tried.foreign, tried.byNobody].some((one) => one && tokensOf(one))
  const right = stolen ? undefined : await tpp.token(grant)
  const tokens = right && tokensOf(right)
  if (!tokens) return { approval, before, tried, right }
  approval.use(tokens)
  const after = await read()
  // Rules judge the data; if it cannot be read, a check reports that.
  await readPeriod(approval).catch(() => undefined)
  const deviation = 'a token of before the re-confirmation'
  const still = await approval.get(bulk, { bearer: older.accessToken, deviation })
  if (!succeeded(still)) return { approval, before, tried, right, after }
  const replayed = { ...ELSEWHERE, deviation: 'a code that was exchanged before' }
  const again = await tpp.token(grant, replayed)
  const lives = await approval.get(bulk, { bearer: tokens.accessToken, deviation: 'its token' })
  if (refused(lives)) approval.use(older)
  return { approval, before, tried, right, after, again }
})

type Grant = { grant_type: 'authorization_code'; code: string; redirect_uri: string }

const codeOf = (tpp: Tpp, { code, request }: Visit & { kind: 'granted' }): OneCode => ({
  ...{ tpp, code, redirectUri: request.redirectUri },
})

/** Did a code of the first client, and one from another redirect URI, still give tokens after refusals? */
async function outlivesRefusals(
  context: Context<typeof everything | typeof codeOfAnotherClient>,
): Promise<boolean> {
  const { last } = await tryOwnCode(context)
  return tokensOf(last) !== undefined && (await triedCode(context)).outlived
}

type Confirmed = Awaited<ReturnType<typeof confirmedOnceMore>>

/** Relies on this: only the correct request exchanged the code. */
export function relyOnRightExchange({ tried, right }: Confirmed): void {
  const { foreign, elsewhere, byNobody } = tried
  if (foreign) relyOn('TOK-35/second-client', foreign).toGiveNoToken()
  if (elsewhere) relyOnNoneBroken(elsewhere, 'TOK-12/second-client')
  if (byNobody) relyOn('TOK-04/second-client', byNobody).toGiveNoToken()
  requireExchanged(right, foreign)
}

/** Relies on this: the correct request, if it was sent, gave a token. If not, an earlier refusal has ended the code. */
export function requireExchanged(right?: Exchange, refusedBefore?: Exchange | Asked): void {
  if (!right || tokensOf(right)) return
  if (refusedBefore) throw new NotApplicable('the bank ends a code at the first refusal')
  relyOn(OWNERS.exchange, right).toGiveAToken()
}

/** Why a code was not tried: one gave no token after a refusal, or was accepted when it should not be. */
export const NOT_TRIED = 'no code is known to outlive a refusal'

/** The data of the consent with the tokens of its re-confirmation. */
export function requireConfirmed(confirmed: Confirmed): Confirmed & { after: Given } {
  relyOnRightExchange(confirmed)
  const { after } = confirmed
  if (!after) throw new NotApplicable('the code of the re-confirmation gave no token')
  return { ...confirmed, after }
}
