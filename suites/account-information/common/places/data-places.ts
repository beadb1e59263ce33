import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Approval, NamedConsent } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import type { CallDeviation } from '../../../../engine/suite-api/flow.ts'
import { OWNERS } from '../../../owners.ts'
import type { Place } from '../../../tables.ts'
import type { Credentials } from '../../../values/bearer-credential.ts'
import { pathOf, requireAccountIds, servedRead } from '../data/data-reads.ts'

/** The data endpoints, and the checks that own them. */
const ENDPOINTS = [
  { operation: 'accounts', path: () => '/accounts', owner: OWNERS.accounts },
  { operation: 'account', path: (id: string) => pathOf(id, ''), owner: 'ACC-02/answers-200' },
  { operation: 'balances', path: () => '/balances', owner: OWNERS.balances },
  {
    operation: 'account-balances',
    path: (id: string) => pathOf(id, '/balances'),
    owner: 'BAL-02/answers-200',
  },
  { operation: 'transactions', path: () => '/transactions', owner: OWNERS.transactions },
  {
    operation: 'account-transactions',
    path: (id: string) => pathOf(id, '/transactions'),
    owner: 'TXN-02/answers-200',
  },
] as const

/** Names of places under the first approval. */
export const DATA_PLACES: readonly string[] = ENDPOINTS.map(({ operation }) => operation)

/**
 * Each data endpoint, under each of these approvals that the run has, with all credentials of its client.
 *
 * @param first the approval whose answers are judged by the check of each endpoint.
 */
export async function dataPlaces<Used extends NamedConsent>(
  context: Context<Used>,
  consents: readonly Used[],
  first = consents[0],
): Promise<Place<Credentials, CallDeviation, Used>[]> {
  const had = consents.filter((consent) => consent === first || context.has(consent))
  return had.flatMap((consent) =>
    ENDPOINTS.map(({ operation, path, owner }) => {
      let isOpenAgain = false
      return {
        name: consent === first ? operation : `${operation}, ${consent.name}`,
        kind: 'data',
        // The same endpoint for other approvals: one value of each part shows whether they are treated differently.
        ...(consent !== first && { dear: true as const }),
        async open({ approved }: Context<Used>) {
          const approval = await approved(consent)
          const [id = ''] = await requireAccountIds(approval)
          const judge = consent === first ? owner : 'DATA-08/other-approvals'
          // Earlier reads show that the access token is served, until a wrong value was accepted.
          const control = isOpenAgain
            ? await approval.get(path(id))
            : await servedRead(approval, path(id))
          isOpenAgain = true
          relyOn(judge, control).toSucceed()
          return {
            right: await credentialsOf(approval),
            ask: (made: CallDeviation, deviation: string) =>
              approval.get(path(id), { ...made, deviation }),
          }
        },
      }
    }),
  )
}

async function credentialsOf(approval: Approval): Promise<Credentials> {
  const { accessToken, idToken, refreshToken } = await approval.tokens()
  const { client_id, registration_access_token: held } = { ...approval.tpp.registered }
  return {
    token: accessToken,
    code: approval.visit.code,
    consentId: approval.consentId,
    ...(idToken !== undefined && { idToken }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(client_id !== undefined && { clientId: client_id }),
    ...(typeof held === 'string' && { registrationToken: held }),
  }
}
