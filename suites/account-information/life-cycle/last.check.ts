import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { Approval } from '../../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import {
  requireValue,
  type TokenSet,
  tokensOf,
  type Visit,
} from '../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, refused, succeeded } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { everything, narrowOfSeconds, reconfirmed, secondClient } from '../../consents.ts'
import { again, atWork, expectUnharmed, harmed, requireOpen } from '../../ended-consents.ts'
import { OWNERS } from '../../owners.ts'
import { consentPath, createConsent } from '../common/consents/consent-requests.ts'
import { relyOnDeletion } from '../common/consents/deleted-consents.ts'
import { ofOneAccount, waysToAsk } from '../common/data/absent-reads.ts'
import { dataPaths, requireAccountIds } from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { ELSEWHERE } from '../common/elsewhere.ts'
import { confirmAgain, expectConfirmed } from '../common/visits/re-confirmations.ts'
import { settling } from '../common/visits/settling.ts'
import { exchangeCode } from '../common/visits/visits.ts'

/**
 * The end of a run: deletes the consents that everything else needs, and with them every
 * token that was issued for them. Requirements: specs/account-information/life-cycle.yaml
 */

interface End {
  approval: Approval
  deletion: Exchange
  /** The query of the consent just before the deletion, and after it. */
  queries: { before: Exchange; after: Exchange }
  /** The answer of each path just before the deletion, with the token in use. */
  before: { path: string; answer: Exchange }[]
  /** The access token in use, until the deletion. */
  inUse: string
  /** Every token set that was issued for the consent, also during its deletion, with each access token once; the newest first. */
  tokens: TokenSet[]
}

const LIST = '/accounts'

/**
 * Data that are read meanwhile may be given or refused, and may write the token back into a cache after the deletion
 * has removed it. A refresh meanwhile may be answered either way too, and may store its tokens after the deletion has ended
 * all others. Where the bank refuses the deletion beside another request, it is sent once more alone. All of them
 * use a new connection: otherwise only one of them would wait for one.
 */
async function deletedMeanwhile(
  approval: Approval,
  path: string,
  { refreshToken }: TokenSet,
): Promise<{ deletion: Exchange; refreshed?: TokenSet }> {
  const told = { ...ELSEWHERE, deviation: 'while its consent is deleted' }
  const refresh =
    refreshToken !== undefined &&
    approval.tpp.token({ grant_type: 'refresh_token', refresh_token: refreshToken }, told)
  const [, deletion, answer] = await Promise.all([
    approval.get(LIST, told),
    approval.delete(path, ELSEWHERE),
    refresh,
  ])
  const refreshed = answer ? tokensOf(answer) : undefined
  return {
    deletion: refused(deletion) ? await approval.delete(path) : deletion,
    ...(refreshed && { refreshed }),
  }
}

async function endOf(
  context: Context<never>,
  approval: Approval,
  issued: readonly (TokenSet | undefined)[],
): Promise<End> {
  const accounts = await requireOpen(context, approval)
  const paths = dataPaths(approval.facts.permissions, await requireAccountIds(approval))
  const before: End['before'] = []
  for (const path of paths) {
    before.push({ path, answer: path === LIST ? accounts : await approval.get(path) })
  }
  const now = await approval.tokens()
  const path = consentPath(approval.consentId)
  const query = await approval.get(path)
  const { deletion, refreshed } = await deletedMeanwhile(approval, path, now)
  // The newest first: a refresh token that was exchanged may end all others if it comes again, and may have ended `now`.
  const tokens = [refreshed, now, ...issued].filter(
    (each, at, all): each is TokenSet =>
      each !== undefined && all.findIndex((one) => one?.accessToken === each.accessToken) === at,
  )
  const ask = () => approval.get(path, { deviation: 'its consent was deleted' })
  const after = await settling(context).until(ask, refused)
  const inUse = now.accessToken
  return { approval, deletion, queries: { before: query, after }, before, inUse, tokens }
}

/** “everything”, which was re-confirmed: tokens of all its authorisations and of refreshes. */
const twiceConfirmed = sharedFixture([everything, reconfirmed], async (context) => {
  const { approved, steps } = context
  await approved(reconfirmed)
  const approval = await approved(everything)
  const once = await confirmedThrice(context).catch(() => undefined)
  await outOfDateAgain(context).catch(() => undefined)
  const issued = [
    once?.answer && tokensOf(once.answer),
    (await steps.exchange(reconfirmed)).value,
    (await steps.refresh(everything).catch(() => undefined))?.value,
    (await steps.exchange(everything)).value,
  ]
  return endOf(context, approval, issued)
})

const AGAIN = 'to be re-confirmed for the second time'

/** “everything”, authorised again after “re-confirmed”, and the answer to its code. */
const confirmedThrice = sharedFixture([everything, reconfirmed], async (context) => {
  await context.approved(reconfirmed)
  const approval = await context.approved(everything)
  await requireOpen(context, approval)
  return confirmAgain(context, approval, AGAIN)
})

/**
 * The same consent a third time. Fails: no code, no token, or a token that does not read /accounts. Not
 * applicable where the consent gives no data before: a denial, or a newer approval, may have ended it.
 */
check(
  'AUTHZ-16/once-more',
  'A consent that was re-confirmed can be re-confirmed once more, and gives data',
  {
    uses: [everything, reconfirmed],
    grants: [AGAIN],
    follows: ['AUTHZ-16/same-intent'],
    last: true,
  },
  async (context) => expectConfirmed(await confirmedThrice(context)),
)

const REVIVED = 'to be re-confirmed after ninety days more'
const ANOTHER = 'another consent, while one waits to be re-confirmed'

/**
 * The same after another ninety days: an answer with data before, after, and after its customer approved another consent;
 * its query after. Ninety days later the other consent is deleted. Then the first is re-confirmed.
 */
const outOfDateAgain = sharedFixture([everything, reconfirmed], async (context) => {
  context.requireHook('ninety-days-passed')
  await confirmedThrice(context).catch(() => undefined)
  await context.approved(reconfirmed)
  const approval = await context.approved(everything)
  await requireOpen(context, approval)
  const before = await approval.get('/accounts')
  const { accessToken: bearer } = await approval.tokens()
  await context.hook('ninety-days-passed', { consentId: approval.consentId })
  const deviation = 'ninety days have passed since its re-confirmation'
  const ask = () => approval.get('/accounts', { bearer, deviation })
  const after = await settling(context).until(ask, refused)
  const query = await approval.get(consentPath(approval.consentId))
  const other = await context.visit({ purpose: ANOTHER, correct: true })
  if (other.kind === 'granted') await exchangeCode(approval, other)
  const still = other.kind === 'granted' ? await ask() : undefined
  const late = other.kind === 'granted' ? await deletedLate(context, approval, other) : undefined
  // The checks of its deletion need working tokens. Whether it can be re-confirmed is judged by AUTHZ-32.
  await confirmAgain(context, approval, REVIVED).catch(() => undefined)
  return { before, after, still, query, late }
})

/** The query and the deletion of a consent that was approved ninety days ago. */
async function deletedLate(context: Context, { get, delete: end }: Approval, { request }: Visit) {
  await context.hook('ninety-days-passed', { consentId: request.consentId })
  const path = consentPath(request.consentId)
  const query = await get(path)
  return { query, deletion: await end(path) }
}

const OUT_OF_DATE_AGAIN = {
  uses: [everything, reconfirmed],
  grants: [ANOTHER, REVIVED],
  needs: ['hooks.ninety-days-passed'],
  follows: ['CLC-18/data-refused'],
  last: true,
} as const

check(
  'CLC-18/re-confirmed',
  'Ninety days after its re-confirmation a consent gives no data',
  OUT_OF_DATE_AGAIN,
  async (context) => {
    const { before, after } = await outOfDateAgain(context)
    relyOn(OWNERS.accounts, before).toSucceed()
    expect(after).toBeRefused()
  },
)

/** Not applicable where the query of such a consent is refused. */
check(
  'CLC-01/after-ninety-days',
  'DELETE of a consent that was not re-confirmed for ninety days answers 204',
  { ...OUT_OF_DATE_AGAIN, follows: ['CLC-01/authorised', 'CONS-22/after-ninety-days'] },
  async (context) => {
    await relyOnDeletion(context)
    const { late } = await outOfDateAgain(context)
    if (!late) throw new NotApplicable('no other consent was approved meanwhile')
    if (refused(late.query)) throw new NotApplicable('the bank has ended the consent')
    expect(late.deletion).toHaveStatus(204)
  },
)

/** The consent still belongs to its owner, who needs it to have it re-confirmed. */
check(
  'CONS-22/after-ninety-days',
  'Ninety days after its re-confirmation the owner can query a consent',
  {
    ...OUT_OF_DATE_AGAIN,
    follows: [OWNERS.query, 'CONS-22/after-reconfirmation', 'CLC-19/others-untouched'],
  },
  async (context) => {
    const { before, after, query } = await outOfDateAgain(context)
    relyOn(OWNERS.accounts, before).toSucceed()
    relyOn('CLC-18/re-confirmed', after).toBeRefused()
    expect(query).toSucceed()
  },
)

/** It must be confirmed “by using the existing intent ID”: approving another consent does not do that. */
check(
  'CLC-18/another-approved',
  'After ninety days a consent gives no data either when its customer approves another one',
  OUT_OF_DATE_AGAIN,
  async (context) => {
    const { before, after, still } = await outOfDateAgain(context)
    relyOn(OWNERS.accounts, before).toSucceed()
    relyOn('CLC-18/re-confirmed', after).toBeRefused()
    if (!still) throw new NotApplicable('no other consent was approved meanwhile')
    expect(still).toBeRefused()
  },
)

/** The last consent of the second client: that of the second customer, if there is one. It was re-confirmed. */
const lastOfSecond = ({ target }: Context<never>) =>
  target.document.customers.second ? narrowOfSeconds : secondClient

/** Options of the checks about the second client's deletion. */
const OF_SECOND = { uses: [secondClient, narrowOfSeconds], needs: ['clients.second'] } as const

type OfSecond = Context<typeof secondClient | typeof narrowOfSeconds>

/** That consent. The first client tries to delete it, just after deleting one of its own. */
const triedByFirst = sharedFixture(OF_SECOND.uses, async (context) => {
  context.tpp('second')
  const consent = lastOfSecond(context)
  requireValue(await context.steps.exchange(consent))
  await requireOpen(context, await context.approved(consent))
  const before = await atWork(context, consent)
  const first = await context.caller()
  const own = await first.delete(consentPath(await createConsent(first)))
  const deviation = 'an authorised consent of another client'
  const attempt = await first.delete(consentPath(before.approval.consentId), { deviation })
  return { before, own, attempt, after: await again(before, undefined) }
})

/** The same, deleted by its own client. */
const ofSecondClient = sharedFixture(OF_SECOND.uses, async (context) => {
  const { before, after } = await triedByFirst(context)
  relyOn('CONS-22/after-approval', before.query).toSucceed()
  const harm = harmed(before, after)
  if (harm) blockBy('CLC-08/second-client', 'the first client has ended the consent before', harm)
  return endOf(context, before.approval, before.older)
})

check(
  'CLC-08/second-client',
  'A consent that the customer has authorised for the second client is not deleted by the first',
  {
    ...OF_SECOND,
    follows: ['CLC-08/refused', 'CLC-08/survives', 'CLC-08/authorised', 'CLC-08/other-direction'],
    last: true,
  },
  async (context: OfSecond) => {
    const { before, own, attempt, after } = await triedByFirst(context)
    relyOn('CONS-22/after-approval', before.query).toSucceed()
    relyOn(OWNERS.deletion, own).toSucceed()
    expect(attempt).toBeAnError()
    expectUnharmed(before, after)
  },
)

function expectGone(owner: string, { deletion, queries }: End): void {
  if (!succeeded(queries.before)) {
    blockBy(
      'CLC-19/others-untouched',
      'the consent was gone before its own deletion',
      queries.before,
    )
  }
  relyOn(owner, deletion).toSucceed()
  expect(queries.after).toBeAnError()
}

/** No token that was issued for the consent gives data; each path gave data just before. */
async function expectNothing(
  context: Context<never>,
  owner: string,
  { approval, deletion, before, inUse, tokens }: End,
): Promise<void> {
  relyOn(owner, deletion).toSucceed()
  const deviation = 'its consent was deleted'
  const { until } = settling(context)
  const some = ofOneAccount(before)
  for (const { accessToken: bearer } of tokens) {
    const isInUse = bearer === inUse
    for (const read of isInUse ? before : some) {
      const { path, answer } = read
      relyOn(readOwner(approval, path), answer).toSucceed()
      // With the token in use, every kind of request; with the others, only the plain one, elsewhere.
      for (const way of isInUse && some.includes(read) ? waysToAsk(path) : [ELSEWHERE]) {
        const ask = () => approval.get(path, { bearer, deviation, ...way })
        expect(await until(ask, refused, way)).toBeRefused()
      }
    }
  }
}

/** No refresh token that was issued for the consent gives an access token that reads accounts. */
async function expectNoRefresh(
  context: Context<never>,
  owner: string,
  { approval, deletion, tokens }: End,
): Promise<void> {
  relyOn(owner, deletion).toSucceed()
  const { until } = settling(context)
  const deviation = 'a refresh token of a deleted consent'
  const refreshTokens = new Set(tokens.flatMap(({ refreshToken }) => refreshToken ?? []))
  if (refreshTokens.size === 0) throw new NotApplicable('the bank issues no refresh token')
  for (const refresh_token of refreshTokens) {
    const grant = { grant_type: 'refresh_token', refresh_token } as const
    const answer = await approval.tpp.token(grant, { deviation })
    const bearer = tokensOf(answer)?.accessToken
    const ask = () => approval.get('/accounts', { bearer, deviation })
    if (bearer) expect(await until(ask, refused)).toBeRefused()
    else expect(answer).toGiveNoToken()
  }
}

check(
  'CLC-03/re-confirmed',
  'A consent that was re-confirmed and then deleted cannot be queried any more',
  { uses: [everything, reconfirmed], follows: ['CLC-03/query-refused'], last: true },
  async (context) => expectGone('CLC-01/authorised', await twiceConfirmed(context)),
)

check(
  'CLC-03/second-client',
  'A consent that the second client deleted cannot be queried by it any more',
  { ...OF_SECOND, follows: ['CLC-03/query-refused', 'CLC-03/re-confirmed'], last: true },
  async (context: OfSecond) => expectGone('CLC-01/second-client', await ofSecondClient(context)),
)

check(
  'CLC-04/re-confirmed',
  'After the deletion of a consent that was re-confirmed, no access token of it gets data',
  { uses: [everything, reconfirmed], follows: ['CLC-04/data-refused'], last: true },
  async (context) => expectNothing(context, 'CLC-01/authorised', await twiceConfirmed(context)),
)

check(
  'CLC-04/second-client',
  'After the second client deleted its consent, no access token of it gets data',
  { ...OF_SECOND, follows: ['CLC-04/data-refused', 'CLC-04/re-confirmed'], last: true },
  async (context: OfSecond) =>
    expectNothing(context, 'CLC-01/second-client', await ofSecondClient(context)),
)

check(
  'TOK-31/re-confirmed',
  'After the deletion of a consent that was re-confirmed, no refresh token of it gives access to data',
  { uses: [everything, reconfirmed], follows: ['TOK-31/deleted'], last: true },
  async (context) => expectNoRefresh(context, 'CLC-01/authorised', await twiceConfirmed(context)),
)

check(
  'TOK-31/second-client-deletes',
  'After the second client deleted its consent, no refresh token of it gives access to data',
  { ...OF_SECOND, follows: ['TOK-31/deleted', 'TOK-31/re-confirmed'], last: true },
  async (context: OfSecond) =>
    expectNoRefresh(context, 'CLC-01/second-client', await ofSecondClient(context)),
)

check(
  'CLC-01/second-client',
  'DELETE of the second client’s own consent answers 204',
  { ...OF_SECOND, follows: ['CLC-01/awaiting', 'CLC-01/authorised'], last: true },
  async (context) => {
    expect((await ofSecondClient(context)).deletion).toHaveStatus(204)
  },
)
