/**
 * The first of the scopes of a list, which spaces separate (RFC 6749 3.3), that is several of the known ones with
 * something else between them; undefined where there is none. A comma may stand in a scope, so that only what falls
 * into known ones tells.
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
