import type { Variant } from '../run/proof.ts'

/** Customers approve a funds confirmation consent where a request for accounts names it. */
export const asAccounts: NonNullable<Variant['policies']> = (correct, { fired }) => ({
  authorisable(consent, clientId, scopes, age) {
    if (consent?.kind !== 'funds-confirmation' || !scopes.includes('accounts')) {
      return correct.authorisable(consent, clientId, scopes, age)
    }
    fired()
    return correct.authorisable({ ...consent, kind: 'account-access' }, clientId, scopes, age)
  },
})
