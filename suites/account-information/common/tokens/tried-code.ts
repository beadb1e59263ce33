import type { Context } from '../../../../engine/suite-api/check.ts'
import type { TokenDeviation, Tpp } from '../../../../engine/suite-api/client.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { requireValue, tokensOf, type Visit, visitEnd } from '../../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import { type Exchange, rowsOf } from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { everything, SPECIAL_STATE } from '../../../consents.ts'
import { OWNERS } from '../../../owners.ts'
import { type Asked, relyOnNoneBroken } from '../../../tables.ts'
import { accountIdsIn } from '../data/data-reads.ts'
import { ELSEWHERE } from '../elsewhere.ts'
import { askWithCode, type OneCode } from '../places/code-places.ts'
import { visitOf, withoutRefreshTokens } from '../registration/narrow-registration.ts'

/** The purpose of the visit that gives the code. */
export const TRIED_CODE = 'a code that is tried wrongly before it is exchanged'

/** One code, and its results: `refreshed` where a client without that grant got a refresh token. */
interface Tried {
  elsewhere: Asked
  byNobody: Exchange
  right: Exchange
  refreshed?: Exchange
  /** The data for its token: accounts under ReadAccountsBasic, and transactions under directions alone. */
  reads?: { accounts: Exchange; transactions?: Exchange[] }
  again: Exchange
  /** Did the code give a token to the correct request after others were refused? */
  outlived: boolean
  /** The customer went on in the browser session in which “everything” had been approved. */
  sameBrowser: boolean
}

/**
 * One code: with other redirect URIs, without assertion, then correctly; its refresh token; the
 * code again. Whether a code outlives a refusal is open: if not, all attempts but the first use
 * new codes. It is the code of a client without refresh_token, if one can be registered. The customer
 * goes on in the browser session in which “everything” was approved, and opens its request again in another tab.
 */
export const triedCode = sharedFixture([everything], async (context): Promise<Tried> => {
  // If this fails for any reason, another client's code is enough for the rest.
  const narrow = await withoutRefreshTokens(context).catch(() => undefined)
  requireValue(await context.steps.exchange(everything))
  const own = (await context.caller()).tpp
  const tpp = narrow ?? own
  const more = heldCodes((use) => withCode(context, tpp, use))
  return withCode(context, tpp, async (first) => {
    const codes = { first, another: more.another }
    const tried = await askWithCode(context, 'TOK-12/other', 'first', codes)
    const { asked: elsewhere, last: visit } = tried
    const taken = elsewhere.broken.length > 0
    const byNobody = await exchangedByNobody(tpp, visit)
    const right = await exchanged(tpp, visit, { deviation: 'a code that was refused before' })
    const outlived = !taken && !tokensOf(byNobody) && tokensOf(right) !== undefined
    if (!taken && !outlived) context.counts('TOK-12/other', 1)
    if (taken || [byNobody, right].some(tokensOf)) {
      const later = await afterwards(tpp, visit, right, narrow)
      return { elsewhere, byNobody, right, outlived, ...later }
    }
    return withCode(context, tpp, async (second) => {
      const byNobody = await exchangedByNobody(tpp, second)
      return withCode(context, tpp, async (third) => {
        const right = await exchanged(tpp, third)
        const later = await afterwards(tpp, third, right, narrow)
        return { elsewhere, byNobody, right, outlived, ...later }
      })
    })
  }).finally(more.end)
})

/** Codes whose consents are deleted only at the end. */
function heldCodes(open: (use: (visit: Granted) => Promise<void>) => Promise<void>) {
  const held: Promise<void>[] = []
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return {
    another: () =>
      new Promise<Granted>((resolve, reject) => {
        const use = (visit: Granted) => {
          resolve(visit)
          return ended
        }
        held.push(open(use).catch(reject))
      }),
    async end() {
      end()
      await Promise.all(held)
    },
  }
}

/** What the token of a consent for ReadAccountsBasic and directions alone gets; not applicable where the bank takes none (AMB-13). */
export function requireDirectionsAlone({ reads }: Tried) {
  const { accounts, transactions } = reads ?? {}
  if (!accounts || !transactions)
    throw new NotApplicable('the bank takes no consent for directions alone')
  relyOn('ACC-11/basic-alone', accounts).toSucceed()
  return { accounts, transactions }
}

/** Relies on this: only the correct request exchanged the code. */
export function relyOnRightExchange({ elsewhere, byNobody, right }: Tried): void {
  relyOnNoneBroken(elsewhere, 'TOK-12/other')
  relyOn('TOK-04/authorization-code', byNobody).toGiveNoToken()
  relyOn(OWNERS.exchange, right).toSucceed()
}

type Granted = Visit & { kind: 'granted' } & OneCode & {
    /** Its consent is for directions alone. */
    narrow: boolean
  }

/** Permissions for directions, but neither Basic nor Detail: a bank may refuse this combination. */
const DIRECTIONS = ['ReadAccountsBasic', 'ReadTransactionsCredits', 'ReadTransactionsDebits']

/** An untried code of this client, for a new consent. */
async function withCode<T>(
  context: Context<typeof everything>,
  tpp: Tpp,
  use: (visit: Granted) => Promise<T>,
): Promise<T> {
  const redirectUri = tpp.registered?.redirect_uris[1]
  const { consentId } = await context.approved(everything)
  const options = {
    purpose: TRIED_CODE,
    state: SPECIAL_STATE,
    ...(everything.browser !== undefined && { browser: everything.browser }),
    otherTab: { purpose: `“${everything.name}” in another tab`, consentId },
    ...(redirectUri !== undefined && { redirectUri }),
  }
  for (const permissions of [DIRECTIONS, undefined]) {
    const narrow = permissions !== undefined
    const used = await visitOf(context, tpp, { ...options, permissions }, async (visit) => {
      if (visit.kind === 'granted') {
        const { redirectUri } = visit.request
        return { value: await use({ ...visit, narrow, tpp, redirectUri }) }
      }
      if (narrow) return undefined
      blockBy(OWNERS.visit, `the visit ended with ${visitEnd(visit)}`, visit.last)
    })
    if (used) return used.value
  }
  throw new TypeError('a visit that is not granted blocks')
}

function exchanged(
  tpp: Tpp,
  { code, request }: Granted,
  deviation: TokenDeviation = {},
): Promise<Exchange> {
  const grant = { code, redirect_uri: request.redirectUri } as const
  return tpp.token({ grant_type: 'authorization_code', ...grant }, deviation)
}

function exchangedByNobody(tpp: Tpp, visit: Granted): Promise<Exchange> {
  const deviation = 'a code without client authentication'
  return exchanged(tpp, visit, { authentication: 'none', deviation })
}

/** The data for the tokens of a code, and then the code again, which may end the tokens. */
async function afterwards(tpp: Tpp, visit: Granted, right: Exchange, narrow: Tpp | undefined) {
  const { accessToken: bearer, refreshToken } = tokensOf(right) ?? {}
  const reads = bearer !== undefined && (await readWith(tpp, bearer, visit.narrow))
  const deviation = 'a grant type that is not registered'
  const sameBrowser = visit.sameBrowser === true
  const refreshed =
    narrow && refreshToken !== undefined
      ? await tpp.token({ grant_type: 'refresh_token', refresh_token: refreshToken }, { deviation })
      : undefined
  // Another node may not know that it was used.
  const replayed = { ...ELSEWHERE, deviation: 'a code that was exchanged before' }
  const again = await exchanged(tpp, visit, replayed)
  return { again, sameBrowser, ...(reads && { reads }), ...(refreshed && { refreshed }) }
}

async function readWith(
  tpp: Tpp,
  bearer: string,
  narrow: boolean,
): Promise<NonNullable<Tried['reads']>> {
  const accounts = await tpp.call('accounts', { bearer })
  if (!narrow) return { accounts }
  const deviation =
    'a consent for credits and debits without ReadTransactionsBasic or ReadTransactionsDetail'
  const transactions = [await tpp.call('transactions', { bearer, deviation })]
  for (const subject of accountIdsIn(rowsOf(accounts)).slice(0, 1)) {
    transactions.push(await tpp.call('account-transactions', { bearer, subject, deviation }))
  }
  return { accounts, transactions }
}
