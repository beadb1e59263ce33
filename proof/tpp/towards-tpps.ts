import type { BankOptions } from '../../bank/bank.ts'
import { defaults } from '../../bank/state/settings.ts'

const FUNDS = 'funds-confirmation-consents'

/**
 * Every place that a sentence gives to funds confirmation consents: AMB-05 and AMB-06. Created below aisp, which is
 * no reading, they go on to be judged.
 */
const PLACES = [`cbpii/${FUNDS}`, `aisp/cbpii/${FUNDS}`, `aisp/${FUNDS}`]

/** "The data access text spells the second one with an s": AMB-01. */
const asListed = (permission: string) =>
  permission === 'ReadAccountsDetails' ? 'ReadAccountsDetail' : permission

const alsoForFunds = (scopes: Iterable<string>): Set<string> => {
  const all = new Set(scopes)
  return all.has('accounts') ? all.add('fundsconfirmations') : all
}

/**
 * What the reference bank takes of a TPP that it judges, and refuses elsewhere: no sentence forbids it.
 */
export const towardsTpps: Required<Pick<BankOptions, 'policies' | 'settings'>> = {
  settings: {
    fundsConfirmationPaths: { create: PLACES, delete: PLACES },
    // "Thresholds and windows: not shown": a client that waits as it is told ends within its time.
    rateLimit: { ...defaults.rateLimit, window: 10 },
  },
  policies: (correct) => ({
    // "Permission needed for balance endpoints: not shown."
    permits: (permissions, endpoint) =>
      endpoint.endsWith('balances') || correct.permits(permissions, endpoint),
    // "Names of the scopes: not shown": what is good for accounts is good for funds confirmation.
    scopeSuffices: (scopes, needed) => correct.scopeSuffices(alsoForFunds(scopes), needed),
    authorisable: (consent, clientId, scopes, age) =>
      correct.authorisable(consent, clientId, [...alsoForFunds(scopes)], age),
    // OpenID Connect Core 6.1: client_id in the query, and the same in the request object "if present".
    clientMayBeInQueryAlone: () => true,
    // "Registration request claims: not shown."
    registrationClaimsRefusal: ({ iss: _, ...claims }, expected) =>
      correct.registrationClaimsRefusal(claims, expected),
    permissionsAcceptable: (permissions) =>
      correct.permissionsAcceptable(permissions.map(asListed)),
    permissionsGranted: (permissions) => correct.permissionsGranted(permissions.map(asListed)),
    // A + stands for itself (RFC 3986 2.2): that a query reads it as a space is a matter of forms.
    filterInstant: (text) => correct.filterInstant(text.replace(/ (?=\d{2}:\d{2}$)/, '+')),
  }),
}
