import { type Approval, DATA_PERMISSIONS } from '../../../../engine/suite-api/consents.ts'
import { accountsOwner, OWNERS } from '../../../owners.ts'

/** The check that owns a correct read of a path under an approval. It blocks every check that needs the answer. */
export function readOwner({ name, tpp, customer, facts }: Approval, path: string): string {
  const { permissions } = facts
  const another = tpp.name !== 'first' || customer !== 'first' || name === 're-confirmed'
  // An approval with few permissions may be refused because of these.
  const full = DATA_PERMISSIONS.every((each) => permissions.includes(each))
  if (another && full) return 'DATA-08/other-approvals'
  const transactions = path.endsWith('/transactions')
  if (tpp.name === 'second') return transactions ? 'TXN-14/second-client' : 'ACC-11/second-client'
  const single = path.startsWith('/accounts/')
  if (path.endsWith('/balances')) return single ? 'BAL-02/answers-200' : OWNERS.balances
  if (transactions) return transactionsOwner(permissions, single)
  const owner = accountsOwner(permissions)
  return single && owner === OWNERS.accounts ? 'ACC-02/answers-200' : owner
}

function transactionsOwner(permissions: readonly string[], single: boolean): string {
  if (!permissions.includes('ReadTransactionsBasic')) return 'TXN-14/detail-alone'
  if (!permissions.includes('ReadTransactionsDetail')) return 'TXN-14/basic-alone'
  return single ? 'TXN-02/answers-200' : OWNERS.transactions
}
