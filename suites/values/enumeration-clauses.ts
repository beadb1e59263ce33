/** Clauses that several enumerations cite. */

export const CASE = 'RFC 6749 1.9: “all the protocol parameter names and values are case sensitive”'
