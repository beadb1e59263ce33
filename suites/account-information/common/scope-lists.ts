/**
 * The first entry of a list separated by spaces (RFC 6749 3.3) that joins several known scopes by another separator;
 * undefined where there is none. A scope may contain a comma, so only entries that split into known scopes count.
 */
export function joinedScopes(list: string, known: readonly string[]): string | undefined {
  return list
    .split(' ')
    .filter((one) => !known.includes(one))
    .find((one) => {
      const parts = one.split(/[,;|+\s]+/).filter((part) => part !== '')
      return parts.length > 1 && parts.every((part) => known.includes(part))
    })
}

/** Scopes of open banking interfaces and of OpenID Connect Core 5.4. A server may add its own, to bind a token to its consent. */
const KNOWN = ['accounts', 'payments', 'fundsconfirmations', 'profile', 'email', 'address', 'phone']

/** Is it a scope whose meaning others know? */
export const isKnownScope = (scope: string): boolean => KNOWN.includes(scope)
