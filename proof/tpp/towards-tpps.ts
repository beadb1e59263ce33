import type { BankOptions } from '../../bank/bank.ts'

const FUNDS = 'funds-confirmation-consents'

/**
 * Every path that a sentence gives for funds confirmation consents: AMB-05 and AMB-06. A consent created below aisp,
 * which no reading allows, is accepted too, so that the TPP is judged further.
 */
const PLACES = [`cbpii/${FUNDS}`, `aisp/cbpii/${FUNDS}`, `aisp/${FUNDS}`]

/** "The data access text spells the second one with an s": AMB-01. */
const asListed = (permission: string) =>
  permission === 'ReadAccountsDetails' ? 'ReadAccountsDetail' : permission

const alsoForFunds = (scopes: Iterable<string>): Set<string> => {
  const all = new Set(scopes)
  return all.has('accounts') ? all.add('fundsconfirmations') : all
}

/** What the reference bank accepts from a TPP that it judges, and otherwise refuses, because no sentence forbids it. */
export const towardsTpps: Required<Pick<BankOptions, 'policies' | 'settings'>> = {
  settings: {
    // "Consent, data and registration endpoints are reached over mutual TLS": the token endpoint is not named.
    tokenEndpointMtls: false,
    fundsConfirmationPaths: { create: PLACES, delete: PLACES },
    // "Thresholds and windows: not shown": a client may read by many small requests, and may give up at a limit. The
    // scenarios about a limit answer by themselves.
    rateLimit: { threshold: 1000, window: 10, retryAfter: true },
  },
  policies: (correct) => ({
    // "Permission needed for balance endpoints: not shown."
    permits: (permissions, endpoint) =>
      endpoint.endsWith('balances') || correct.permits(permissions, endpoint),
    // "Names of the scopes: not shown": the scope for accounts is also sufficient for funds confirmation.
    scopeSuffices: (scopes, needed) => correct.scopeSuffices(alsoForFunds(scopes), needed),
    authorisable: (consent, clientId, scopes, age) =>
      correct.authorisable(consent, clientId, [...alsoForFunds(scopes)], age),
    // OpenID Connect Core 6.1: client_id in the query, and the same in the request object "if present".
    clientMayBeInQueryAlone: () => true,
    // "Registration request claims: not shown."
    registrationClaimsRefusal: ({ iss: _, ...claims }, expected) =>
      correct.registrationClaimsRefusal(claims, expected),
    // No configuration advertises application_type: an app may be native, or mobile. "May modify any supplied value."
    registrationValueRefusal: ({ application_type: _, ...claims }, advertised) =>
      correct.registrationValueRefusal(claims, advertised),
    // "An optional field that is null has no value": AMB-17.
    nullIsNone: () => true,
    permissionsAcceptable: (permissions) =>
      correct.permissionsAcceptable(permissions.map(asListed)),
    permissionsGranted: (permissions) => correct.permissionsGranted(permissions.map(asListed)),
    // A + means itself (RFC 3986 2.2); reading it as a space in a query is a rule for forms.
    filterInstant: (text) => correct.filterInstant(text.replace(/ (?=\d{2}:\d{2}$)/, '+')),
  }),
}
