import { type Context, check } from '../../../engine/suite-api/check.ts'
import { DATA_PERMISSIONS } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat } from '../../../engine/suite-api/expect.ts'
import { type Caller, type TokenSet, tokensOf, type Visit } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, refused, rowsOf } from '../../../engine/suite-api/responses.ts'
import { everything, secondCustomer } from '../../consents.ts'
import { consentPath, createConsent } from '../common/consents/consent-requests.ts'
import { described } from '../common/data/account-comparisons.ts'
import { ELSEWHERE } from '../common/elsewhere.ts'
import { approvedBefore, exchangeCode, expectCode } from '../common/visits/visits.ts'

/** Two customers at the bank's pages at the same time. Requirements: specs/account-information/data.yaml */

/** Both permissions for accounts, since a bank may require either. */
const ACCOUNTS_ALONE = { Permissions: ['ReadAccountsBasic', 'ReadAccountsDetail'] }

const WAITS = 'accounts alone, whose customer waits on the last page'
const MEANWHILE = 'all permissions, while that customer waits'

type Of = Context<typeof everything | typeof secondCustomer>

/** Does the target have another customer? If not, the same customer uses another browser. */
const two = ({ target }: Of) => target.document.customers.second !== undefined

/**
 * Each code gives a token, both at once, and each token gives what its customer approved: permissions distinguish
 * the consents, accounts the customers. With one customer only, the bank may require a single browser.
 * At last the second one's refresh token is sent twice at once, since nobody needs that approval any more.
 */
check(
  'DATA-08/visits-at-once',
  'Where two customers approve at the same time, each code gives what its own customer approved',
  {
    uses: [everything, secondCustomer],
    grants: [WAITS, MEANWHILE],
    needs: ['authorisation.two-at-once'],
    follows: [
      'TXN-14/without-permission',
      'DATA-08/concurrent',
      'DATA-08/other-approvals',
      'CLC-19/second-client',
      'TOK-24/accounts',
    ],
    last: true,
  },
  async (context: Of) => {
    await approvedBefore(context, everything)
    const client = await context.caller()
    const [narrow, whole] = [
      await createConsent(client, ACCOUNTS_ALONE),
      await createConsent(client, { Permissions: DATA_PERMISSIONS }),
    ]
    if (refused(await client.get(consentPath(narrow)))) {
      throw new NotApplicable('a newer consent ends one that awaits authorisation')
    }
    const customer = two(context) ? 'second' : 'first'
    const [waited, other] = await context.visitsAtOnce(
      { purpose: WAITS, consentId: narrow, correct: true },
      { purpose: MEANWHILE, consentId: whole, customer, correct: true },
    )
    const [first, second] = await Promise.all([waited, other].map((one) => tokensFor(context, one)))

    const deviation = 'a consent without ReadTransactions'
    const beyond = await client.get('/transactions', { bearer: first?.accessToken, deviation })
    const rows = await client.get('/transactions', { bearer: second?.accessToken })
    const own = await client.get('/accounts', { bearer: first?.accessToken })
    const foreign = await client.get('/accounts', { bearer: second?.accessToken })
    await refreshTwiceAtOnce(client, second?.refreshToken)
    expect(beyond).toBeRefused()
    // A newer approval of the same customer may have ended the first (AMB-43).
    if (two(context)) expect(own).toSucceed()
    expect(rows).toSucceed()
    expect(foreign).toSucceed()
    if (!two(context)) return
    const [ofFirst, ofSecond] = [
      await shownBy(context, everything),
      await shownBy(context, secondCustomer),
    ]
    expectNoneOf(ofSecond, ofFirst, own)
    expectNoneOf(ofFirst, ofSecond, foreign)
  },
)

/**
 * Both over a new connection: otherwise only one of them would wait for one. A bank may refuse one
 * or both, and may end the approval. A server error is found by the rule about all requests.
 */
async function refreshTwiceAtOnce({ tpp }: Caller, refreshToken: string | undefined) {
  if (refreshToken === undefined) return
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken } as const
  const deviation = 'a refresh token that is sent twice at once'
  const send = () => tpp.token(grant, { ...ELSEWHERE, deviation })
  await Promise.all([send(), send()])
}

/** The tokens for the code of a visit. Asked for again if the first of two simultaneous requests gave none. */
async function tokensFor(context: Of, visit: Visit): Promise<TokenSet> {
  if (visit.kind !== 'granted' && !two(context)) {
    throw new NotApplicable('the bank lets one customer approve one consent at a time')
  }
  expectCode(visit)
  const client = await context.caller()
  const answer = await exchangeCode(client, visit)
  const given = tokensOf(answer) ? answer : await exchangeCode(client, visit)
  expect(given).toGiveAToken()
  return tokensOf(given) as TokenSet
}

/** The accounts that an earlier approval showed, described by everything but their ids. */
async function shownBy(context: Of, consent: typeof everything | typeof secondCustomer) {
  const { exchange } = await context.steps.accounts(consent)
  return new Set((exchange ? rowsOf(exchange) : []).map(described))
}

/** A finding where an account is one of the other customer's and none of the customer's own. */
function expectNoneOf(others: Set<string>, own: Set<string>, answer: Exchange): void {
  const foreign = rowsOf(answer)
    .map(described)
    .filter((account) => others.has(account) && !own.has(account))
  expectThat(foreign.length === 0, {
    message: 'an account of the other customer is shown',
    expected: 'accounts of the customer who approved',
    actual: `${foreign.length} of the other customer`,
    exchange: answer,
  })
}
